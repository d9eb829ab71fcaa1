/** `holdfast queries tail`: an answer as it comes. */
import type { Client, QueryEvent, QuerySnapshotFrame } from "../../../src/client/client.ts";
import { isTerminal, type QueryStatus } from "../../../src/machines/queries/statuses.ts";
import { jsonText, type Output, prose } from "./print.ts";
import { found, type QueryName } from "./queries.ts";

/**
 * The answer from its beginning, as it comes, to its end; as JSON one event a line. A connection that is
 * cut is made anew where it was. Whether the job completed.
 */
export async function tailQuery(client: Client, name: QueryName, out: Output): Promise<boolean> {
  const { jobId, generation } = await found(client, name);
  let status: QueryStatus = "accepted";
  let told = "";
  for await (const event of client.queries.follow(jobId, { generation })) {
    const job = event.type === "snapshot" ? event.job : event;
    status = job.status;
    if (out.isJson) {
      out.lines(jsonText(event));
      continue;
    }
    const answer = answerAfter(event, told);
    // One that is another than its pieces is shown anew.
    const more = answer.startsWith(told) ? answer.slice(told.length) : `\n${answer}`;
    told = answer;
    if (more !== "") out.text(prose(more));
    if (!isTerminal(status)) continue;
    if (told !== "" && !told.endsWith("\n")) out.text("\n");
    if (status !== "completed") out.note(endOf(status, event));
  }
  return status === "completed";
}

type Told = QueryEvent | QuerySnapshotFrame;

/** The answer so far, as far as an event tells it. */
function answerAfter(event: Told, before: string): string {
  if (event.type === "snapshot") return event.job.response ?? event.job.partialText;
  const { text, partialText, response } = event.data;
  const whole = response ?? partialText;
  if (typeof whole === "string") return whole;
  return event.type === "chunk" && typeof text === "string" ? before + text : before;
}

function endOf(status: QueryStatus, event: Told): string {
  const error: unknown = event.type === "snapshot" ? event.job.error : event.data["error"];
  const { code, message } = Object(error) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const why = code === status ? "" : `${String(code)}: `;
  return `${status}: ${why}${String(message)}`;
}
