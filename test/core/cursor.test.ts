/** Cursors: what was sealed is found again, and nothing else is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCursor, sealCursor } from "../../src/core/cursor.ts";
import { base64Url, bytesOfBase64Url } from "../../src/core/ids.ts";

const place = fc.string({ unit: "grapheme", minLength: 1 });

describe("a cursor", () => {
  it("opens to the place that was sealed, in letters, digits, - and _ only", () => {
    fc.assert(
      fc.property(fc.string(), place, (scope, text) => {
        const cursor = sealCursor(scope, text);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(openCursor(scope, cursor)).toBe(text);
      }),
    );
  });

  it("does not open for another listing, nor with anything altered or added", () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.constantFrom(..."Ab0-_=. é"), (text, at, by) => {
        const cursor = sealCursor("one", text);
        const index = at % (cursor.length + 1);
        expect(openCursor("other", cursor)).toBeNull();
        const altered = cursor.slice(0, index) + by + cursor.slice(index + 1);
        if (altered !== cursor) expect(openCursor("one", altered)).toBeNull();
        expect(openCursor("one", cursor + by)).toBeNull();
        expect(openCursor("one", cursor.slice(0, -1))).toBeNull();
      }),
    );
  });

  it("is not made of any other text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(openCursor("one", text)).toBeNull();
      }),
    );
  });
});

describe("base64url", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(bytesOfBase64Url(base64Url(bytes))).toEqual(bytes);
      }),
    );
  });
});
