/**
 * One record as it goes from one storage to another. Its header goes with it, so both storages know the
 * same writes by the same ids: a copy that is repeated finds its own, and what a record became since is
 * told from another record. Only the marker is the target's own, and written before the record
 * (protocols 3.1).
 */
import { sha256Hex } from "../core/hash.ts";
import { WRITE_ID_BYTES, type WriteId, writeId } from "../core/ids.ts";
import type { Key } from "../core/key.ts";
import type { Due } from "../core/machine.ts";
import type { EpochMs } from "../core/time.ts";
import type { BackendRecord } from "../ports/backend.ts";
import { ContendedError, RecordCorruptError } from "../ports/faults.ts";
import { markerName, putMarker } from "./due-markers.ts";
import { encodeRecord, type Header, nextHeader, type RecordBody } from "./header.ts";
import { type ForeignDue, readRecord, type Stored } from "./record.ts";
import { removeQuietly } from "./removing.ts";
import { isOutOfTheWay, type SendDeps, sendUntilSettled } from "./sending.ts";

/** A record of the source, with the key that it has at the target. */
export interface CarriedRecord extends RecordBody {
  readonly key: Key;
  readonly header: Header & { readonly w: WriteId };
}

/** A part of a log, which never changes: it is carried as the text that it is. */
export interface CarriedPart {
  readonly key: Key;
  readonly text: string;
}

/** `copied`: it was not there before. `present`: the target has it, or what it became there. */
export type CopyVerdict =
  | { readonly kind: "copied" }
  | { readonly kind: "present" }
  | { readonly kind: "conflict"; readonly reason: string };

export interface CopyDeps extends SendDeps {
  /** When a record without header, such as may stand at the target, is due. */
  readonly foreignDue: ForeignDue;
  /** Looks, and writes nothing. */
  readonly isDryRun: boolean;
}

const COPIED: CopyVerdict = { kind: "copied" };
const PRESENT: CopyVerdict = { kind: "present" };

/** A file of an original gets its first header here, with an id made of the file: always the same. */
export function carried(stored: Stored, key: Key): CarriedRecord {
  const { fields, extra, header, due } = stored;
  const w = header.w ?? firstWriteOf(key, stored);
  const own = header.w === null ? nextHeader(null, { w, marker: null, due }) : header;
  return { key, fields, extra, header: { ...own, w, marker: null } };
}

function firstWriteOf(key: Key, { fields }: Stored): WriteId {
  return writeIdOf(`${key}\n${JSON.stringify(fields)}`);
}

/** Of what is made of `text` and of nothing else: always the same. */
export function writeIdOf(text: string): WriteId {
  const digest = sha256Hex(text);
  const bytes = Array.from({ length: WRITE_ID_BYTES }, (_, at) => digest.slice(2 * at, 2 * at + 2));
  return writeId(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
}

/**
 * Creates the record at the target if nothing stands there; what does is left as it is. Throws what
 * `sendUntilSettled` and `get` throw, but nothing of an unreadable record: it is a conflict.
 */
export async function copyRecord(
  deps: CopyDeps,
  record: CarriedRecord,
  deadlineAt: EpochMs,
): Promise<CopyVerdict> {
  const { key } = record;
  try {
    const found = await deps.backend.get(key);
    const base = found === null ? null : readRecord(key, found, deps.foreignDue);
    if (base !== null && !base.header.isVoid) return standing(record, base);
    return deps.isDryRun ? COPIED : await create(deps, record, { base, deadlineAt });
  } catch (fault) {
    if (!(fault instanceof RecordCorruptError)) throw fault;
    return { kind: "conflict", reason: `what stands there cannot be read: ${fault.reason}` };
  }
}

/** The same for a part. */
export async function copyPart(
  deps: CopyDeps,
  { key, text }: CarriedPart,
  deadlineAt: EpochMs,
): Promise<CopyVerdict> {
  const standingPart = (body: string, same: CopyVerdict): CopyVerdict =>
    body === text ? same : { kind: "conflict", reason: "another part of the log stands there" };
  const found = await deps.backend.get(key);
  if (found !== null) return standingPart(found.body, PRESENT);
  if (deps.isDryRun) return COPIED;
  return sendUntilSettled<CopyVerdict>(deps, {
    key,
    text,
    condition: { expected: "absent", due: null, dueBefore: null },
    deadlineAt,
    onStored: () => COPIED,
    judge: (current) => (current === null ? "not_landed" : standingPart(current.body, COPIED)),
  });
}

interface Landed {
  readonly verdict: CopyVerdict;
  /** The marker that the record which stands there names. */
  readonly marker: string | null;
}

/** `base`: null, or a void record. */
async function create(
  deps: CopyDeps,
  record: CarriedRecord,
  over: { readonly base: Stored | null; readonly deadlineAt: EpochMs },
): Promise<CopyVerdict> {
  const { backend } = deps;
  const { key, header } = record;
  const { base, deadlineAt } = over;
  const marker = await newMarker(deps, record, over);
  const drop = async (): Promise<void> => {
    if (marker !== null) await removeQuietly(backend, marker);
  };
  try {
    const landed = await sendUntilSettled<Landed>(deps, {
      key,
      text: encodeRecord(record, { ...header, marker }, backend.format),
      condition: {
        expected: base === null ? "absent" : base.version,
        due: header.due,
        dueBefore: null,
      },
      deadlineAt,
      onStored: () => ({ verdict: COPIED, marker }),
      judge: (current) => landing(deps, record, { base, current }),
    });
    if (landed.marker !== marker) await drop();
    return landed.verdict;
  } catch (fault) {
    if (isOutOfTheWay(fault)) await drop();
    throw fault;
  }
}

/** Its name is not made of the record's own write, since an earlier try may still land with its own. */
async function newMarker(
  deps: CopyDeps,
  { key, header }: CarriedRecord,
  { base, deadlineAt }: { readonly base: Stored | null; readonly deadlineAt: EpochMs },
): Promise<Key | null> {
  const { backend, random } = deps;
  if (backend.due !== null || header.due === null) return null;
  const name = markerName(key, header.due, base, writeId(random.bytes(WRITE_ID_BYTES)));
  await putMarker(deps, name, deadlineAt);
  return name;
}

function landing(
  { foreignDue }: CopyDeps,
  record: CarriedRecord,
  by: { readonly base: Stored | null; readonly current: BackendRecord | null },
): Landed | "not_landed" {
  const { base, current } = by;
  if (current === null || current.version === base?.version) return "not_landed";
  const found = readRecord(record.key, current, foreignDue);
  if (found.header.isVoid) throw new ContendedError("the sweep took the marker for left over");
  const verdict = standing(record, found);
  // Nothing stood there before, so it came by this write or by its twin.
  return {
    verdict: verdict.kind === "present" ? COPIED : verdict,
    marker: found.header.marker,
  };
}

/** What there is to say of `record` where `found` stands. */
function standing(record: CarriedRecord, found: Stored): CopyVerdict {
  if (contentOf(record, record.header.due) === contentOf(found, found.due)) return PRESENT;
  if (isOlder(record.header, found.header)) return PRESENT;
  const reason = isOlder(found.header, record.header)
    ? "it was changed at the source since it was copied"
    : "another record stands there";
  return { kind: "conflict", reason };
}

/** Without what only tells how it came about: a sweep, for one, writes the same content anew. */
function contentOf({ fields, extra }: RecordBody, due: Due | null): string {
  return JSON.stringify([fields, extra, due]);
}

/** Whether `newer` came of `older` by further writes, as far as it remembers. */
function isOlder(older: Header, newer: Header): boolean {
  const writes = newer.v - older.v;
  return writes > 0 && older.w !== null && newer.recent.at(-1 - writes) === older.w;
}
