import { describe, expect, it } from "vitest";
import { parseContent } from "../../../src/machines/emails/content.ts";
import type { StoredEmailJob } from "../../../src/machines/emails/job.ts";
import { emailKinds } from "../../../src/machines/emails/kinds.ts";
import { stored } from "./given.ts";

const CONTENT = { subject: "Welcome", text: "Hello Ann" };

describe("rendered content", () => {
  it("is filled up to everything that a mail has", () => {
    const content = { ...CONTENT, html: null, replyTo: null, headers: {} };
    expect(parseContent(CONTENT)).toEqual({ ok: true, content });
    expect(parseContent({ ...CONTENT, html: undefined })).toEqual({ ok: true, content });
  });

  it("is kept as it is", () => {
    const headers = { "List-Unsubscribe": "<https://example.com/u>" };
    const content = { ...CONTENT, html: "<p>Hello</p>", replyTo: "help@example.com", headers };
    expect(parseContent(content)).toEqual({ ok: true, content });
  });

  it("is null for a job that is not valid any more", () => {
    expect(parseContent(null)).toEqual({ ok: true, content: null });
  });

  it.each([
    [undefined, "expected object"],
    ["Hello", "expected object"],
    [{ text: "Hello" }, "subject"],
    [{ ...CONTENT, text: "" }, "text"],
    [{ ...CONTENT, text: "x".repeat(500_001) }, "text"],
    [{ ...CONTENT, subject: "Hello\r\nBcc: eve@example.com" }, "subject must be one line"],
    [{ ...CONTENT, subject: "Hello\0Ann" }, "subject must be one line"],
    [{ ...CONTENT, replyTo: "nobody" }, "replyTo"],
    [{ ...CONTENT, headers: { bcc: "eve@example.com" } }, "headers.bcc a header that the mailer"],
    [{ ...CONTENT, headers: { "X-A": "a\nb" } }, "headers.X-A must have no control characters"],
    [{ ...CONTENT, replyto: "help@example.com" }, "replyto unknown property"],
  ])("%j is refused by its name, not its content", (answer, reason) => {
    const parsed = parseContent(answer);
    expect(parsed).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(parsed)).not.toContain("eve@");
  });
});

describe("a message", () => {
  const { signal } = new AbortController();
  const context = { signal, now: "2026-01-01T00:00:00.000Z", since: null, tenant: null };
  const prepared = (fields: object) =>
    emailKinds([])
      .get("message")
      ?.prepare?.({ ...stored().job, ...fields } as StoredEmailJob, context);

  it("is rendered as it was enqueued", () => {
    const content = { ...CONTENT, html: null, replyTo: null, headers: {} };
    expect(prepared(CONTENT)).toEqual(content);
    const full = { ...content, html: "<p>Hi</p>", replyTo: "a@b.example", headers: { "X-A": "b" } };
    expect(prepared(full)).toEqual(full);
  });
});
