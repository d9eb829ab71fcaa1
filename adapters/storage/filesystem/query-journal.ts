/** The daily files of an original query store, read and never written. */
import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { JournalLine, JournalPlace, QueryJournal } from "../../../src/ports/query-journal.ts";
import { misconfigured } from "./trouble.ts";

export interface QueryJournalOptions {
  /** The folder with the files `YYYY-MM-DD.jsonl`. */
  readonly directory: string;
}

const PARTITION = /^\d{4}-\d\d-\d\d\.jsonl$/;

/** Bytes of the longest line that is looked at: twice the longest that an original writes. */
const LINE_BYTES_MAX = 1_024 * 1_024;

const BLOCK_BYTES = 256 * 1_024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

export function queryJournal({ directory }: QueryJournalOptions): QueryJournal {
  async function files(): Promise<readonly string[]> {
    const names = await guarded(directory, () => readdir(directory));
    const found = names.filter((name) => PARTITION.test(name)).sort();
    if (found.length > 0) return found;
    throw new MisconfiguredError(
      `${directory} has no journals, which are files named YYYY-MM-DD.jsonl: name the folder that has`,
    );
  }

  return {
    check: async () => void (await files()),
    async *lines() {
      for (const file of await files()) yield* linesOf(directory, file);
    },
    async *read(places) {
      for (const run of runsOf(places)) {
        const path = join(directory, run.file);
        const handle = await guarded(path, () => open(path, "r"));
        try {
          for (const place of run.places) yield await textAt(handle, path, place);
        } finally {
          await handle.close();
        }
      }
    },
  };
}

interface Run {
  readonly file: string;
  readonly places: JournalPlace[];
}

/** Places of one file that follow one another. */
function runsOf(places: readonly JournalPlace[]): readonly Run[] {
  const runs: Run[] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last?.file === place.file) last.places.push(place);
    else runs.push({ file: place.file, places: [place] });
  }
  return runs;
}

async function textAt(
  handle: FileHandle,
  path: string,
  { offset, length }: JournalPlace,
): Promise<string> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await guarded(path, () => handle.read(buffer, 0, length, offset));
  if (bytesRead === length) return buffer.toString("utf8");
  throw new MisconfiguredError(`${path} became shorter while it was read: stop who writes it`);
}

async function* linesOf(directory: string, file: string): AsyncGenerator<JournalLine, void, void> {
  const path = join(directory, file);
  const splitter = createSplitter(file);
  try {
    const blocks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: BLOCK_BYTES });
    for await (const block of blocks) yield* splitter.take(block);
  } catch (error) {
    throw misconfigured(path, error);
  }
  // Whatever was cut off before its end is a line, too.
  yield* splitter.end();
}

function createSplitter(file: string) {
  /** Of the line that is not at its end yet, as far as it is looked at. */
  let pieces: Buffer[] = [];
  let bytes = 0;
  let start = 0;
  let line = 1;

  function keep(piece: Buffer): void {
    bytes += piece.length;
    if (bytes <= LINE_BYTES_MAX) pieces.push(piece);
  }

  function* end(): Generator<JournalLine, void, void> {
    const found = lineOf(pieces, { file, line, offset: start, length: bytes });
    start += bytes + 1;
    line += 1;
    pieces = [];
    bytes = 0;
    if (found !== null) yield found;
  }

  return {
    *take(block: Buffer): Generator<JournalLine, void, void> {
      let from = 0;
      for (;;) {
        const at = block.indexOf(NEWLINE, from);
        if (at < 0) break;
        keep(block.subarray(from, at));
        yield* end();
        from = at + 1;
      }
      keep(block.subarray(from));
    },
    end,
  };
}

/** Null: it is blank. */
function lineOf(pieces: readonly Buffer[], place: JournalPlace): JournalLine | null {
  if (place.length > LINE_BYTES_MAX) return { place, text: null };
  const bytes = Buffer.concat(pieces);
  const isReturned = bytes.at(-1) === RETURN;
  const length = isReturned ? bytes.length - 1 : bytes.length;
  const text = bytes.toString("utf8", 0, length);
  return text.trim() === "" ? null : { place: { ...place, length }, text };
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw misconfigured(path, error);
  }
}
