/** What must hold at the end of a soak: what was told of it against what is stored. */
import { createHash } from "node:crypto";
import type { Job } from "../../src/client/client.ts";
import { isTerminal } from "../../src/client/statuses.ts";
import { answerOf, BAD, type Fact } from "./facts.ts";
import { isEnded, type Stored, type StoredQuery } from "./stored.ts";

type Of<K extends Fact["kind"]> = Extract<Fact, { readonly kind: K }>;

/** One sentence for each thing that does not hold; none when all is well. */
export function broken(facts: readonly Fact[], stored: Stored): readonly string[] {
  return [
    ...of(facts, "trouble").map(({ who, what }) => `${who} met what nobody expected: ${what}`),
    ...(stored.corrupt > 0 ? [`${stored.corrupt} records cannot be read`] : []),
    ...emailsBroken(facts, stored),
    ...receiptsBroken(facts, stored),
    ...queriesBroken(facts, stored),
    ...stuckBroken(stored),
  ];
}

export function of<K extends Fact["kind"]>(facts: readonly Fact[], kind: K): readonly Of<K>[] {
  return facts.filter((fact): fact is Of<K> => fact.kind === kind);
}

function emailsBroken(facts: readonly Fact[], { emails, waiting }: Stored): readonly string[] {
  const found: string[] = [];
  const jobs = new Map(emails.map((job) => [job.logicalKey, job]));
  for (const key of new Set(of(facts, "enqueued").map((fact) => fact.key))) {
    if (!jobs.has(key)) found.push(`${key}: its enqueueing was acknowledged, and it is lost`);
  }
  const created = of(facts, "enqueued").filter((fact) => fact.created);
  for (const key of repeated(created.map((fact) => fact.key))) {
    found.push(`${key}: two callers were told that they created it`);
  }
  for (const token of repeated(of(facts, "leased").map((fact) => fact.token))) {
    found.push(`lease ${token}: it was given to a worker twice`);
  }
  const sent = of(facts, "settled").filter(({ to }) => to === "sent");
  for (const key of repeated(distinct(sent).map((fact) => fact.key))) {
    found.push(`${key}: settled as sent under two leases`);
  }
  const counts = counted(of(facts, "mailed").map((fact) => fact.key));
  for (const { logicalKey: key, state, attempts } of emails) {
    const should = key.startsWith(BAD) ? "failed" : "sent";
    const mails = counts.get(key) ?? 0;
    if (state !== should && !waiting.has(key))
      found.push(`${key}: it is ${state} at the end, not ${should}`);
    if (state === "sent" && mails === 0) found.push(`${key}: it is sent, and no mail went out`);
    if (mails > attempts) found.push(`${key}: ${mails} mails in ${attempts} attempts`);
  }
  return [...found, ...leasedAfter(facts, jobs)];
}

/** Settled again under its own token is the answer to a repeated call. */
function distinct(settled: readonly Of<"settled">[]): readonly Of<"settled">[] {
  return [...new Map(settled.map((fact) => [fact.token, fact])).values()];
}

/**
 * A worker that is late may mail once more what another has settled; but nobody may be given a lease of it
 * any more, and each lease is an attempt.
 */
function leasedAfter(facts: readonly Fact[], jobs: ReadonlyMap<string, Job>): readonly string[] {
  const attempts = new Map(of(facts, "leased").map(({ token, attempt }) => [token, attempt]));
  return of(facts, "settled").flatMap(({ key, token, to }) => {
    const attempt = attempts.get(token);
    const last = jobs.get(key)?.attempts;
    const isLast = attempt === undefined || last === undefined || attempt === last;
    return to !== "sent" || isLast
      ? []
      : [`${key}: settled as sent in attempt ${attempt}, and leased until attempt ${last}`];
  });
}

function receiptsBroken(facts: readonly Fact[], { receipts }: Stored): readonly string[] {
  const found: string[] = [];
  const byId = new Map(receipts.map((receipt) => [receipt.id, receipt]));
  const effects = of(facts, "effect");
  for (const id of repeated(effects.map((fact) => fact.id))) {
    found.push(`receipt ${id}: its side effect happened more than once`);
  }
  for (const id of new Set([...of(facts, "prepared"), ...effects].map((fact) => fact.id))) {
    if (!byId.has(id)) found.push(`receipt ${id}: it was acknowledged, and it is lost`);
  }
  const doers = new Map(effects.map(({ id, by }) => [id, by]));
  for (const { id, by } of of(facts, "accepted")) {
    const doer = doers.get(id);
    if (doer !== by) found.push(`receipt ${id}: the result is ${by}'s, the side effect ${doer}'s`);
  }
  const accepted = new Set(of(facts, "accepted").map(({ id }) => id));
  for (const receipt of receipts) {
    const { id, state, result, resolution } = receipt;
    if (!isEnded(receipt)) found.push(`receipt ${id}: it is ${state} at the end`);
    const kept = result ?? resolution?.result;
    const by = typeof kept === "object" && kept !== null && "by" in kept ? kept["by"] : undefined;
    if (by !== doers.get(id)) {
      found.push(`receipt ${id}: it says ${by} did it, and ${doers.get(id)} did`);
    }
    const isKept = state === "accepted" || state === "terminal" || resolution !== undefined;
    if (accepted.has(id) && !isKept) found.push(`receipt ${id}: its acceptance is lost`);
  }
  return found;
}

function queriesBroken(facts: readonly Fact[], { queries }: Stored): readonly string[] {
  const byId = new Map(queries.map((query) => [query.job.jobId, query]));
  const found = queries.flatMap(queryBroken);
  for (const { jobId } of of(facts, "admitted")) {
    if (!byId.has(jobId))
      found.push(`query ${jobId}: its admission was acknowledged, and it is lost`);
  }
  for (const { jobId } of of(facts, "completed")) {
    const status = byId.get(jobId)?.job.status;
    if (status !== "completed") found.push(`query ${jobId}: completed, and stored as ${status}`);
  }
  const reads = of(facts, "read");
  for (const { jobId, text, events, end } of reads) {
    const query = byId.get(jobId);
    if (query === undefined) continue;
    const last = query.events.findIndex(({ type }) => isTerminal(type)) + 1;
    const isSame = textOf(query) === text && last === events && query.job.status === end;
    if (!isSame) found.push(`query ${jobId}: what its reader was told is not what the log says`);
  }
  const read = new Set(reads.map(({ jobId }) => jobId));
  for (const { jobId } of of(facts, "admitted")) {
    if (!read.has(jobId)) found.push(`query ${jobId}: its reader never came to its end`);
  }
  return found;
}

function queryBroken(query: StoredQuery): readonly string[] {
  const { job, events } = query;
  const found: string[] = [];
  const say = (what: string): void => void found.push(`query ${job.jobId}: ${what}`);
  const text = textOf(query);
  const whole = answerOf(job.jobId);
  if (!isTerminal(job.status)) say(`it is ${job.status} at the end`);
  if (events.some(({ eventSeq }, n) => eventSeq !== n + 1)) say("its log has a gap");
  if (events.filter(({ type }) => isTerminal(type)).length > 1) say("it ended twice");
  if (!whole.startsWith(text)) say("its log says what its runner did not");
  if (job.status === "completed" && text !== whole) say("a part of its answer is lost");
  if (job.partialText !== text) say("the job has another text than its log");
  return found;
}

function textOf({ events }: StoredQuery): string {
  return events.map(({ type, data }) => (type === "chunk" ? String(data["text"]) : "")).join("");
}

/** Only jobs that nobody could send may wait for a person, and each of them must. */
function stuckBroken({ emails, stuck }: Stored): readonly string[] {
  const bad = emails.filter(({ logicalKey }) => logicalKey.startsWith(BAD));
  const expected = new Set(bad.map(({ logicalKey }) => idOf(logicalKey)));
  const found: string[] = [];
  for (const { machine, id, why } of stuck) {
    if (!expected.delete(id)) found.push(`${machine} ${id}: it is stuck: ${why}`);
  }
  for (const id of expected) found.push(`emails ${id}: it failed, and nobody is told`);
  return found;
}

/** As `/v1/stuck` names an email. */
export function idOf(key: string): string {
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

export function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function repeated(names: readonly string[]): readonly string[] {
  return [...counted(names)].flatMap(([name, count]) => (count > 1 ? [name] : []));
}
