/**
 * A process of its own for the tests: writes `count` numbered deltas to a job whose token it is given, and
 * tells of each that was acknowledged.
 */
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../../src/holdfast.ts";

const [, , directory = "", jobId = "", leaseToken = "", name = "", count = ""] = process.argv;

const { queries, close } = await createHoldfast({ storage: filesystemStorage({ directory }) });
process.send?.("ready");
await new Promise((resolve) => process.once("message", resolve));

for (let n = 0; n < Number(count); n += 1) {
  await queries.appendPartial(jobId, `${name}${n} `, "", false, { leaseToken });
  process.send?.(n);
}
await close();
process.disconnect?.();
