/** Cursors as callers see them: a storage's own place, sealed so that anything else is told apart. */
import { sha256Hex } from "./hash.ts";
import { base64Url, bytesOfBase64Url } from "./ids.ts";

/** Enough to tell a mistake from a cursor of ours; a forged one leads to nothing but a wrong page. */
const SEAL_CHARS = 12;

/**
 * `scope` names the listing, so that a cursor of another one is refused. The place holds names of ours,
 * so it is put in letters that nobody takes for something to build on.
 */
export function sealCursor(scope: string, place: string): string {
  return base64Url(new TextEncoder().encode(sealOf(scope, place) + place));
}

/** The place in `text`, or null when it is no cursor of this listing. */
export function openCursor(scope: string, text: string): string | null {
  const bytes = bytesOfBase64Url(text);
  if (bytes === null) return null;
  const place = new TextDecoder().decode(bytes).slice(SEAL_CHARS);
  // Made anew and compared: there is one text for each place.
  return place !== "" && sealCursor(scope, place) === text ? place : null;
}

function sealOf(scope: string, place: string): string {
  return sha256Hex(`${scope}\n${place}`).slice(0, SEAL_CHARS);
}
