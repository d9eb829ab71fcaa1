/** A receipts folder that the original wrote, opened as it is (RECEIPT-50). */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { receiptIdOf, scopeIdOf } from "../../src/machines/receipts/key.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { codeOf, DAY, HASH, ID, operation, originals, RESULT, START } from "./receipts/given.ts";

const WRITTEN = 1_700_000_000_000;
const FINISHED = {
  ...{ state: "terminal", dispatchingAt: WRITTEN, acceptedAt: WRITTEN, terminalAt: WRITTEN },
  result: RESULT,
};

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`a receipts folder of the original (${sharing})`, () => {
    let directory = "";
    let now = WRITTEN + 400 * DAY;
    let opened: Holdfast | null = null;

    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), "holdfast-originals-"));
      now = WRITTEN + 400 * DAY;
    });
    afterEach(async () => {
      await opened?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    const fileOf = (id: string): string => join(directory, "receipts", `${id}.json`);

    function write(operationId: string, fields: JsonObject): string {
      const { payload, ...key } = START;
      const all = { ...key, operationId } as Parameters<typeof receiptIdOf>[0];
      const id = receiptIdOf(all);
      mkdirSync(join(directory, "receipts"), { recursive: true, mode: 0o700 });
      writeFileSync(fileOf(id), originals({ id, operationId, ...fields }), { mode: 0o600 });
      return id;
    }

    async function open(receiptCapacity: number | null = 9): Promise<Holdfast> {
      opened = await createHoldfast({
        storage: filesystemStorage({ directory, sharing }),
        clock: { ...systemClock(), now: () => epochMs(now) },
        limits: {
          ...(receiptCapacity === null ? {} : { receiptCapacity }),
          receiptRetentionMs: DAY,
        },
      });
      return opened;
    }

    it("is read and answered from, and no file of it is touched by that", async () => {
      write("operation-1", FINISHED);
      const before = readFileSync(fileOf(ID), "utf8");
      const { receipts } = await open();
      expect(await receipts.get(ID)).toEqual(JSON.parse(before));
      expect(await receipts.prepare(START)).toMatchObject({ created: false });
      const { payload, ...key } = START;
      const replay = await receipts.once(key, payload, () => RESULT);
      expect(replay).toMatchObject({ result: RESULT, replayed: true });
      expect(await codeOf(receipts.prepare({ ...START, payload: 1 }))).toBe(
        "operation_receipt_conflict",
      );
      expect(readFileSync(fileOf(ID), "utf8")).toBe(before);
    });

    it("RECEIPT-44 is gone on with under the same names and modes", async () => {
      write("operation-1", { state: "accepted", dispatchingAt: 1, acceptedAt: 2, result: RESULT });
      const { receipts } = await open();
      await receipts.markTerminal(ID);
      await receipts.prepare(operation("operation-2"));
      const text = readFileSync(fileOf(ID), "utf8");
      expect(JSON.parse(text)).toMatchObject({ id: ID, payloadHash: HASH, state: "terminal" });
      expect(text).toMatch(/^\{\n {2}"version": 1,\n[\s\S]*\}\n$/);
      expect(statSync(fileOf(ID)).mode & 0o777).toBe(0o600);
      expect(statSync(join(directory, "receipts")).mode & 0o777).toBe(0o700);
    });

    it("protocols 6.1 counts, and takes the places of what it holds", async () => {
      for (const n of [1, 2, 3]) write(`old-${n}`, FINISHED);
      const { receipts } = await open(4);
      await receipts.prepare(START);
      expect(await codeOf(receipts.prepare(operation("o-2")))).toBe("operation_receipt_capacity");
    });

    it("RECEIPT-13 has 8,192 receipts of a workspace unless a deployment says otherwise", async () => {
      const { receipts } = await open(null);
      await receipts.prepare(START);
      const name = readdirSync(directory, { recursive: true, encoding: "utf8" }).find((path) =>
        path.includes(scopeIdOf("workspace")),
      );
      writeFileSync(
        join(directory, name ?? ""),
        JSON.stringify({ used: 8_191, pend: {}, out: {} }),
      );
      await receipts.prepare(operation("o-2"));
      const more = receipts.prepare(operation("o-3"));
      expect(await codeOf(more)).toBe("operation_receipt_capacity");
    });

    it("gives its places back when its receipts are retired, a retention after we found them", async () => {
      for (const n of [1, 2, 3]) write(`old-${n}`, FINISHED);
      const holdfast = await open(3);
      const { receipts } = holdfast;
      expect(await codeOf(receipts.prepare(START))).toBe("operation_receipt_capacity");
      const found = await holdfast.reconcile();
      expect(found).toMatchObject({ receipts: { retired: 0 }, failures: [] });
      expect((await receipts.list()).receipts).toHaveLength(3);
      now += DAY;
      const over = await holdfast.reconcile();
      expect(over).toMatchObject({ receipts: { retired: 3 }, failures: [] });
      expect((await receipts.prepare(START)).created).toBe(true);
      expect(await codeOf(receipts.prepare(operation("old-1")))).toBe("operation_expired");
    });

    it("has what it left dispatching recovered, since nobody can own it", async () => {
      const id = write("operation-1", { state: "dispatching", dispatchingAt: now - 60_000 });
      const holdfast = await open();
      expect((await holdfast.reconcile()).receipts.recovered).toBe(1);
      expect((await holdfast.receipts.get(id))?.state).toBe("outcome-unknown");
    });

    it("RECEIPT-45 a link at a receipt's place is refused, and not followed", async () => {
      const elsewhere = join(directory, "elsewhere.json");
      writeFileSync(elsewhere, originals(FINISHED));
      mkdirSync(join(directory, "receipts"));
      symlinkSync(elsewhere, fileOf(ID));
      const { receipts } = await open();
      expect(await codeOf(receipts.get(ID))).toBe("record_corrupt");
      expect(await codeOf(receipts.prepare(START))).toBe("record_corrupt");
      expect(readFileSync(elsewhere, "utf8")).toBe(originals(FINISHED));
    });

    it("RECEIPT-47 a file that is none of ours is an error, and not absent", async () => {
      write("operation-2", FINISHED);
      mkdirSync(fileOf(ID));
      const { receipts } = await open();
      expect(await codeOf(receipts.get(ID))).toBe("record_corrupt");
      expect(await codeOf(receipts.prepare(START))).toBe("record_corrupt");
      rmSync(fileOf(ID), { recursive: true });
      writeFileSync(fileOf(ID), " ".repeat(400_000));
      expect(await codeOf(receipts.get(ID))).toBe("record_corrupt");
      expect((await receipts.list()).receipts).toHaveLength(1);
    });
  });
}
