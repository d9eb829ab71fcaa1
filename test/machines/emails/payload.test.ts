import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineEmailKind, emailKinds } from "../../../src/machines/emails/kinds.ts";
import { parsePayload } from "../../../src/machines/emails/payload.ts";
import { KINDS } from "./given.ts";

const firstView = { type: "first-view", recipient: "a@example.com", recordingIds: ["r1"] };
const message = { type: "message", recipient: "a@example.com", subject: "Hi", text: "Hello" };

function issues(payload: unknown, kinds = KINDS) {
  const parsed = parsePayload(payload, kinds);
  return parsed.ok ? [] : parsed.issues;
}

function paths(payload: unknown): readonly string[] {
  return issues(payload).map((issue) => issue.path);
}

describe("the payloads of the original kinds", () => {
  it("EMAIL-6 each kind takes exactly its number of recordings", () => {
    const counts: Record<string, number> = {
      "first-view": 1,
      "unviewed-reminder": 1,
      "first-import": 1,
      "two-clips": 2,
    };
    for (const [type, right] of Object.entries(counts)) {
      for (const count of [0, 1, 2, 3]) {
        const recordingIds = Array.from({ length: count }, (_, index) => `r${index}`);
        const found = paths({ type, recipient: "a@example.com", recordingIds });
        expect([type, count, found]).toEqual([
          type,
          count,
          count === right ? [] : ["recordingIds"],
        ]);
      }
    }
  });

  it("two equal recordings are allowed", () => {
    expect(
      issues({ type: "two-clips", recipient: "a@example.com", recordingIds: ["r", "r"] }),
    ).toEqual([]);
  });

  it("EMAIL-7 an unknown property is refused by name", () => {
    expect(issues({ ...firstView, transcript: "…", more: 1 })).toEqual([
      { path: "transcript", message: "unknown property" },
      { path: "more", message: "unknown property" },
    ]);
  });

  it("a property of the record that is no payload is refused as well", () => {
    expect(paths({ ...firstView, state: "sent" })).toEqual(["state"]);
    expect(paths({ ...firstView, holdfast: {} })).toEqual(["holdfast"]);
  });

  it("EMAIL-8 a recipient with spaces around it, or no address, is refused", () => {
    for (const recipient of [" a@example.com", "a@example.com ", "a", "", 7, null, undefined]) {
      expect(paths({ ...firstView, recipient })).toEqual(["recipient"]);
    }
  });

  it("EMAIL-8 a recipient in mixed case is stored as given", () => {
    expect(parsePayload({ ...firstView, recipient: "Ann.B@Example.COM" }, KINDS)).toEqual({
      ok: true,
      payload: { type: "first-view", recipient: "Ann.B@Example.COM", recordingIds: ["r1"] },
    });
  });

  it("a recipient longer than 320 characters is refused", () => {
    const local = "a".repeat(308);
    expect(paths({ ...firstView, recipient: `${local}@example.com` })).toEqual([]);
    expect(paths({ ...firstView, recipient: `${local}a@example.com` })).toEqual(["recipient"]);
  });

  it("identifiers are stored trimmed and blank ones refused", () => {
    expect(
      parsePayload(
        { ...firstView, recordingIds: [" r1 "], shareId: " s ", requestedBy: "x" },
        KINDS,
      ),
    ).toEqual({
      ok: true,
      payload: { ...firstView, recordingIds: ["r1"], shareId: "s", requestedBy: "x" },
    });
    expect(paths({ ...firstView, recordingIds: [" "], shareId: "", requestedBy: null })).toEqual([
      "recordingIds[0]",
      "shareId",
      "requestedBy",
    ]);
  });

  it("a property that is undefined counts as absent", () => {
    const parsed = parsePayload({ ...firstView, shareId: undefined }, KINDS);
    expect(parsed.ok && Object.keys(parsed.payload).sort()).toEqual([
      "recipient",
      "recordingIds",
      "type",
    ]);
  });
});

describe("what no payload may be", () => {
  it("an unknown type is answered with the registered ones", () => {
    expect(issues({ ...firstView, type: "second-view" })).toEqual([
      {
        path: "type",
        message: "must be one of first-view, unviewed-reminder, first-import, two-clips, message",
      },
    ]);
    expect(paths({ recipient: "a@example.com" })).toEqual(["type"]);
    expect(paths({ ...firstView, type: "toString" })).toEqual(["type"]);
  });

  it("anything but an object", () => {
    for (const payload of [null, undefined, "x", 1, [firstView]]) {
      expect(issues(payload)).toHaveLength(1);
    }
  });

  it("NUL, half a surrogate pair, a reserved name, a class, a cycle", () => {
    const cyclic: Record<string, unknown> = { ...firstView };
    cyclic["shareId"] = cyclic;
    expect(paths({ ...firstView, shareId: "a\u0000b" })).toEqual(["shareId"]);
    expect(paths({ ...firstView, shareId: "a\ud800" })).toEqual(["shareId"]);
    expect(paths(JSON.parse('{"type":"first-view","__proto__":{}}'))).toEqual(["__proto__"]);
    expect(paths({ ...firstView, shareId: new Map() })).toEqual(["shareId"]);
    expect(issues(cyclic)).toHaveLength(1);
  });

  it("at most 20 issues are told", () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
    expect(issues({ ...firstView, ...unknown })).toHaveLength(20);
  });
});

describe("a message", () => {
  it("takes all of its fields", () => {
    const full = {
      ...message,
      html: "<p>Hello</p>",
      replyTo: "help@example.com",
      headers: { "X-Campaign": "spring, née März", "List-Unsubscribe": "<https://example.com>" },
    };
    expect(parsePayload(full, KINDS)).toEqual({ ok: true, payload: full });
  });

  it("needs subject and text", () => {
    expect(paths({ type: "message", recipient: "a@example.com" })).toEqual(["subject", "text"]);
  });

  it.each([
    ["subject", "", "s".repeat(999), "s".repeat(998)],
    ["text", "", "t".repeat(100_001), "t".repeat(100_000)],
    ["html", "", "h".repeat(100_001), "h".repeat(100_000)],
  ])("bounds %s from below and above", (field, short, long, fits) => {
    expect(paths({ ...message, [field]: short })).toEqual([field]);
    expect(paths({ ...message, [field]: long })).toEqual([field]);
    expect(paths({ ...message, [field]: fits })).toEqual([]);
  });

  it.each(["a\nb", "a\rb", "\r\n", "a\n"])(
    "refuses the subject %j, which is not one line",
    (text) => {
      expect(issues({ ...message, subject: text })).toEqual([
        { path: "subject", message: "must be one line" },
      ]);
    },
  );

  it("refuses a replyTo that is no address", () => {
    expect(paths({ ...message, replyTo: "help" })).toEqual(["replyTo"]);
  });

  it("takes 50 headers and no more", () => {
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, "v"]));
    expect(paths({ ...message, headers: headers(50) })).toEqual([]);
    expect(issues({ ...message, headers: headers(51) })).toEqual([
      { path: "headers", message: "more than 50 headers" },
    ]);
  });

  it.each(["", "X Y", "X:Y", "X\r\nBcc", "Ä", "X\t", "n".repeat(101)])(
    "refuses the header name %j",
    (name) => {
      expect(issues({ ...message, headers: { [name]: "v" } })).toHaveLength(1);
    },
  );

  it("takes a header name of 100 characters", () => {
    expect(issues({ ...message, headers: { ["n".repeat(100)]: "v" } })).toEqual([]);
  });

  it.each([
    ...["from", "to", "cc", "bcc", "subject", "date", "message-id", "reply-to", "sender"],
    ...["content-type", "content-transfer-encoding", "mime-version"],
  ])("refuses the header %s in any letter case: the mailer sets it", (name) => {
    for (const spelled of [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)]) {
      expect(issues({ ...message, headers: { [spelled]: "v" } })).toEqual([
        { path: `headers.${spelled}`, message: "a header that the mailer sets itself" },
      ]);
    }
  });

  it.each([
    ...["resent-from", "resent-sender", "resent-to", "resent-cc", "resent-bcc", "resent-date"],
    ...["resent-message-id", "resent-", "return-path", "received", "dkim-signature"],
  ])("refuses the header %s in any letter case: it would tell of another way or sender", (name) => {
    for (const spelled of [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)]) {
      expect(issues({ ...message, headers: { [spelled]: "v" } })).toEqual([
        { path: `headers.${spelled}`, message: "a header that only those who carry a mail set" },
      ]);
    }
  });

  it.each(["x-resent-from", "resent", "received-by", "list-unsubscribe"])(
    "takes the header %s, which is none of those",
    (name) => {
      expect(issues({ ...message, headers: { [name]: "v" } })).toEqual([]);
    },
  );

  it.each(["a\nBcc: b@example.com", "a\r", "a\tb", "a\u007f", "a\u0085", "v".repeat(999)])(
    "refuses the header value %j",
    (value) => {
      expect(paths({ ...message, headers: { "X-A": value } })).toEqual(["headers.X-A"]);
    },
  );

  it("takes an empty header value and one of 998 characters", () => {
    expect(issues({ ...message, headers: { "X-A": "", "X-B": "v".repeat(998) } })).toEqual([]);
  });

  it("has no recordings", () => {
    expect(paths({ ...message, recordingIds: ["r1"] })).toEqual(["recordingIds"]);
  });
});

describe("the payload of an own kind", () => {
  const own = (payload: z.ZodObject) => emailKinds([defineEmailKind({ name: "welcome", payload })]);

  it("is stored as its schema makes it", () => {
    const kinds = own(
      z.object({ plan: z.string().trim().default("free"), tags: z.array(z.string()) }),
    );
    expect(
      parsePayload({ type: "welcome", recipient: "a@example.com", tags: ["x"] }, kinds),
    ).toEqual({
      ok: true,
      payload: { type: "welcome", recipient: "a@example.com", plan: "free", tags: ["x"] },
    });
  });

  it("a schema whose result is not JSON is the kind's bug, not the sender's", () => {
    const kinds = own(z.object({ plan: z.string().transform((text) => new Set([text])) }));
    const parse = () =>
      parsePayload({ type: "welcome", recipient: "a@example.com", plan: "x" }, kinds);
    expect(parse).toThrow("email kind welcome: its schema makes what is not JSON");
  });

  it("a schema that refuses its own result would make an unreadable record", () => {
    const kinds = own(z.object({ plan: z.string().transform((text) => text.length) }));
    const parse = () =>
      parsePayload({ type: "welcome", recipient: "a@example.com", plan: "x" }, kinds);
    expect(parse).toThrow("email kind welcome: its schema refuses what it made itself");
  });
});
