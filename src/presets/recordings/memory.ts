/** A repository in memory: for tests and examples, and the contract in its shortest form. */
import { parseIsoTime } from "../../core/time.ts";
import type { SourceCursor } from "../../ports/source.ts";
import type { EmailRepository, Import, PageRequest, Recording, Share, View } from "./repository.ts";

export type MemoryView = Omit<View, "owner">;

export interface MemoryImport {
  readonly recordingId: string;
  readonly createdAt: string;
}

export interface MemoryData {
  readonly recordings: readonly Recording[];
  readonly shares: readonly Share[];
  /** Those of a recording's own owner are passed over. */
  readonly views: readonly MemoryView[];
  /** Those whose recording is not ready are passed over. */
  readonly imports: readonly MemoryImport[];
  readonly profiles: readonly { readonly address: string; readonly name: string }[];
}

const NOTHING: MemoryData = { recordings: [], shares: [], views: [], imports: [], profiles: [] };

/**
 * Looks into `data` anew for every read, so what is put there later is found. All of it is the default
 * tenant's; others have nothing. Every read costs as much as there is.
 */
export function memoryRepository(data: MemoryData): EmailRepository {
  const of = ({ tenant }: { tenant: string | null }) => tables(tenant === null ? data : NOTHING);
  return {
    async shares(request) {
      const { until } = request;
      const shares = of(request).shares();
      return page(until === null ? shares : shares.filter((one) => !isLater(one, until)), request);
    },
    views: async (request) => page(firstOfEach(of(request).views(), recordingOf), request),
    async imports(request) {
      const imports = of(request).imports().filter(atOrAfter(request.since));
      return page(firstOfEach(imports, ownerOf), request);
    },
    async firstShares({ recipient, since, limit }, context) {
      const shares = of(context).shares().filter(atOrAfter(since));
      const theirs = shares.filter((share) => isSame(share.recipient, recipient));
      return firstOfEach(theirs, recordingOf).slice(0, limit);
    },
    share: async (id, context) =>
      of(context)
        .shares()
        .find((share) => share.id === id) ?? null,
    async shareWith({ recordingId, recipient, since }, context) {
      const shares = of(context).shares();
      const counted = since === null ? shares : shares.filter(atOrAfter(since));
      const isIt = (share: Share): boolean =>
        share.recordingId === recordingId && isSame(share.recipient, recipient);
      return counted.find(isIt) ?? null;
    },
    recording: async (id, context) => of(context).recording(id),
    ownsRecording: async (address, context) =>
      of(context).data.recordings.some(({ owner }) => isSame(owner, address)),
    hasViewed: async ({ recordingId, viewer }, context) =>
      of(context)
        .views()
        .some((view) => view.recordingId === recordingId && isSame(view.viewer ?? "", viewer)),
    firstView: async (recordingId, context) =>
      of(context)
        .views()
        .find((view) => view.recordingId === recordingId) ?? null,
    async firstImport({ owner, since }, context) {
      const imports = of(context).imports().filter(atOrAfter(since));
      return imports.find((one) => isSame(one.owner, owner)) ?? null;
    },
    displayName: async (address, context) =>
      of(context).data.profiles.find((profile) => isSame(profile.address, address))?.name ?? null,
  };
}

/** Rows with what belongs to them, each kind in order. */
function tables(data: MemoryData) {
  const recording = (id: string): Recording | null =>
    data.recordings.find((one) => one.id === id) ?? null;
  return {
    data,
    recording,
    shares: (): Share[] => data.shares.toSorted(byPlace),
    views: (): View[] =>
      data.views
        .flatMap((view) => {
          const owner = recording(view.recordingId)?.owner;
          const isOwners = owner === undefined || isSame(view.viewer ?? "", owner);
          return isOwners ? [] : [{ ...view, owner }];
        })
        .sort(byPlace),
    imports: (): Import[] =>
      data.imports
        .flatMap(({ recordingId, createdAt }) => {
          const { owner, isReady = false } = recording(recordingId) ?? {};
          return owner === undefined || !isReady ? [] : [{ id: recordingId, createdAt, owner }];
        })
        .sort(byPlace),
  };
}

function page<Row extends SourceCursor>(rows: readonly Row[], request: PageRequest): Row[] {
  const { since, after, limit } = request;
  const counted = rows.filter(atOrAfter(since));
  const behind = after === null ? counted : counted.filter((row) => byPlace(after, row) < 0);
  return behind.slice(0, limit);
}

/** `rows` are in order. */
function firstOfEach<Row>(rows: readonly Row[], groupOf: (row: Row) => string): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const isFirst = !seen.has(groupOf(row));
    seen.add(groupOf(row));
    return isFirst;
  });
}

function recordingOf({ recordingId }: { readonly recordingId: string }): string {
  return recordingId;
}

function ownerOf({ owner }: Import): string {
  return owner.trim().toLowerCase();
}

const atOrAfter =
  (since: string) =>
  ({ createdAt }: SourceCursor): boolean =>
    timeOf(createdAt) >= timeOf(since);

function isLater({ createdAt }: SourceCursor, until: string): boolean {
  return timeOf(createdAt) > timeOf(until);
}

function byPlace(one: SourceCursor, other: SourceCursor): number {
  const between = timeOf(one.createdAt) - timeOf(other.createdAt);
  if (between !== 0) return between;
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1;
}

/** What is no instant is before all others, and met by nobody. */
function timeOf(createdAt: string): number {
  return parseIsoTime(createdAt) ?? -1;
}

function isSame(address: string, asked: string): boolean {
  return address.trim().toLowerCase() === asked.trim().toLowerCase();
}
