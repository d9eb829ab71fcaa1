/** Each thing that a soak looks for is told when it is planted, and nothing is told of a good one. */
import { describe, expect, it } from "vitest";
import type { Job, QueryEvent, QueryJob, Receipt } from "../../src/client/client.ts";
import { broken, idOf } from "./checks.ts";
import { answerOf, type Fact } from "./facts.ts";
import { openLog } from "./log.ts";
import { growthOf, leaks, type Sample } from "./meter.ts";
import type { Stored } from "./stored.ts";

const QUERY = "22222222-2222-4222-8222-222222222222";
const ANSWER = answerOf(QUERY);

const event = (eventSeq: number, type: string, data = {}) =>
  ({ eventSeq, type, data }) as unknown as QueryEvent;
const email = (logicalKey: string, state: string, attempts = 1) =>
  ({ logicalKey, state, attempts }) as unknown as Job;
const receipt = (fields: Partial<Receipt>) => ({ id: "r-1", ...fields }) as Receipt;
const query = (status: string, partialText = ANSWER) =>
  ({ jobId: QUERY, generation: 1, status, partialText }) as unknown as QueryJob;

const FACTS: readonly Fact[] = [
  { kind: "enqueued", key: "mail-1", created: true },
  { kind: "enqueued", key: "mail-1", created: false },
  { kind: "leased", key: "mail-1", token: "t-1", attempt: 1 },
  { kind: "mailed", key: "mail-1", token: "t-1" },
  { kind: "settled", key: "mail-1", token: "t-1", to: "sent" },
  { kind: "settled", key: "mail-1", token: "t-1", to: "sent" },
  { kind: "prepared", id: "r-1" },
  { kind: "effect", id: "r-1", by: "caller-1" },
  { kind: "accepted", id: "r-1", by: "caller-1" },
  { kind: "admitted", jobId: QUERY },
  { kind: "completed", jobId: QUERY },
  { kind: "read", jobId: QUERY, text: ANSWER, events: 3, end: "completed" },
];

const LOG = [event(1, "accepted"), event(2, "chunk", { text: ANSWER }), event(3, "completed")];

const STORED: Stored = {
  emails: [email("mail-1", "sent"), email("bad-1", "failed")],
  waiting: new Set(),
  receipts: [receipt({ state: "terminal", result: { by: "caller-1" } })],
  queries: [{ job: query("completed"), events: LOG }],
  stuck: [{ machine: "emails", id: idOf("bad-1"), why: "it failed" }],
  corrupt: 0,
};

function found(facts: readonly Fact[], stored: Partial<Stored> = {}): readonly string[] {
  return broken([...FACTS, ...facts], { ...STORED, ...stored });
}

describe("the checks of a soak", () => {
  it("tell nothing where all is well", () => {
    expect(found([])).toEqual([]);
  });

  it("let an email wait for its next attempt", () => {
    const emails = [email("mail-1", "ready"), email("bad-1", "failed")];
    const settled = FACTS.filter(({ kind }) => kind !== "settled");
    expect(broken(settled, { ...STORED, emails, waiting: new Set(["mail-1"]) })).toEqual([]);
    expect(broken(settled, { ...STORED, emails })).toEqual([
      "mail-1: it is ready at the end, not sent",
    ]);
  });

  it.each<[string, RegExp, readonly Fact[], Partial<Stored>]>([
    [
      "an enqueued email that is gone",
      /^mail-2: its enqueueing was acknowledged, and it is lost$/,
      [{ kind: "enqueued", key: "mail-2", created: true }],
      {},
    ],
    [
      "an email that two callers created",
      /^mail-1: two callers were told that they created it$/,
      [{ kind: "enqueued", key: "mail-1", created: true }],
      {},
    ],
    [
      "a lease that two workers had",
      /^lease t-1: it was given to a worker twice$/,
      [{ kind: "leased", key: "mail-1", token: "t-1", attempt: 1 }],
      {},
    ],
    [
      "an email that is settled under two leases",
      /^mail-1: settled as sent under two leases$/,
      [{ kind: "settled", key: "mail-1", token: "t-2", to: "sent" }],
      {},
    ],
    [
      "a lease after the settlement",
      /^mail-5: settled as sent in attempt 1, and leased until attempt 2$/,
      [
        { kind: "leased", key: "mail-5", token: "t-5", attempt: 1 },
        { kind: "settled", key: "mail-5", token: "t-5", to: "sent" },
        { kind: "mailed", key: "mail-5", token: "t-5" },
      ],
      { emails: [...STORED.emails, email("mail-5", "sent", 2)] },
    ],
    [
      "an email that is not at its end",
      /^mail-1: it is sending at the end, not sent$/,
      [],
      { emails: [email("mail-1", "sending"), email("bad-1", "failed")] },
    ],
    [
      "an email that is sent and never went out",
      /^mail-3: it is sent, and no mail went out$/,
      [],
      { emails: [...STORED.emails, email("mail-3", "sent")] },
    ],
    [
      "more mails than attempts",
      /^mail-4: 2 mails in 1 attempts$/,
      [
        { kind: "mailed", key: "mail-4", token: null },
        { kind: "mailed", key: "mail-4", token: null },
      ],
      { emails: [...STORED.emails, email("mail-4", "sent")] },
    ],
    [
      "a side effect that happened twice",
      /^receipt r-1: its side effect happened more than once$/,
      [{ kind: "effect", id: "r-1", by: "caller-1" }],
      {},
    ],
    [
      "a receipt that is gone",
      /^receipt r-2: it was acknowledged, and it is lost$/,
      [{ kind: "prepared", id: "r-2" }],
      {},
    ],
    [
      "another's result",
      /^receipt r-1: the result is caller-2's, the side effect caller-1's$/,
      [{ kind: "accepted", id: "r-1", by: "caller-2" }],
      {},
    ],
    [
      "an acceptance that is lost",
      /^receipt r-1: its acceptance is lost$/,
      [],
      { receipts: [receipt({ state: "prepared" })] },
    ],
    [
      "a dispatch that is never over",
      /^receipt r-3: it is dispatching at the end$/,
      [],
      { receipts: [...STORED.receipts, receipt({ id: "r-3", state: "dispatching" })] },
    ],
    [
      "a query that is gone",
      /^query q-2: its admission was acknowledged, and it is lost$/,
      [{ kind: "admitted", jobId: "q-2" }],
      {},
    ],
    [
      "a completion that is lost",
      /^query 2+-.*: completed, and stored as interrupted$/,
      [],
      {
        queries: [
          { job: query("interrupted"), events: [...LOG.slice(0, 2), event(3, "interrupted")] },
        ],
      },
    ],
    [
      "an answer with a part missing",
      /^query 2+-.*: a part of its answer is lost$/,
      [],
      {
        queries: [
          {
            job: query("completed"),
            events: [event(1, "accepted"), event(2, "chunk", { text: "0" }), event(3, "completed")],
          },
        ],
      },
    ],
    [
      "an answer that nobody gave",
      /^query 2+-.*: its log says what its runner did not$/,
      [],
      {
        queries: [
          {
            job: query("completed"),
            events: [event(1, "accepted"), event(2, "chunk", { text: "x" }), event(3, "completed")],
          },
        ],
      },
    ],
    [
      "a log with a gap",
      /^query 2+-.*: its log has a gap$/,
      [],
      { queries: [{ job: query("completed"), events: [event(2, "accepted"), ...LOG.slice(1)] }] },
    ],
    [
      "a text that is not the log's",
      /^query 2+-.*: the job has another text than its log$/,
      [],
      { queries: [{ job: query("completed", "0"), events: LOG }] },
    ],
    [
      "a job that ended twice",
      /^query 2+-.*: it ended twice$/,
      [],
      { queries: [{ job: query("completed"), events: [...LOG, event(4, "canceled")] }] },
    ],
    [
      "a job that never ended",
      /^query 2+-.*: it is running at the end$/,
      [],
      { queries: [{ job: query("running"), events: LOG.slice(0, 2) }] },
    ],
    [
      "a reader who was told something else",
      /^query 2+-.*: what its reader was told is not what the log says$/,
      [{ kind: "read", jobId: QUERY, text: "0", events: 3, end: "completed" }],
      {},
    ],
    [
      "a stream that never ended",
      /^query q-2: its reader never came to its end$/,
      [{ kind: "admitted", jobId: "q-2" }],
      {},
    ],
    [
      "another's side effect",
      /^receipt r-1: it says caller-2 did it, and caller-1 did$/,
      [],
      { receipts: [receipt({ state: "terminal", result: { by: "caller-2" } })] },
    ],
    [
      "a job that is stuck",
      /^receipts r-9: it is stuck: why$/,
      [],
      { stuck: [...STORED.stuck, { machine: "receipts", id: "r-9", why: "why" }] },
    ],
    ["a failed job of which nobody is told", /^emails sha256:\w+: it failed/, [], { stuck: [] }],
    ["records that cannot be read", /^3 records cannot be read$/, [], { corrupt: 3 }],
    [
      "what nobody expected",
      /^looker-1 met what nobody expected: it$/,
      [{ kind: "trouble", who: "looker-1", what: "it" }],
      {},
    ],
  ])("tell %s", (_, told, facts, stored) => {
    // One thing may show in several places.
    expect(found(facts, stored).filter((one) => told.test(one))).toHaveLength(1);
  });
});

describe("the growth of a service", () => {
  const sampled = (held: (n: number) => Partial<Sample>): readonly Sample[] =>
    Array.from({ length: 60 }, (_, n) => ({
      atMs: n * 10_000,
      ...{ rssMiB: 100, heapMiB: 20, resources: 20, files: 30 },
      delayMs: { p50: 1, p99: 2, max: 3 },
      ...held(n),
    }));

  it("is none where what it holds goes up and down", () => {
    expect(
      leaks(growthOf(sampled((n) => ({ heapMiB: 20 + (n % 7), files: 30 + (n % 20) })))),
    ).toEqual([]);
  });

  it.each<[string, (n: number) => Partial<Sample>, string]>([
    ["heap", (n) => ({ heapMiB: 20 + n }), "heap after a collection grew from 39.0 to 75.0 MiB"],
    ["memory", (n) => ({ rssMiB: 100 + 4 * n }), "resident memory grew from 176.0 to 320.0 MiB"],
    ["files", (n) => ({ files: 30 + 3 * n }), "open files and sockets grew from 87.0 to 195.0"],
    [
      "handles",
      (n) => ({ resources: 20 + 3 * n }),
      "handles, timers and requests grew from 77.0 to 185.0",
    ],
  ])("is told of %s that only go up", (_, held, told) => {
    expect(leaks(growthOf(sampled(held)))).toEqual([told]);
  });

  it("is told by its slope, whatever it begins with", () => {
    const [heap] = growthOf(sampled((n) => ({ heapMiB: n < 15 ? 90 : 20 + n / 360 })));
    expect(heap?.slopePerHour).toBeCloseTo(1, 6);
  });

  it("is not taken for none where too little is known", () => {
    expect(leaks(growthOf(sampled(() => ({})).slice(0, 9)))).toEqual([
      "too few samples to tell whether anything leaks",
    ]);
  });
});

describe("the log of a service", () => {
  const heard = (fields: Readonly<Record<string, unknown>>): readonly string[] => {
    const log = openLog(() => {});
    log.hears(JSON.stringify(fields));
    return log.broken;
  };

  it("may tell of outages and of passes", () => {
    expect(heard({ level: "error", event: "request", code: "unavailable" })).toEqual([]);
    expect(
      heard({ level: "error", event: "fault", fault: "ContendedError", message: "m" }),
    ).toEqual([]);
    expect(heard({ level: "warn", event: "pass", codes: "store_timeout 2" })).toEqual([]);
  });

  it.each([
    { level: "error", event: "request", code: "internal_error" },
    { level: "error", event: "fault", fault: "TypeError", stack: "at x" },
    { level: "error", event: "unhandled rejection", fault: "TypeError" },
    { level: "error", event: "stopped in disorder; nothing that was acknowledged is lost" },
  ])("may not tell of $event $fault", (fields) => {
    expect(heard(fields)).toHaveLength(1);
  });

  it("is of lines alone that can be read", () => {
    const log = openLog(() => {});
    log.hears("FATAL ERROR: heap out of memory");
    expect(log.broken).toEqual([
      "a service said what is no line of a log: FATAL ERROR: heap out of memory",
    ]);
  });

  it("is counted without its numbers", () => {
    const log = openLog(() => {});
    log.hears(JSON.stringify({ level: "warn", event: "pass", codes: "store_timeout 2" }));
    log.hears(JSON.stringify({ level: "warn", event: "pass", codes: "store_timeout 3" }));
    expect([...log.said]).toEqual([["warn pass store_timeout", 2]]);
  });
});
