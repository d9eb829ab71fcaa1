/** What waits for a person, of all machines: why, and what to do about it. */
import * as z from "zod/mini";
import { unreachable } from "../core/assert.ts";
import { openCursor, sealCursor } from "../core/cursor.ts";
import { lastSegment, machineOf } from "../core/key.ts";
import { safeParse } from "../core/safe-parse.ts";
import { epochMs, isoTime } from "../core/time.ts";
import { stuckEmail } from "../machines/emails/stuck.ts";
import { stuckQuery } from "../machines/queries/stuck.ts";
import { stuckReceipt } from "../machines/receipts/stuck.ts";
import type { Cursor, DueEntry } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { READS_AT_ONCE } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import { EMAIL_MACHINE, type EmailDeps, emailCodec } from "./email-commands.ts";
import { InvalidCursorError } from "./errors.ts";
import { mapLimited } from "./map-limited.ts";
import { QUERY_MACHINE, rootCodec } from "./query-records.ts";
import { RECEIPT_MACHINE } from "./receipt-commands.ts";
import { RECEIPT_NOTES } from "./receipt-notes.ts";
import type { ReceiptService } from "./receipts.ts";

export interface StuckItem {
  readonly machine: "emails" | "receipts" | "queries";
  /** Names the record in every route and command of its machine. */
  readonly id: string;
  readonly state: string;
  /** ISO 8601. */
  readonly since: string;
  readonly why: string;
  readonly action: string;
}

export interface StuckPage {
  readonly items: readonly StuckItem[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

export interface StuckParts {
  readonly deps: EmailDeps;
  readonly receipts: ReceiptService;
}

const MACHINES = [EMAIL_MACHINE, RECEIPT_MACHINE, QUERY_MACHINE] as const;

/** Records that one page of what is stuck looks at: each is a read. */
const EXAMINED_MAX = 200;

/** What waits for a person first, then what has waited for time too long. */
const WALKS = ["stuck", "attend"] as const;

interface Place {
  /** Of WALKS. */
  readonly walk: number;
  readonly cursor: Cursor | null;
}

const storedPlace = z.strictObject({
  walk: z.int().check(z.minimum(0), z.maximum(WALKS.length - 1)),
  cursor: z.nullable(z.string()),
});

/** At most `limit` items from the cursor `from` on. Throws InvalidCursorError. */
export async function stuckPage(
  parts: StuckParts,
  limit: number,
  from: string | null,
): Promise<StuckPage> {
  const { deps } = parts;
  const scope = `${deps.tenant ?? ""}/stuck`;
  const items: StuckItem[] = [];
  let place: Place | null = from === null ? { walk: 0, cursor: null } : opened(scope, from);
  for (let examined = 0; place !== null && items.length < limit && examined < EXAMINED_MAX; ) {
    const { walk, cursor }: Place = place;
    const queue = WALKS[walk] ?? WALKS[0];
    // Never more than are still wanted, so that nothing looked at is left out of every page.
    const wanted = Math.min(limit - items.length, EXAMINED_MAX - examined);
    const until = deps.clock.now();
    const page = await deps.store.due(queue, { until, cursor, limit: wanted });
    const found = await mapLimited(page.entries, READS_AT_ONCE, (entry) => stuckItem(parts, entry));
    items.push(...found.filter((item) => item !== null));
    examined += wanted;
    place = following(walk, page.cursor);
  }
  return { items, nextCursor: place === null ? null : sealCursor(scope, JSON.stringify(place)) };
}

function following(walk: number, cursor: Cursor | null): Place | null {
  if (cursor !== null) return { walk, cursor };
  return walk + 1 < WALKS.length ? { walk: walk + 1, cursor: null } : null;
}

function opened(scope: string, text: string): Place {
  const place = openCursor(scope, text);
  const parsed = safeParse(storedPlace, place === null ? null : jsonOf(place));
  if (parsed.success) return { ...parsed.data, cursor: parsed.data.cursor as Cursor | null };
  throw new InvalidCursorError("the cursor is not one that this listing gave");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Behind `why` stands the reason. */
export const UNREADABLE_TEXT = {
  why: "its record cannot be read",
  action: "if a newer release wrote it, run that one; else restore it from a copy, or move it away",
} as const;

export const CONTRADICTED_TEXT = {
  why: "its caller reported an outcome that contradicts the resolution, which stands",
  action: "read its notes and put right what followed from the resolution; nothing else to do",
} as const;

async function stuckItem(parts: StuckParts, entry: DueEntry): Promise<StuckItem | null> {
  const { deps } = parts;
  const machine = MACHINES.find((one) => one === machineOf(entry.key));
  // Lapsed dispatches and receipts past their retention are no person's matter.
  if (machine === undefined || (machine === "receipts" && entry.queue === "attend")) return null;
  try {
    const stored = await deps.store.confirmDue(entry);
    if (stored === null) return null;
    switch (machine) {
      case "emails":
        return emailItem(deps, stored);
      case "receipts":
        return receiptItem(parts, stored);
      case "queries":
        return queryItem(deps, stored);
      default:
        return unreachable(machine);
    }
  } catch (fault) {
    if (!(fault instanceof RecordCorruptError)) throw fault;
    deps.observe("store.record_corrupt", 1);
    const id = lastSegment(entry.key);
    return {
      machine,
      id: machine === "emails" ? `sha256:${id}` : id,
      state: "unreadable",
      since: isoTime(entry.at),
      why: `${UNREADABLE_TEXT.why}: ${fault.reason}`,
      action: UNREADABLE_TEXT.action,
    };
  }
}

function emailItem(deps: EmailDeps, stored: Stored): StuckItem | null {
  const state = emailCodec(deps.kinds).load(stored);
  const stuck = stuckEmail(state, deps.clock.now(), deps.kinds);
  if (stuck === null) return null;
  const { since, why, action } = stuck;
  const id = `sha256:${lastSegment(stored.key)}`;
  return { machine: "emails", id, state: state.job.state, since: isoTime(since), why, action };
}

function queryItem({ clock }: EmailDeps, stored: Stored): StuckItem | null {
  const root = rootCodec.load(stored);
  const stuck = stuckQuery(root, clock.now());
  if (root.kind !== "live" || stuck === null) return null;
  const { since, why, action } = stuck;
  const { jobId: id, hint } = root;
  return { machine: "queries", id, state: hint.status, since: isoTime(since), why, action };
}

function receiptItem({ receipts }: StuckParts, stored: Stored): StuckItem | null {
  const id = lastSegment(stored.key);
  if (stored.key.startsWith(RECEIPT_NOTES)) {
    return {
      machine: "receipts",
      id,
      state: "outcome-unknown",
      since: isoTime(stored.due?.at ?? epochMs(0)),
      ...CONTRADICTED_TEXT,
    };
  }
  const stuck = stuckReceipt(receipts.commands.stateOf(stored));
  if (stuck === null) return null;
  const { since, why, action } = stuck;
  return { machine: "receipts", id, state: "outcome-unknown", since: isoTime(since), why, action };
}
