/** Journals as an original writes them (semantics C1 to C4), for the tests of imports. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../src/core/hash.ts";
import { fingerprintOf } from "../../../src/machines/queries/fingerprint.ts";
import { parseQueryRequest } from "../../../src/machines/queries/request.ts";
import { REQUEST } from "./given.ts";

export type Row = Record<string, unknown>;

/** A UUID of version 4 that always is the same for a name. */
export function uuidOf(name: string): string {
  const hex = sha256Hex(name);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The rows of one job, one a second. */
export interface JournaledJob {
  readonly jobId: string;
  readonly clientJobId: string;
  readonly rows: Row[];
  add(type: string, status: string, patch?: object, eventData?: object): JournaledJob;
  starting(): JournaledJob;
  running(linkage?: object): JournaledJob;
  owned(linkage?: object): JournaledJob;
  chunk(delta: string, partialTruncated?: boolean): JournaledJob;
  activity(kind: string, text: string, truncated?: boolean): JournaledJob;
  ready(text: string, linkage?: object): JournaledJob;
  completed(text: string, patch?: object): JournaledJob;
  ended(status: "failed" | "canceled" | "interrupted", error: object, patch?: object): JournaledJob;
  acknowledged(): JournaledJob;
}

/** `name` is the job's and, in `fields`, anything of its request. */
export function journaled(name: string, at: number, fields: Row = {}): JournaledJob {
  const jobId = uuidOf(`job ${name}`);
  const raw = { ...REQUEST, clientJobId: uuidOf(`client ${name}`), ...fields };
  const parsed = parseQueryRequest(raw);
  if (!parsed.ok) throw new TypeError(parsed.problem.code);
  const { request } = parsed;
  const rows: Row[] = [];
  let status = "accepted";
  let text = "";

  function row(type: string, more: Row): void {
    const eventSeq = rows.length + 1;
    rows.push({
      schemaVersion: 1,
      recordId: uuidOf(`row ${name} ${eventSeq}`),
      partitionDay: "2026-07-11",
      persistedAt: new Date(at + rows.length * 1_000).toISOString(),
      bootId: uuidOf("boot"),
      jobId,
      clientJobId: request.clientJobId,
      generation: request.generation,
      turnId: uuidOf(`turn ${name}`),
      requestFingerprint: fingerprintOf(request),
      eventSeq,
      type,
      status,
      ...more,
    });
  }

  const now = (): string => new Date(at + rows.length * 1_000).toISOString();

  const job: JournaledJob = {
    jobId,
    clientJobId: request.clientJobId,
    rows,
    add(type, next, patch = {}, eventData = {}) {
      status = next;
      row(type, { patch, eventData });
      return job;
    },
    starting: () => job.add("starting", "starting"),
    running: (linkage = {}) =>
      job.add("running", "running", { ...linkage, startedAt: now() }, linkage),
    owned(linkage = {}) {
      const patch = { ...linkage, providerOwnershipConfirmedAt: now() };
      return job.add("running", status, patch, patch);
    },
    chunk(delta, partialTruncated = false) {
      text = (text + delta).slice(0, 128_000);
      const patch = { partialText: text, partialTruncated };
      return job.add("chunk", status, patch, { text: delta, ...patch, deltaTruncated: false });
    },
    activity(kind, said, truncated = false) {
      const type = kind === "status" ? "tool_status" : "activity_line";
      return job.add(type, status, {}, { kind, text: said, truncated });
    },
    ready(full, linkage = {}) {
      const patch = { partialText: full, partialTruncated: false };
      return job.add(
        "answer_ready",
        "answer_ready",
        { ...linkage, answerReadyAt: now(), ...patch },
        { ...linkage, ...patch },
      );
    },
    completed(full, patch = {}) {
      const shown = { response: full, responseTruncated: false, attachments: [], ...patch };
      return job.add(
        "completed",
        "completed",
        { completedAt: now(), partialText: full, partialTruncated: false, ...shown },
        shown,
      );
    },
    ended: (next, error, patch = {}) =>
      job.add(next, next, { error, completedAt: now(), ...patch }, { error, ...patch }),
    acknowledged: () => job.add("acknowledged", status, { acknowledgedAt: now() }),
  };
  row("accepted", {
    request,
    patch: {},
    eventData: { requestFingerprint: fingerprintOf(request) },
  });
  return job;
}

export const lineOf = (row: Row): string => `${JSON.stringify(row)}\n`;

/** Writes the files of a journal, by name. */
export function writeJournal(directory: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

/** All rows of `jobs`, one of each in turn, as a server writes them that runs several. */
export function interleaved(...jobs: readonly JournaledJob[]): string {
  const length = Math.max(...jobs.map(({ rows }) => rows.length));
  return Array.from({ length }, (_, at) =>
    jobs.map(({ rows }) => (rows[at] === undefined ? "" : lineOf(rows[at]))).join(""),
  ).join("");
}
