/** A process of its own for the tests: has a folder to itself and serves nobody until it is killed. */
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";

const [, , directory = "", address = "", secret = ""] = process.argv;

const storage = filesystemStorage({ directory, sharing: "exclusive", owner: { address, secret } });
await storage.open({
  clock: systemClock(),
  random: systemRandom(),
  observe() {},
  dueOf: () => null,
});
// The channel keeps the process alive from here on.
process.on("message", () => {});
process.send?.("open");
