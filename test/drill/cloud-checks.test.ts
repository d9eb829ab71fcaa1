/** Each thing that the cloud drill would find, in evidence that was made up. */
import { describe, expect, it } from "vitest";
import { type Evidence, judged } from "./cloud-checks.ts";
import type { Life } from "./cloud-lives.ts";
import type { HeldLease } from "./cloud-workers.ts";

const KEY = "drill:1";

function record(fields: object = {}): string {
  return JSON.stringify({
    logicalKey: KEY,
    state: "sent",
    attempts: 1,
    holdfast: { epoch: 1 },
    ...fields,
  });
}

const sent = (attempt: number, by = "worker-1") => ({ key: KEY, attempt, by, messageId: "<1>" });

function held(fields: Partial<HeldLease> = {}): HeldLease {
  const lease = { key: KEY, attempt: 1, by: "worker-1", isSettled: false, isLost: () => false };
  return { ...lease, ...fields };
}

function life(fields: Partial<Life> = {}): Life {
  const born = { name: "service-1-1", url: null, hasServed: true, failures: {}, words: "" };
  return { ...born, end: "killed", ...fields };
}

const GOOD: Evidence = {
  sends: [sent(1)],
  records: [record()],
  due: [],
  enqueued: { acknowledged: new Set([KEY]), createdTwice: [] },
  held: [held({ isSettled: true })],
  lives: [life()],
};

const TWICE = {
  records: [record({ attempts: 2, holdfast: { epoch: 2 } })],
  sends: [sent(1), sent(2)],
};

describe("what a cloud drill takes for good", () => {
  it.each([
    ["one send of every job", {}, { killed: 0, leaseLost: 0, reported: 0 }],
    [
      "a second send after the sender was killed",
      { ...TWICE, sends: [sent(1, "service-1-1"), sent(2)], held: [] },
      { killed: 1, leaseLost: 0, reported: 0 },
    ],
    [
      "a second send after a lost lease",
      { ...TWICE, held: [held({ isLost: () => true })] },
      { killed: 0, leaseLost: 1, reported: 0 },
    ],
    [
      "a second send after a settlement that a pass said it could not store",
      {
        ...TWICE,
        sends: [sent(1, "service-1-1"), sent(2)],
        held: [],
        lives: [life({ end: "stopped", failures: { outcome_unknown: 1 } })],
      },
      { killed: 0, leaseLost: 0, reported: 1 },
    ],
  ] as const)("%s", (_, changes, repeats) => {
    expect(judged({ ...GOOD, ...changes })).toEqual({ repeats, broken: [] });
  });
});

describe("what a cloud drill finds", () => {
  it.each([
    ["an acknowledged job that is lost", { records: [] }, /was acknowledged, and is lost/],
    ["a job that is stuck", { records: [record({ state: "ready" })] }, /and is ready/],
    [
      "a job that two calls created",
      { enqueued: { ...GOOD.enqueued, createdTwice: [KEY] } },
      /two calls were told/,
    ],
    ["two sends in one lease", { sends: [sent(1), sent(1)] }, /two sends in one lease/],
    ["a settlement by who did not send", { sends: [] }, /settled by who did not send/],
    ["an attempt without a lease", { records: [record({ holdfast: { epoch: 0 } })] }, /0 leases/],
    [
      "a second send after an acknowledged settlement",
      { ...TWICE, held: [held({ isSettled: true, isLost: () => true })] },
      /sent again after its settlement in attempt 1 was acknowledged/,
    ],
    ["a second send beside a lease that was kept", { ...TWICE, held: [held()] }, /kept its lease/],
    [
      "a second send after one by a service that went on",
      {
        ...TWICE,
        sends: [sent(1, "service-1-1"), sent(2)],
        held: [],
        lives: [life({ end: "stopped" })],
      },
      /service-1-1 \(stopped\): 1 of its mails went out again/,
    ],
    ["an entry of the due index that nothing needs", { due: ["a"] }, /still in the due index: a/],
    [
      "a service that ended by itself",
      { lives: [life({ end: "broke down", words: "why" })] },
      /service-1-1 broke down: why/,
    ],
  ] as const)("%s", (_, changes, words) => {
    expect(judged({ ...GOOD, ...changes }).broken.join("\n")).toMatch(words);
  });
});
