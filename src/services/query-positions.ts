/** Positions, which callers give back with their next command: where a repeat of it can be (protocols 5.2). */
import { SEQUENCE_MAX } from "../store/log-keys.ts";
import { positionError } from "./query-errors.ts";
import type { PartPlace } from "./query-known.ts";

const POSITION = /^(\d{1,12})-(\d{1,12})$/;

export function positionText({ first, last }: PartPlace): string {
  return `${first}-${last}`;
}

/** Throws QueryJobValidationError for what no answer can have told. */
export function parsePosition(text: string): PartPlace {
  const [, first = "", last = ""] = POSITION.exec(text) ?? [];
  const place = { first: Number(first), last: Number(last) };
  const isOrdered = place.first >= 1 && place.last >= place.first && place.last <= SEQUENCE_MAX;
  if (!isOrdered || positionText(place) !== text) throw positionError();
  return place;
}

export function isSamePart(one: PartPlace, other: PartPlace): boolean {
  return one.first === other.first && one.last === other.last;
}
