/** What the emails say, word for word, and that nobody's words get out of their place. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckedContent } from "../../../src/machines/emails/content.ts";
import type { PresetFacts } from "../../../src/machines/emails/render/facts.ts";
import { oneLine, webUrl } from "../../../src/machines/emails/render/foreign.ts";
import {
  renderFirstImport,
  renderFirstView,
  renderTwoClips,
  renderUnviewedReminder,
} from "../../../src/machines/emails/render/presets.ts";
import { mailProblem } from "../../../src/ports/mailer.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const GOLDEN = resolve(HERE, "../../../../test/machines/emails/golden");

const PRODUCT = {
  productName: "Clips",
  footer: "You get this because somebody shared a recording with you.",
  recipientName: "Ann Müller",
};

const SHARED = {
  title: "Q3 <Roadmap> & “plans”",
  url: "https://clips.example.com/r/1?a=1&b=2",
  sharerName: "Bob O'Neil",
};

const OTHER = { title: "Demo", url: "https://clips.example.com/r/2", sharerName: null };

const FACTS: PresetFacts = {
  "first-view": { ...PRODUCT, recording: SHARED, viewerName: "Bob O'Neil" },
  "unviewed-reminder": { ...PRODUCT, recording: SHARED },
  "first-import": { ...PRODUCT, recording: SHARED },
  "two-clips": { ...PRODUCT, recordings: [SHARED, OTHER] },
};

const SUMMARY = "Both show how the roadmap <came about>.";

/** Those who know as little as may be. */
const LEAST = { productName: "Clips", footer: null, recipientName: null };
const UNKNOWN = { title: " ", url: null, sharerName: null };

const MAILS: Readonly<Record<string, CheckedContent>> = {
  "first-view": renderFirstView(FACTS["first-view"]),
  "first-view-least": renderFirstView({ ...LEAST, recording: UNKNOWN, viewerName: null }),
  "unviewed-reminder": renderUnviewedReminder(FACTS["unviewed-reminder"]),
  "unviewed-reminder-least": renderUnviewedReminder({ ...LEAST, recording: UNKNOWN }),
  "first-import": renderFirstImport(FACTS["first-import"]),
  "first-import-least": renderFirstImport({ ...LEAST, recording: UNKNOWN }),
  "two-clips": renderTwoClips(FACTS["two-clips"], SUMMARY),
  "two-clips-least": renderTwoClips({ ...LEAST, recordings: [UNKNOWN, OTHER] }, null),
};

describe("an email", () => {
  // `GOLDEN=write` makes the files anew; what changed is for the eyes of a person.
  it.each(Object.entries(MAILS))("of %s is what the golden file says", (name, content) => {
    const shown = [
      `Subject: ${content.subject}`,
      ...Object.entries(content.headers).map(([header, value]) => `${header}: ${value}`),
      "",
      content.text,
      content.html,
    ].join("\n");
    const file = join(GOLDEN, `${name}.txt`);
    if (process.env["GOLDEN"] === "write") writeFileSync(file, shown);
    expect(shown).toBe(readFileSync(file, "utf8"));
  });

  it.each(Object.entries(MAILS))("of %s loads nothing, runs nothing, counts nothing", (_, mail) => {
    expect(mail.html).toContain('<html lang="en">');
    expect(mail.html).not.toMatch(
      /<(img|script|link|iframe|form|style|svg)\b|src=|url\(|\son\w+=/i,
    );
  });
});

describe("words of others", () => {
  const words = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.stringMatching(/^[<>"'&/=!a-z \r\n-]{0,60}$/),
    fc.constantFrom(
      "</title><script>",
      '"><img src=x onerror=a>',
      "-->",
      "a\r\nBcc: eve@a.example",
    ),
  );
  const urls = fc.oneof(
    words,
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.tuple(fc.webUrl(), words).map(([url, tail]) => `${url}${tail}`),
    fc.constantFrom("javascript:alert(1)", "data:text/html,x", "https://a.example/\"onclick='x'"),
  );
  const maybe = fc.option(words);
  const recording = fc.record({ title: words, url: fc.option(urls), sharerName: maybe });
  const facts = fc.record({
    productName: words,
    footer: maybe,
    recipientName: maybe,
    viewerName: maybe,
    recording,
    recordings: fc.tuple(recording, recording),
  });

  /** The tags alone, links without where they lead. */
  const skeleton = (html: string | null): string =>
    (html?.match(/<[^>]*>/g) ?? []).join("").replace(/ href="https?:\/\/[^"<>\s]*"/g, "");

  const inside = (html: string | null, place: string): string =>
    new RegExp(`<${place}[^>]*>([\\s\\S]*)</${place}>`).exec(html ?? "")?.[1] ?? "";

  const around = (html: string | null): string =>
    skeleton((html ?? "").replace(inside(html, "main"), "").replace(inside(html, "footer"), ""));

  it("stay text in the HTML, one line in the subject, and ASCII in links", () => {
    fc.assert(
      fc.property(facts, maybe, (given, summary) => {
        const contents = [
          renderFirstView(given),
          renderUnviewedReminder(given),
          renderFirstImport(given),
          renderTwoClips(given, summary),
        ];
        for (const content of contents) {
          const html = content.html ?? "";
          expect(html).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
          expect(html.isWellFormed()).toBe(true);
          expect(around(html)).toBe(around(MAILS["first-import-least"]?.html ?? null));
          expect(skeleton(inside(html, "main"))).toMatch(/^(<\/?(p|a|ul|li|bdi)>)+$/);
          expect(skeleton(inside(html, "footer"))).toMatch(/^(<hr>|<\/?(p|bdi)>)+$/);
          expect(html.replace(/<[^>]*>/g, "")).not.toMatch(/[<>"']/);
          for (const [, href] of html.matchAll(/href="([^"]*)"/g)) {
            expect(href).toMatch(/^https?:\/\/[!-~]+$/);
          }
          expect(content.text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
          expect(content.subject).toMatch(/^[^\p{Cc}\u2028\u2029]{1,300}$/u);
          const mail = { ...content, from: "a@a.example", to: "b@b.example" };
          expect(mailProblem(mail)).toBeNull();
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are cut to a bearable length, between characters", () => {
    expect(oneLine("🎉".repeat(10), 4)).toBe("🎉🎉🎉…");
    expect(oneLine("one two", 5)).toBe("one…");
    expect(oneLine("four", 4)).toBe("four");
    const long = { ...LEAST, recording: { ...UNKNOWN, title: "x".repeat(9_999) } };
    expect(renderFirstImport(long).subject.length).toBeLessThan(150);
  });

  it.each([
    ["a\r\nb", "a b"],
    [" a \t\u2028\u2029 b\u0000", "a b"],
    ["evil\u202eexe.txt", "evilexe.txt"],
    ["👩\u200d💻", "👩\u200d💻"],
    ["a\ud800", "a\ufffd"],
    ["\u200b\u200d\ufeff", null],
    ["", null],
    [null, null],
  ])("%j as one line is %j", (text, line) => expect(oneLine(text, 50)).toBe(line));

  it.each([
    ["https://a.example/ü?q='<\">", "https://a.example/%C3%BC?q=%27%3C%22%3E"],
    ["HTTP://A.example", "http://a.example/"],
    ["javascript:alert(1)", null],
    [" jav\nascript:alert(1)", null],
    ["data:text/html,x", null],
    ["mailto:a@b.example", null],
    ["https://good.example@evil.example/", null],
    ["//a.example", null],
    ["/r/1", null],
    [`https://a.example/${"a".repeat(2_048)}`, null],
    [null, null],
  ])("%j as a link is %j", (text, url) => expect(webUrl(text)).toBe(url));
});
