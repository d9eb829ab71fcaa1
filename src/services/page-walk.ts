/** How much of a listing makes one page: bounded in what it shows, in what is read for it, and in bytes. */
import { PAGE_BYTES_MAX, PAGE_MAX } from "../store/limits.ts";

export interface PageWalk {
  /** Records to read next: never more than are still wanted, so that none is left out of this page and the next. */
  wanted(found: number): number;
  /** So many were asked for, and `items` made of them, whether they are shown or passed over. */
  read(wanted: number, items: readonly unknown[]): void;
  /** Whether a page of `found` items has room for more. */
  hasRoom(found: number): boolean;
  /** Records asked for so far. */
  examined(): number;
}

/** Records of a walk's first step: enough to tell whether they are large. */
const FIRST_STEP = 16;

/** Ends at `limit` items, after PAGE_MAX records, or when PAGE_BYTES_MAX is reached, whichever comes first. */
export function pageWalk(limit: number): PageWalk {
  let [examined, bytes, step] = [0, 0, FIRST_STEP];
  return {
    wanted: (found) => Math.min(limit - found, PAGE_MAX - examined, step),
    read(wanted, items) {
      examined += wanted;
      bytes += sizeOf(items);
      step = stepAfter(bytes, examined);
    },
    hasRoom: (found) => found < limit && examined < PAGE_MAX && bytes < PAGE_BYTES_MAX,
    examined: () => examined,
  };
}

/** As many records of this size as still fit the page, and as their reading at once costs little. */
function stepAfter(bytes: number, examined: number): number {
  const each = Math.max(bytes / examined, 1);
  const cheap = Math.max(FIRST_STEP, Math.floor(PAGE_BYTES_MAX / 4 / each));
  const fitting = Math.ceil((PAGE_BYTES_MAX - bytes) / each);
  return Math.max(1, Math.min(cheap, fitting, PAGE_MAX));
}

function sizeOf(items: readonly unknown[]): number {
  return items.reduce<number>((bytes, item) => bytes + JSON.stringify(item).length, 0);
}
