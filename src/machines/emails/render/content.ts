/** What an email says, before anybody knows whom it is from. */
import { assert } from "../../../core/assert.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { StoredEmailJob } from "../record.ts";

export interface EmailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly replyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a job of the kind `message` was given, as it was given. */
export function renderMessage(job: StoredEmailJob): EmailContent {
  return {
    subject: given(job, "subject"),
    text: given(job, "text"),
    html: job["html"] === undefined ? null : given(job, "html"),
    replyTo: job["replyTo"] === undefined ? null : given(job, "replyTo"),
    headers: headersOf(job),
  };
}

function given(job: StoredEmailJob, field: string): string {
  const value = job[field];
  assert(typeof value === "string", `a stored message without ${field}`);
  return value;
}

function headersOf(job: StoredEmailJob): Readonly<Record<string, string>> {
  const { headers = {} } = job;
  assert(isJsonObject(headers), "headers of a stored message are no object");
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    assert(typeof value === "string", "a header of a stored message is no text");
    return [name, value];
  });
  return Object.fromEntries(entries);
}
