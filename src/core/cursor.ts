/** Cursors as callers see them: a storage's own place, sealed so that anything else is told apart. */
import { sha256Hex } from "./hash.ts";

/** Enough to tell a mistake from a cursor of ours; a forged one leads to nothing but a wrong page. */
const SEAL_CHARS = 12;

/** `scope` names the listing, so that a cursor of another one is refused. */
export function sealCursor(scope: string, place: string): string {
  return sealOf(scope, place) + place;
}

/** The place in `text`, or null when it is no cursor of this listing. */
export function openCursor(scope: string, text: string): string | null {
  const place = text.slice(SEAL_CHARS);
  return text.slice(0, SEAL_CHARS) === sealOf(scope, place) && place !== "" ? place : null;
}

function sealOf(scope: string, place: string): string {
  return sha256Hex(`${scope}\n${place}`).slice(0, SEAL_CHARS);
}
