/** Keys and bodies at their limits, and content that must come back as it went in. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { KEY_BYTES_MAX, key } from "../../src/core/key.ts";
import { RecordTooLargeError } from "../../src/ports/faults.ts";
import { BODY_BYTES_MAX } from "../../src/store/limits.ts";
import type { WriteResult } from "../../src/store/store.ts";
import { type Bench, testKey } from "./fixture.ts";
import { body, deadline } from "./steps.ts";

export function describeLimits(bench: () => Bench): void {
  const putText = (text: string): Promise<WriteResult> =>
    bench()
      .store()
      .put(testKey("big"), { fields: { text }, extra: {} }, deadline(bench(), "absent"));

  /** How many bytes a record takes beside its one text. */
  async function overhead(): Promise<number> {
    await bench()
      .store()
      .put(testKey("tiny"), { fields: { text: "" }, extra: {} }, deadline(bench(), "absent"));
    const found = await bench().backend.get(testKey("tiny"));
    return Buffer.byteLength(found?.body ?? "");
  }

  describe("limits", () => {
    it("keeps keys of every allowed character and of the greatest length apart", async () => {
      const store = bench().store();
      const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_.ABCDEFGHIJKLMNOPQRSTUVWXYZ";
      const long = `things/${Array.from({ length: 4 }, (_, n) => String(n).repeat(125)).join("/")}`;
      const keys = [
        key(`things/records/${letters}`),
        key(`${long}/`.slice(0, KEY_BYTES_MAX - 1).replace(/\/$/, "")),
        key(`things/records/${"0123456789abcdef".repeat(4)}`),
        key("things/records/123e4567-e89b-42d3-a456-426614174000"),
      ];
      for (const [n, one] of keys.entries()) {
        await store.put(one, body(n), deadline(bench(), "absent"));
      }
      for (const [n, one] of keys.entries()) {
        expect(await store.get(one)).toMatchObject({ key: one, fields: { count: n } });
      }
    });

    it("refuses a key that could lead out of its place", () => {
      for (const bad of [
        "a",
        "a/",
        "/a",
        "a//b",
        "a/../b",
        "a/.",
        "a/.b",
        "a/b c",
        "a/é",
        "a/b\u0000",
      ]) {
        expect(() => key(bad)).toThrow(/bad key/);
      }
      expect(() => key(`a/${"x".repeat(129)}`)).toThrow(/longer than 128/);
      expect(() => key(Array.from({ length: 60 }, () => "xxxxxxxxx").join("/"))).toThrow(
        /longer than 512/,
      );
    });

    it("stores a body of exactly the limit and refuses one byte more before writing", async () => {
      const room = BODY_BYTES_MAX - (await overhead());
      await expect(putText("x".repeat(room + 1))).rejects.toBeInstanceOf(RecordTooLargeError);
      expect(await bench().store().get(testKey("big"))).toBeNull();
      expect((await putText("x".repeat(room))).kind).toBe("stored");
      expect(await bench().store().get(testKey("big"))).toMatchObject({
        fields: { text: "x".repeat(room) },
      });
    });

    it("counts bytes, not characters", async () => {
      const room = BODY_BYTES_MAX - (await overhead());
      await expect(putText("é".repeat(Math.floor(room / 2) + 1))).rejects.toBeInstanceOf(
        RecordTooLargeError,
      );
      await expect(putText("😀".repeat(Math.floor(room / 4) + 1))).rejects.toBeInstanceOf(
        RecordTooLargeError,
      );
      expect(await bench().store().get(testKey("big"))).toBeNull();
      expect((await putText("😀".repeat(Math.floor(room / 4)))).kind).toBe("stored");
    });

    it("gives back content exactly as it was put", async () => {
      const fields: JsonObject = {
        empty: "",
        text: 'quotes " and \\ and / and \u2028 and \u0007 and \n',
        emoji: "👩‍👩‍👧‍👦 é ß 漢字",
        half: "\ud800",
        zero: 0,
        negative: -1.5e-7,
        large: 9_007_199_254_740_991,
        no: false,
        nothing: null,
        list: [[], {}, [1, [2, [3]]]],
        "": "an empty name",
        constructor: "a name of an object's own",
      };
      const proto: JsonObject = JSON.parse('{"__proto__": {"polluted": true}}');
      const store = bench().store();
      await store.put(
        testKey("any"),
        { fields: { ...fields, proto }, extra: { mine: 1 } },
        deadline(bench(), "absent"),
      );
      const read = await store.get(testKey("any"));
      expect(JSON.stringify(read?.fields)).toBe(JSON.stringify({ ...fields, proto }));
      expect(read?.extra).toEqual({ mine: 1 });
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    });
  });
}
