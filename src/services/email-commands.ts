/**
 * Commands on email jobs, carried out on the store: what the library's methods and the HTTP routes are
 * both made of. Answers tell why something was refused; the library's methods make null of most of it.
 */
import { uuid } from "../core/ids.ts";
import { type JsonObject, utf8Length } from "../core/json.ts";
import { type Key, lastSegment, key as recordKey } from "../core/key.ts";
import type { Due } from "../core/machine.ts";
import { type DurationMs, isoTime } from "../core/time.ts";
import type { EmailRejection, LiveEmailCommand } from "../machines/emails/commands.ts";
import { decideEmail } from "../machines/emails/decide.ts";
import { dueOfEmail } from "../machines/emails/due.ts";
import type { EmailKinds } from "../machines/emails/kinds.ts";
import {
  type EmailState,
  type ErasedEmailJob,
  emailRecord,
  jobIdOf,
  type LiveEmail,
  parseEmailRecord,
  type StoredEmailJob,
  validLogicalKey,
} from "../machines/emails/record.ts";
import { liveEmail } from "../machines/emails/retention.ts";
import { EMAIL_EXTRAS } from "../machines/emails/stored.ts";
import { RecordCorruptError, RecordTooLargeError } from "../ports/faults.ts";
import type { Observation } from "../ports/observe.ts";
import { BODY_BYTES_MAX } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import { type Codec, knownExtra } from "./codec.ts";
import { InvalidInputError } from "./errors.ts";
import { deepFreeze, handles } from "./handles.ts";
import { type TransactDeps, type Transacted, transact } from "./transact.ts";

export interface EmailDeps extends TransactDeps {
  /** Whose records these are; null: the default tenant's. */
  readonly tenant: string | null;
  readonly kinds: EmailKinds;
  /** How long a job is kept after it was sent or cancelled; null: for ever. */
  readonly retentionMs: DurationMs | null;
}

export interface EmailAnswer {
  readonly kind: "applied" | "unchanged";
  /** Whether there was no record before. */
  readonly created: boolean;
  readonly email: LiveEmail;
  readonly job: StoredEmailJob;
}

/** What is left of an erased job. Frozen. As an `EmailRef` it is `sha256:` and its id. */
export type ErasedJob = ErasedEmailJob & { readonly id: string };

export type EraseOutcome =
  | { readonly kind: "applied" | "unchanged"; readonly job: ErasedJob }
  | { readonly kind: "rejected"; readonly rejection: EmailRejection };

export type EmailOutcome =
  | EmailAnswer
  | { readonly kind: "rejected"; readonly rejection: EmailRejection };

export type EmailFound =
  | {
      readonly kind: "found";
      readonly job: StoredEmailJob;
      /** When it is looked at next without anybody asking, ISO 8601; null: never. */
      readonly dueAt: string | null;
    }
  | { readonly kind: "rejected"; readonly rejection: EmailRejection };

/** A job by its logical key, by `sha256:` and its id, or an answered job itself, which saves a read. */
export type EmailRef = string | { readonly logicalKey: string };

export interface EmailCommands {
  /** Runs a command on the job that `ref` names. Throws InvalidInputError for a key that is none. */
  run(ref: EmailRef, command: LiveEmailCommand): Promise<EmailOutcome>;
  /** The same on a record that was just read. */
  runOn(stored: Stored, command: LiveEmailCommand): Promise<EmailOutcome>;
  /** Replaces a job that is past its retention by a tombstone; whether it did. */
  retire(stored: Stored): Promise<boolean>;
  /** Removes everything personal from a job. Rejects `job_not_found`, and `in_use` while it is leased. */
  erase(ref: EmailRef): Promise<EraseOutcome>;
  /** The job as it is; rejects `job_not_found`, `job_expired`, `erased`. */
  read(ref: EmailRef): Promise<EmailFound>;
  /** The job of a record, remembered so that passing it back saves a read. Null: over or erased. */
  jobOf(stored: Stored): StoredEmailJob | null;
  stateOf(stored: Stored): EmailState;
  /** The job with more beside its fields (a claim token, say); as a reference it still saves a read. */
  alias<T extends object>(job: StoredEmailJob, beside: T): StoredEmailJob & T;
  idOf(job: StoredEmailJob): string;
  freshToken(): string;
}

export const EMAIL_MACHINE = "emails";
export const EMAIL_JOBS = "emails/jobs/";

export function emailJobKey(id: string): Key {
  return recordKey(EMAIL_JOBS + id);
}

/** Whether the job has a lease, as it has exactly while it is `sending`. */
export function isLeased(
  job: StoredEmailJob,
): job is StoredEmailJob & { readonly leaseToken: string; readonly leaseUntil: string } {
  return job.leaseToken !== null && job.leaseUntil !== null;
}

/** When a job that an original store wrote is due. Throws RecordCorruptError. */
export function foreignEmailDue(kinds: EmailKinds): (key: Key, fields: JsonObject) => Due | null {
  return (key, fields) => {
    if (!key.includes(EMAIL_JOBS)) return null;
    const parsed = parseEmailRecord(fields, {}, kinds);
    if (!parsed.ok) throw new RecordCorruptError(key, parsed.reason);
    return dueOfEmail(parsed.state, kinds);
  };
}

export function emailCommands(deps: EmailDeps): EmailCommands {
  const { kinds, store, clock, random, observe } = deps;
  const { answered, recordOf } = handles();
  const codec = emailCodec(kinds);

  function target(ref: EmailRef): { id: string; handle: Stored | null } {
    const handle = typeof ref !== "object" || ref === null ? null : recordOf(ref);
    // A job that an original store made may have a key that is not taken any more; it is still served.
    if (handle !== null) return { id: lastSegment(handle.key), handle };
    return { id: jobIdOf(checkedRef(typeof ref === "string" ? ref : ref?.logicalKey)), handle };
  }

  function count(
    command: LiveEmailCommand["kind"],
    result: Transacted<EmailState, EmailRejection>,
  ): void {
    const name = observationOf(command, result);
    if (name !== null) observe(name, 1);
  }

  async function decided(
    id: string,
    handle: Stored | "absent" | null,
    command: LiveEmailCommand,
  ): Promise<EmailOutcome> {
    const result = await transact<EmailState, EmailRejection>(deps, codec, {
      key: emailJobKey(id),
      handle,
      decide(state, now) {
        const decision = decideEmail(state, command, now, deps);
        if (decision.kind === "apply") checkRoom(command, decision.next);
        return decision;
      },
    });
    count(command.kind, result);
    if (result.kind === "rejected") return result;
    const { state, stored, kind, created } = result;
    if (state.kind !== "live") throw new TypeError("a live command answered a tombstone");
    // The repeated end of a lease is answered with what is stored now, which may be another's lease.
    const isEnd = command.kind === "settle" || command.kind === "giveBack";
    const isRepeat = isEnd && kind === "unchanged";
    const email = isRepeat ? withoutToken(state) : state;
    return { kind, created, email, job: answered(email.job, stored) };
  }

  return {
    run(ref, command) {
      const { id, handle } = target(ref);
      const isCreation = command.kind === "enqueue" || command.kind === "converge";
      return decided(id, isCreation ? "absent" : handle, command);
    },
    runOn: (stored, command) => decided(lastSegment(stored.key), stored, command),
    async retire(stored) {
      const result = await transact<EmailState, EmailRejection>(deps, codec, {
        key: emailJobKey(lastSegment(stored.key)),
        handle: stored,
        decide: (state, now) => decideEmail(state, { kind: "retire" }, now, deps),
      });
      return result.kind === "applied";
    },
    async erase(ref) {
      const { id, handle } = target(ref);
      const result = await transact<EmailState, EmailRejection>(deps, codec, {
        key: emailJobKey(id),
        handle,
        decide: (state, now) => decideEmail(state, { kind: "erase" }, now, deps),
      });
      if (result.kind === "rejected") return result;
      const { kind, state } = result;
      if (state.kind !== "erased") throw new TypeError("an erasure left a job its content");
      if (kind === "applied") observe("email.erased", 1);
      return { kind, job: Object.freeze({ id, ...state.job }) };
    },
    async read(ref) {
      const stored = await store.get(emailJobKey(target(ref).id));
      if (stored === null) return { kind: "rejected", rejection: { kind: "job_not_found" } };
      const state = codec.load(stored);
      const email = liveEmail(state, clock.now());
      if (email !== null) {
        return { kind: "found", job: answered(email.job, stored), dueAt: dueAtOf(stored) };
      }
      const { state: found, updatedAt } = state.job;
      const kind = state.kind === "erased" ? "erased" : "job_expired";
      return { kind: "rejected", rejection: { kind, state: found, updatedAt } };
    },
    jobOf(stored) {
      const email = liveEmail(codec.load(stored), clock.now());
      return email === null ? null : answered(email.job, stored);
    },
    stateOf: (stored) => codec.load(stored),
    alias(job, beside) {
      const record = recordOf(job);
      const both = { ...job, ...beside };
      return record === null ? deepFreeze(both) : answered(both, record);
    },
    idOf: (job) => jobIdOf(job.logicalKey),
    freshToken: () => uuid(random.bytes(16)),
  };
}

/** What is stuck waits for a person, since then and not until then. */
function dueAtOf({ due }: Stored): string | null {
  return due === null || due.queue === "stuck" ? null : isoTime(due.at);
}

/** What a command's end counts as; null where nobody counts it. */
function observationOf(
  command: LiveEmailCommand["kind"],
  result: Transacted<EmailState, EmailRejection>,
): Observation | null {
  if (result.kind === "rejected") {
    // What is given back late may be another's: nothing is lost by that.
    const isLost = result.rejection.kind === "lease_lost" && command !== "giveBack";
    return isLost ? "email.lease_lost" : null;
  }
  if (command === "enqueue" || command === "converge") {
    return result.kind === "applied" && result.created ? "email.enqueued" : "email.duplicate";
  }
  if (result.kind === "unchanged") return null;
  if (command === "acquire") return "email.leased";
  // Exhausted ones are told by whoever leases many.
  if (command === "acquireDue") return result.state.job.state === "sending" ? "email.leased" : null;
  if (command === "giveBack") return "email.given_back";
  return command === "settle" ? "email.settled" : null;
}

export function emailCodec(kinds: EmailKinds): Codec<EmailState> {
  return {
    load(stored) {
      const parsed = parseEmailRecord(stored.fields, knownExtra(stored.extra, EMAIL_EXTRAS), kinds);
      if (!parsed.ok) throw new RecordCorruptError(stored.key, parsed.reason);
      const { state } = parsed;
      // EMAIL-13: a record that stands under another job's id is not this job. An erased one has no key.
      if (state.kind !== "erased" && jobIdOf(state.job.logicalKey) !== lastSegment(stored.key)) {
        throw new RecordCorruptError(stored.key, "its logicalKey belongs to another id");
      }
      return state;
    },
    save: emailRecord,
    due: (state) => dueOfEmail(state, kinds),
    extras: EMAIL_EXTRAS,
    isRemains: ({ kind }) => kind !== "live",
  };
}

/** What may come to a record without its sender: stamps, a lease, a last error of 4,000 characters. */
export const ROOM_BYTES = 32 * 1_024;

/**
 * A job that could be enqueued but never leased, settled or requeued for its size would stay for ever.
 * So what a sender brings must leave the room free, and whatever comes later may fill it.
 */
function checkRoom(command: LiveEmailCommand, next: LiveEmail): void {
  if (!bringsContent(command)) return;
  const job = { ...next.job, lastError: null };
  const most = BODY_BYTES_MAX - ROOM_BYTES;
  if (bytesAtMost(job) <= most) return;
  const bytes = utf8Length(JSON.stringify(job, null, 2));
  if (bytes > most) throw new RecordTooLargeError(`the job takes ${bytes} bytes, at most ${most}`);
}

function bringsContent(command: LiveEmailCommand): boolean {
  const { kind } = command;
  if (kind === "transition") return command.generatedSummary !== undefined;
  return kind === "enqueue" || kind === "converge" || kind === "completeClaim";
}

/** At least the bytes of `value` as indented JSON, without writing it: most jobs are far from full. */
function bytesAtMost(value: unknown, depth = 1): number {
  if (typeof value === "string") return 6 * value.length + 2;
  if (typeof value !== "object" || value === null) return 24;
  let bytes = 2 * depth + 2;
  for (const [name, child] of Object.entries(value)) {
    bytes += 2 * depth + 6 * name.length + 6 + bytesAtMost(child, depth + 1);
  }
  return bytes;
}

function withoutToken(email: LiveEmail): LiveEmail {
  return { ...email, job: { ...email.job, leaseToken: null } };
}

/** Not trimmed: only enqueue trims. An address by id is allowed here, and only here. */
function checkedRef(text: unknown): string {
  if (typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text)) return text;
  const key = validLogicalKey(text);
  if (!key.ok) throw new InvalidInputError([{ path: "logicalKey", message: key.message }]);
  return typeof text === "string" ? text : key.key;
}
