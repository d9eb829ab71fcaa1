/** A query job of a served service, driven as its runner would, and streams of it over real sockets. */
import { get } from "node:http";
import { type Frame, framesIn } from "../http/streams.ts";

export const JSON_TYPE = { "content-type": "application/json" };

type Body = Readonly<Record<string, unknown>>;

export interface RemoteJob {
  readonly jobId: string;
  /** One more event with this text. */
  chunk(delta: string): Promise<void>;
  /** The last one. */
  complete(): Promise<void>;
}

export async function posted(url: string, path: string, body: Body, headers = {}): Promise<Body> {
  const sent = {
    method: "POST",
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url + path, sent);
  const told: Body = JSON.parse(await response.text());
  if (!response.ok) throw new Error(`${path}: ${response.status} ${told["code"]}`);
  return told;
}

/** A running job: it has three events. */
export async function runningJob(url: string, headers = {}): Promise<RemoteJob> {
  const request = {
    clientJobId: "11111111-1111-4111-8111-111111111111",
    generation: 1,
    query: "Are whales fish?",
    sessionId: "chat-42",
  };
  const { job } = await posted(url, "/v1/query-jobs", request, headers);
  const jobId = String(Object(job)["jobId"]);
  const at = `/v1/query-jobs/${jobId}`;
  const leaseToken = "token-a";
  await posted(url, `${at}/runs`, { generation: 1, leaseToken }, headers);
  const linkage = { provider: "claude" };
  await posted(url, `${at}/running`, { leaseToken, linkage }, headers);
  return {
    jobId,
    async chunk(delta) {
      await posted(url, `${at}/chunks`, { leaseToken, delta }, headers);
    },
    async complete() {
      await posted(url, `${at}/complete`, { leaseToken, text: "Whales are mammals." }, headers);
    },
  };
}

export interface RemoteStream {
  frames(): readonly Frame[];
  /** Resolves at its proper end; rejects where the connection was cut. */
  readonly ended: Promise<void>;
  /** Cuts the connection. */
  leave(): void;
}

/** Resolves when the answer has begun. */
export function remoteStream(url: string, headers = {}): Promise<RemoteStream> {
  return new Promise((resolve, reject) => {
    const request = get(url, {
      agent: false,
      headers: { accept: "text/event-stream", ...headers },
    });
    request.once("error", reject);
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (some: string) => {
        text += some;
      });
      const ended = new Promise<void>((done, failed) => {
        response.once("end", done);
        response.once("error", failed);
      });
      ended.catch(() => {});
      resolve({
        frames: () => framesIn(text),
        ended,
        leave: () => void request.destroy(),
      });
    });
  });
}

export const idsOf = (frames: readonly Frame[]) => frames.map(({ id }) => id);
