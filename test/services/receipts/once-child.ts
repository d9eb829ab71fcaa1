/**
 * A process of its own for the tests: makes identical calls at once, each of which appends a line to a
 * file as its side effect, and tells what they were answered. With `die`, its side effect never ends.
 */
import { appendFileSync } from "node:fs";
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../../src/holdfast.ts";

const [, , directory = "", log = "", calls = "", die = ""] = process.argv;

const holdfast = await createHoldfast({ storage: filesystemStorage({ directory }) });
process.send?.("ready");
// All processes begin together.
await new Promise((resolve) => process.once("message", resolve));

const key = { workspaceId: "w", operationId: "charge-1" };
const ends = await Promise.all(
  Array.from({ length: Number(calls) }, () =>
    holdfast.receipts.once(key, { amount: 5 }, async () => {
      appendFileSync(log, `${process.pid}\n`);
      if (die !== "") {
        process.send?.("running");
        await new Promise(() => {});
      }
      return { charge: process.pid };
    }),
  ),
);
process.send?.(ends.map(({ result, receipt }) => ({ result, receipt })));
await holdfast.close();
process.disconnect?.();
