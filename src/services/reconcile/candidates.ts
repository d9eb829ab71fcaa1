/** What a source says ought to exist, job by job. */
import * as z from "zod/mini";
import { isOf } from "../../core/foreign.ts";
import { reasonOf } from "../../core/issues.ts";
import { isJsonObject } from "../../core/json.ts";
import { ADDRESS_CHARS_MAX } from "../../core/mailbox.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { Converge } from "../../machines/emails/commands.ts";
import { address } from "../../machines/emails/fields.ts";
import { emailInputs } from "../../machines/emails/inputs.ts";
import { jobIdOf, validLogicalKey } from "../../machines/emails/record.ts";
import { firstImportKey } from "../../machines/emails/transitions.ts";
import type { EnqueueItem } from "../email-batches.ts";
import { type EmailOutcome, emailJobKey } from "../email-commands.ts";
import { InvalidInputError } from "../errors.ts";
import { mapLimited } from "../map-limited.ts";
import { isPassing } from "../passing.ts";
import type { PassContext } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { codeOf } from "./report.ts";

/** Records of one page looked for together. */
const READ_AT_ONCE = 50;

/** Jobs of one page enqueued together; as many as of a batch. */
const ENQUEUED_AT_ONCE = 16;

const discoveredEmail = z.strictObject({
  logicalKey: z.string(),
  payload: z.unknown(),
  initialState: z.optional(emailInputs.initialState),
  notBefore: z.optional(emailInputs.notBefore),
});

const discoveredFirstImport = z.strictObject({
  firstImport: z.strictObject({
    recipient: z.string(),
    recordingId: emailInputs.recordingId,
    requestedBy: emailInputs.requestedBy,
  }),
});

const recipientInput = address.check(z.maxLength(ADDRESS_CHARS_MAX));

export type Candidate =
  | { readonly kind: "email"; readonly item: EnqueueItem }
  | { readonly kind: "first-import"; readonly key: string; readonly command: Converge }
  /** Its recipient is no address, or one that is never mailed (EMAIL-71). */
  | { readonly kind: "skipped" }
  /** `reason` says where, without any value. */
  | { readonly kind: "invalid"; readonly reason: string };

/** Recipients are trimmed and lower-cased first. Throws what `suppress` throws. */
export function candidateOf(job: unknown, suppress: (address: string) => boolean): Candidate {
  const found = discoveredOf(job);
  if (!found.ok) return { kind: "invalid", reason: found.reason };
  if ("firstImport" in found.job) {
    const { recipient: given, ...rest } = found.job.firstImport;
    const recipient = mailable(given, suppress);
    if (recipient === null) return { kind: "skipped" };
    const command = { kind: "converge", recipient, ...rest } as const;
    return { kind: "first-import", key: firstImportKey(recipient), command };
  }
  const { logicalKey, payload, initialState, notBefore } = found.job;
  if (!isJsonObject(payload) || typeof payload["recipient"] !== "string") {
    return { kind: "invalid", reason: "payload.recipient: invalid_type" };
  }
  const recipient = mailable(payload["recipient"], suppress);
  if (recipient === null) return { kind: "skipped" };
  const item = {
    logicalKey,
    payload: { ...payload, recipient },
    ...(initialState === undefined ? {} : { initialState }),
    ...(notBefore === undefined ? {} : { notBefore }),
  };
  return { kind: "email", item };
}

type Discovered =
  | {
      readonly ok: true;
      readonly job: z.infer<typeof discoveredEmail | typeof discoveredFirstImport>;
    }
  | { readonly ok: false; readonly reason: string };

function discoveredOf(job: unknown): Discovered {
  try {
    const isFirstImport = typeof job === "object" && job !== null && "firstImport" in job;
    const parsed = safeParse(isFirstImport ? discoveredFirstImport : discoveredEmail, job);
    if (parsed.success) return { ok: true, job: parsed.data };
    return { ok: false, reason: reasonOf(parsed.error, "it") };
  } catch {
    return { ok: false, reason: "its fields cannot be read" };
  }
}

function mailable(given: string, suppress: (address: string) => boolean): string | null {
  const recipient = given.trim().toLowerCase();
  return safeParse(recipientInput, recipient).success && !suppress(recipient) ? recipient : null;
}

/** A candidate that there is something to do about. */
type Wanted = Candidate & { kind: "email" | "first-import" };

/**
 * Enqueues the jobs of one page. False: some of them may be had later, since time was up or a fault
 * passes. One that is wrong in itself is reported and never in the way of its page.
 *
 * Scans meet old rows for ever, so what is known is found out first, by reads, which cost less than
 * refused writes. A page that is not finished is shorter the next time.
 */
export async function enqueueDiscovered(
  context: PassContext,
  source: string,
  jobs: readonly unknown[],
  until: Deadline,
): Promise<boolean> {
  const { report, suppress, deps } = context;
  const id = `source:${source}`;
  const each = async <T>(
    items: readonly (readonly [number, T])[],
    atOnce: number,
    work: (item: T, n: number) => Promise<void>,
  ): Promise<boolean> => {
    const done = await mapLimited(items, atOnce, async ([n, item]) => {
      if (until.isOver()) return false;
      try {
        await work(item, n);
        return true;
      } catch (error) {
        if (isOf(error, InvalidInputError)) {
          // Not the messages: those of an application's own kinds may quote a value.
          const paths = error.errors.map(({ path }) => path).join(", ");
          report.fail(id, "source_invalid_job", `jobs[${n}]: ${paths}`);
        } else report.fail(id, codeOf(error), error);
        return !isPassing(error);
      }
    });
    return !done.includes(false);
  };
  const missing: (readonly [number, Wanted])[] = [];
  let known = 0;
  const areRead = await each([...jobs.entries()], READ_AT_ONCE, async (job, n) => {
    const candidate = candidateOf(job, suppress);
    if (candidate.kind === "skipped") report.count("skipped");
    else if (candidate.kind === "invalid") {
      report.fail(id, "source_invalid_job", `jobs[${n}]: ${candidate.reason}`);
    } else if (await isKnown(context, candidate)) known += 1;
    else missing.push([n, candidate]);
  });
  if (known > 0) deps.observe("email.duplicate", known);
  const areMade = await each(missing, ENQUEUED_AT_ONCE, async (candidate) => {
    if (isNew(await enqueued(context, candidate))) report.count("enqueued");
  });
  return areRead && areMade;
}

/** Whether nothing is to be done, since its key was used before. */
async function isKnown({ deps }: PassContext, candidate: Wanted): Promise<boolean> {
  // One that there is may have to be turned to another recording.
  if (candidate.kind === "first-import") return false;
  const key = validLogicalKey(candidate.item.logicalKey);
  return key.ok && (await deps.store.get(emailJobKey(jobIdOf(key.key)))) !== null;
}

async function enqueued({ service, deps }: PassContext, candidate: Wanted): Promise<EmailOutcome> {
  if (candidate.kind === "email") return service.enqueue(candidate.item);
  const { key, command } = candidate;
  const stored = await deps.store.get(emailJobKey(jobIdOf(key)));
  return stored === null
    ? service.commands.run(key, command)
    : service.commands.runOn(stored, command);
}

/** A key that is never used again is no news: scans meet old rows for ever. */
function isNew(outcome: EmailOutcome): boolean {
  return outcome.kind === "applied";
}
