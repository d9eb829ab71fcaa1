/**
 * Answers what customers ask, beside any of the runtimes, since a function lives for one request. Here the
 * answer is a fixed one; put a provider's stream in its place. Arguments: the URL of Holdfast, a key for it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, runQueries } from "holdfast/client";

const [url = "", key = ""] = process.argv.slice(2);

const assistant = runQueries(
  createClient({ url, key }),
  async (run, { signal }) => {
    for (const word of `You asked: ${run.request.query} Tomorrow.`.split(/(?<= )/)) {
      await run.delta(word);
      await sleep(20, undefined, { signal });
    }
  },
  { onError: (error) => console.error(error) },
);
process.once("SIGTERM", () => void assistant.stop());
console.log("ready to answer");
