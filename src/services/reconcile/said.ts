/** What a mailer or a kind said of a job, without what the job says. */
import { isJsonObject } from "../../core/json.ts";
import { toldOnOneLine } from "../../ports/runner-failures.ts";
import type { LeasedJob } from "../emails.ts";

/**
 * `text` on one line, fit for a log: providers repeat keys, addresses and whole mails in what they refuse.
 * `mail`: what was made of the job, where that is known.
 */
export function saidOf(
  text: string,
  { type: _type, state: _state, lastError: _lastError, ...job }: LeasedJob,
  mail: object = {},
): string {
  return toldOnOneLine(text, textsIn([job, mail]));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
