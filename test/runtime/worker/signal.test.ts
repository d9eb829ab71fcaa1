/** What a request of a Worker has begun ends with its signal, whatever its runtime does besides. */
import { afterAll, expect, it } from "vitest";
import { worker } from "../../../adapters/runtime/worker/r2.ts";
import { createClient } from "../../../src/client/client.ts";
import { openR2 } from "../../adapters/r2/fixture.ts";
import { submitted } from "../../client/query-given.ts";
import { eventsPath } from "../../http/streams.ts";
import { KEY, KEYS } from "./workers.ts";

const r2 = await openR2();
afterAll(() => r2.close());

it("sends the reader of a stream on when the signal is aborted", async () => {
  const { bucket } = r2.place();
  const env = { HOLDFAST_BUCKET: bucket, HOLDFAST_KEYS: KEYS, HOLDFAST_LOG_LEVEL: "silent" };
  const { fetch } = worker();
  const url = "https://jobs.example.com";
  const client = createClient({
    url,
    key: KEY,
    fetch: (input, init) => fetch(new Request(input, init), env),
  });
  const { jobId } = await submitted(client);
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${KEY}`, accept: "text/event-stream" };
  const asked = new Request(url + eventsPath(jobId), { headers, signal: gone.signal });
  const answer = await fetch(asked, env);
  const text = answer.text();
  gone.abort();
  expect((await text).endsWith('event: rotate\ndata: {"resumeAfter":0}\n\n')).toBe(true);
});
