/** One address, and nothing that could be read as more than that. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { mailboxText, parseMailbox } from "../../src/core/mailbox.ts";

describe("a mailbox", () => {
  it.each([
    ["ann@example.com", null, "ann@example.com"],
    ["<ann@example.com>", null, "ann@example.com"],
    ["Ann <ann@example.com>", "Ann", "ann@example.com"],
    ['"Ann, Inc." <ann@example.com>', "Ann, Inc.", "ann@example.com"],
    ['"" <ann@example.com>', null, "ann@example.com"],
    ["  Ann Müller  <a.b+c@localhost>", "Ann Müller", "a.b+c@localhost"],
    ["a@b.example <c@d.example>", "a@b.example", "c@d.example"],
  ])("%s is understood", (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ name, address });
  });

  it.each([
    ["ann@example.com", "ann@example.com"],
    ["Ann Müller <ann@example.com>", "Ann Müller <ann@example.com>"],
    ["Ann, Inc. <ann@example.com>", '"Ann, Inc." <ann@example.com>'],
    ["a@b.example <c@d.example>", '"a@b.example" <c@d.example>'],
  ])("%s is written so that nobody reads two of it", (text, written) => {
    const mailbox = parseMailbox(text);
    expect(mailbox && mailboxText(mailbox)).toBe(written);
    expect(parseMailbox(written)).toEqual(mailbox);
  });

  it.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    ".ann@example.com",
    "ann.@example.com",
    "a..b@example.com",
    "ann@exa mple.com",
    " ann@example.com",
    "ann@example.com ",
    "ann@example.com\n",
    "ann@-example.com",
    "änn@example.com",
    '"ann b"@example.com',
    "a@b.example,c@d.example",
    "a@b.example c@d.example",
    "a@b.example>",
    "<a@b.example",
    "<<a@b.example>",
    "A <a@b.example> <c@d.example>",
    'A" <a@b.example>',
    "A\r\nBcc: x <a@b.example>",
    "A\u2028 <a@b.example>",
    "A\ud800 <a@b.example>",
    `${"a".repeat(320)}@b.example`,
    `${"a".repeat(201)} <a@b.example>`,
  ])("%j is none", (text) => expect(parseMailbox(text)).toBeNull());

  it("is every address that a payload may have", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string().map((text) => `${text}@a.example`),
        ),
        (text) => {
          if (text.length > 320 || !z.email().safeParse(text).success) return;
          expect(parseMailbox(text)).toEqual({ name: null, address: text });
        },
      ),
    );
  });

  it("takes no time for a text that almost is one", () => {
    const before = performance.now();
    for (const text of ["a.".repeat(160), `${"a".repeat(300)}@`, `${"<".repeat(500)}>`]) {
      expect(parseMailbox(text)).toBeNull();
    }
    expect(performance.now() - before).toBeLessThan(100);
  });
});
