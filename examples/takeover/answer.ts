/**
 * The answers of the demo: one whose reader drops and comes back, and one whose server is killed in the
 * middle, which nobody runs a second time.
 */
import { fileURLToPath } from "node:url";
import { type Client, HoldfastError } from "../../src/client/client.ts";
import { show } from "./children.ts";

const POET = fileURLToPath(new URL("./poet.js", import.meta.url));

/** Milliseconds between two words: the first answer takes about seven seconds. */
const PAUSE_MS = "120";

export const RUNNER_COMMAND = JSON.stringify([process.execPath, POET, PAUSE_MS]);

const FIRST = "8c9f1a52-6f0f-4b1e-9a64-3f0b8f2d7c11";
const SECOND = "1b6d52a0-0c3a-4a35-8e7f-5a2f5b1c9e44";

/** A reader leaves after so many pieces of an answer. */
const PIECES = 4;

/** What a reader saw. */
interface Seen {
  readonly text: string;
  readonly pieces: number;
  readonly lastSeq: number;
  readonly lastType: string;
}

function question(clientJobId: string, generation: number) {
  return {
    clientJobId,
    generation,
    sessionId: `phone/${clientJobId}`,
    query: "Why does ice float?",
  };
}

/** Reads on behind event `after`, until the job ends or `pieces` pieces are there. */
async function read(
  { queries }: Client,
  jobId: string,
  { after = 0, pieces = Number.POSITIVE_INFINITY },
): Promise<Seen> {
  let seen: Seen = { text: "", pieces: 0, lastSeq: after, lastType: "" };
  for await (const event of queries.follow(jobId, { generation: 1, after })) {
    if (event.type === "snapshot") continue;
    const piece = event.type === "chunk" ? String(event.data["text"]) : "";
    seen = {
      text: seen.text + piece,
      pieces: seen.pieces + (piece === "" ? 0 : 1),
      lastSeq: event.eventSeq,
      lastType: event.type,
    };
    if (seen.pieces >= pieces) break;
  }
  return seen;
}

/** Whether a reader that dropped in the middle of an answer, and came back, has every character of it. */
export async function dropAndResume(client: Client): Promise<boolean> {
  const { job } = await client.queries.submit(question(FIRST, 1));
  const { jobId } = job;
  show("phone", `asked why ice floats: ${job.status}`);
  const first = await read(client, jobId, { pieces: PIECES });
  show(
    "phone",
    `read ${first.pieces} pieces, up to event ${first.lastSeq}, and lost its connection`,
  );
  const rest = await read(client, jobId, { after: first.lastSeq });
  show("phone", `came back, read ${rest.pieces} more behind it: ${rest.lastType}`);
  const end = (await client.queries.get(jobId, { generation: 1 })).job;
  const isWhole = first.text + rest.text === end.response;
  show(
    "phone",
    `${isWhole ? "has" : "LACKS some of"} the ${end.response?.length} characters of the answer`,
  );
  return isWhole && end.status === "completed";
}

/** An answer that has begun when its server is killed. */
export interface Broken {
  readonly jobId: string;
  readonly lastSeq: number;
}

export async function beginAnswer(client: Client): Promise<Broken> {
  const { job } = await client.queries.submit(question(SECOND, 1));
  const { lastSeq } = await read(client, job.jobId, { pieces: PIECES });
  show("phone", `asked once more; the answer has begun, up to event ${lastSeq}`);
  return { jobId: job.jobId, lastSeq };
}

/** Whether that answer is interrupted, and its conversation is held while its provider may be at work. */
export async function findInterrupted(
  client: Client,
  { jobId, lastSeq }: Broken,
): Promise<boolean> {
  const { lastType } = await read(client, jobId, { after: lastSeq });
  show("phone", `read on at the new server: ${lastType}, and nobody runs it again by itself`);
  const again = await client.queries.submit(question(SECOND, 2)).catch((error: unknown) => error);
  if (!(again instanceof HoldfastError)) return false;
  const seconds = Math.ceil((again.retryAfterMs ?? 0) / 1_000);
  show(
    "phone",
    `asked anew: refused with ${again.code} for ${seconds} s, the old run may still write`,
  );
  return lastType === "interrupted" && again.code === "provider_orphan_fence";
}
