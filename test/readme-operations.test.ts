/** What the README says to who runs it, held against the code: metrics, what is stuck, limits, costs. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from "../src/core/json.ts";
import { HEADERS_MAX, LINE_CHARS_MAX } from "../src/core/mail-header.ts";
import { ADDRESS_CHARS_MAX } from "../src/core/mailbox.ts";
import { HEAVY_AT_ONCE, HEAVY_WAITING_MAX } from "../src/http/app.ts";
import { KEYS_MAX } from "../src/http/keys.ts";
import { PROBLEMS } from "../src/http/problem.ts";
import { QUERY_BYTES_MAX } from "../src/http/query-answers.ts";
import { TTL_MS_MAX, TTL_MS_MIN } from "../src/http/query-event-schemas.ts";
import * as http from "../src/http/route.ts";
import { BODY_CHARS_MAX } from "../src/machines/emails/built-in-kinds.ts";
import { CONTENT_CHARS_MAX } from "../src/machines/emails/content.ts";
import * as emails from "../src/machines/emails/fields.ts";
import { LEASE_MS_MAX, LIMIT_MAX } from "../src/machines/emails/inputs.ts";
import { MAX_ATTEMPTS_MAX } from "../src/machines/emails/kinds.ts";
import { FAILED_TEXTS, WAITING_TEXTS } from "../src/machines/emails/stuck.ts";
import { EVENTS_PAGE_MAX, JOBS_PAGE_MAX } from "../src/machines/queries/inputs.ts";
import * as queries from "../src/machines/queries/limits.ts";
import { STUCK_QUERY_TEXTS } from "../src/machines/queries/stuck.ts";
import { TEXT_CHARS_MAX } from "../src/machines/receipts/canonical.ts";
import * as receipts from "../src/machines/receipts/fields.ts";
import {
  CAPACITY_DEFAULT,
  CAPACITY_MAX,
  RECEIPTS_PAGE_MAX,
} from "../src/machines/receipts/inputs.ts";
import { STUCK_RECEIPT_TEXT } from "../src/machines/receipts/stuck.ts";
import { OBSERVATIONS } from "../src/ports/observe.ts";
import { ROOM_BYTES } from "../src/services/email-commands.ts";
import { PASS_MS_DEFAULT, PASS_MS_MAX, PASS_MS_MIN } from "../src/services/reconcile/budget.ts";
import { FAILURE_CODES } from "../src/services/reconcile/failure-texts.ts";
import { CONTRADICTED_TEXT, UNREADABLE_TEXT } from "../src/services/stuck.ts";
import * as store from "../src/store/limits.ts";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The rows of the first table behind a heading, by their cells. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const from = README.indexOf(`\n${heading}\n`);
  expect(from, heading).toBeGreaterThan(0);
  const lines = README.slice(from).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const rows = lines.slice(first + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end).map((row) => row.slice(2, -2).split(" | "));
}

const namesIn = (text: string | undefined): readonly string[] =>
  [...(text ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

describe("the README's operations", () => {
  it("explain every metric once, and no other", () => {
    const names = tableUnder("### Metrics").flatMap(([cell]) => namesIn(cell));
    expect([...names].sort()).toEqual([...OBSERVATIONS].sort());
  });

  it("alarm by metrics and by fields that there are", () => {
    const cells = tableUnder("### Alarms").flatMap(([cell]) => namesIn(cell));
    const metrics = cells.filter((name) => /^(?:store|folder|email|receipt|query)\./.test(name));
    expect(metrics.length).toBeGreaterThan(6);
    const known: readonly string[] = OBSERVATIONS;
    expect(metrics.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("explain everything that is stuck, in the words that are answered", () => {
    const failed = Object.entries(FAILED_TEXTS).map(([name, { why, action }]) => {
      const lead = name === "refused" ? "failed after … attempts of …" : "failed after … attempts";
      return ["emails", lead + why, action];
    });
    expect(tableUnder("### What is stuck")).toEqual([
      ...Object.values(WAITING_TEXTS).map(({ why, action }) => ["emails", why, action]),
      ...failed,
      ["receipts", STUCK_RECEIPT_TEXT.why, STUCK_RECEIPT_TEXT.action],
      ["receipts", CONTRADICTED_TEXT.why, CONTRADICTED_TEXT.action],
      ...Object.values(STUCK_QUERY_TEXTS).map(({ why, action }) => ["queries", why, action]),
      ["any", `${UNREADABLE_TEXT.why}: …`, UNREADABLE_TEXT.action],
    ]);
  });

  it("show what the cloud costs as it was counted last", () => {
    const report = readFileSync(join(ROOT, "bench", "results", "cloud-cost.md"), "utf8");
    const rows = report.split("\n").filter((line) => line.startsWith("|"));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((row) => !README.includes(`${row}\n`))).toEqual([]);
  });
});

describe("the README's limits", () => {
  const n = (count: number): string => count.toLocaleString("en");
  const kib = (bytes: number): string => `${bytes / 1_024} KiB`;
  const mib = (bytes: number): string => `${bytes / 1_048_576} MiB`;
  const hours = (ms: number): string => `${ms / 3_600_000} h`;
  const { BODY_BYTES_MAX, BATCH_BYTES_MAX, BODY_VALUES_MAX, BATCH_VALUES_MAX } = http;

  const LIMITS: readonly string[] = [
    kib(store.BODY_BYTES_MAX),
    kib(store.BODY_BYTES_MAX - ROOM_BYTES),
    `${n(emails.LOGICAL_KEY_BYTES_MAX)} bytes`,
    `${n(BODY_CHARS_MAX)} characters each`,
    `${n(CONTENT_CHARS_MAX)} characters each`,
    `${n(ADDRESS_CHARS_MAX)} characters`,
    `${HEADERS_MAX}, a line of ${LINE_CHARS_MAX} characters`,
    `${JSON_DEPTH_MAX} levels, ${n(JSON_VALUES_MAX)} values; no NUL, no half surrogate pairs`,
    `${n(emails.LAST_ERROR_CHARS_MAX)} · ${n(emails.GENERATED_SUMMARY_CHARS_MAX)} characters`,
    `1 ms to ${hours(LEASE_MS_MAX)}`,
    `${emails.MAX_ATTEMPTS_DEFAULT}, of a kind 1 to ${MAX_ATTEMPTS_MAX}`,
    `${LIMIT_MAX} · ${LIMIT_MAX}`,
    `${n(store.PAGE_MAX)}, over HTTP ${LIMIT_MAX}`,
    `${RECEIPTS_PAGE_MAX} · ${JOBS_PAGE_MAX} · ${EVENTS_PAGE_MAX}`,
    `about ${mib(store.PAGE_BYTES_MAX)}`,
    `${receipts.ID_CHARS_MAX} · ${receipts.NAME_CHARS_MAX} characters`,
    `${n(TEXT_CHARS_MAX)} characters of canonical text`,
    kib(receipts.RESULT_BYTES_MAX),
    `${receipts.AUTHOR_CHARS_MAX} · ${n(receipts.NOTE_CHARS_MAX)} characters`,
    `${n(CAPACITY_DEFAULT)}, at most ${n(CAPACITY_MAX)}`,
    `${n(queries.QUERY_CHARS_MAX)} characters`,
    `${n(queries.ANSWER_CHARS_MAX)} characters`,
    `${n(queries.DELTA_CHARS_MAX)} characters`,
    `${queries.HISTORY_MAX}`,
    `${queries.ORPHAN_FENCE_MS / 60_000} minutes`,
    `${queries.ATTACHMENTS_MAX}`,
    [BODY_BYTES_MAX, BATCH_BYTES_MAX, QUERY_BYTES_MAX].map(mib).join(" · "),
    `${n(BODY_VALUES_MAX)} · ${n(BATCH_VALUES_MAX)}`,
    `${HEAVY_AT_ONCE}, and ${HEAVY_WAITING_MAX} that wait`,
    "1",
    `${TTL_MS_MIN / 60_000} minute to ${hours(TTL_MS_MAX)}`,
    n(KEYS_MAX),
    `${store.COMMAND_DEADLINE_MS / 1_000} s (\`limits.commandMs\`)`,
    `${store.SENDS_MAX}`,
    `${PASS_MS_MIN} ms to ${hours(PASS_MS_MAX)}, ${PASS_MS_DEFAULT / 1_000} s by default`,
  ];

  it("are those that the code has", () => {
    expect(tableUnder("### Limits").map(([, limit]) => limit)).toEqual(LIMITS);
  });

  it("are refused with codes that there are", () => {
    const codes = tableUnder("### Limits").flatMap(([, , cell]) =>
      namesIn(cell).filter((name) => /^[a-z]+_/.test(name)),
    );
    expect(codes.length).toBeGreaterThan(20);
    const known: readonly string[] = [...Object.keys(PROBLEMS), ...FAILURE_CODES];
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  });
});
