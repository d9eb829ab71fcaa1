/** One process of a soak: plays the part that it is called with until its parent says `stop`. */
import { enqueuer, sender } from "./emails.ts";
import { toldTo } from "./facts.ts";
import { looker } from "./looker.ts";
import { asker, runner } from "./queries.ts";
import { caller, onceCaller, person } from "./receipts.ts";
import { clientOf, type Part } from "./role.ts";

const PARTS: Readonly<Record<string, (part: Part) => Promise<void>>> = {
  ...{ enqueuer, sender, caller, onceCaller, person, asker, runner, looker },
};

const [, , kind = "", name = "", world = "", ...urls] = process.argv;

const stopping = new AbortController();
process.once("message", () => {
  stopping.abort();
  process.disconnect();
});
// A parent that is gone has no more use for it.
process.once("disconnect", () => stopping.abort());

const play = PARTS[kind];
if (play === undefined) throw new Error(`there is no part called ${kind}`);
await play({
  name,
  ...toldTo(world),
  client: clientOf(urls),
  losesOne: process.env["SOAK_PLANT"] === "loss" && name === "enqueuer-1",
  stopping: stopping.signal,
  mayDie(oneIn) {
    // In the quiet at the end there is nobody to take over what is left.
    if (!stopping.signal.aborted && Math.random() * oneIn < 1) process.kill(process.pid, "SIGKILL");
  },
});
