/** Names and credentials made from random bytes that the caller brings. */
import type { Brand } from "./brand.ts";

/** Names one logical write for ever: 96 random bits as 16 base64url characters. */
export type WriteId = Brand<string, "WriteId">;

export const WRITE_ID_BYTES = 12;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** `bytes` holds WRITE_ID_BYTES random bytes. */
export function writeId(bytes: Uint8Array): WriteId {
  return base64Url(bytes) as WriteId;
}

/** RFC 4648 section 5, without padding. */
export function base64Url(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const word =
      ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    // One byte makes two characters, two make three.
    const shifts = [18, 12, 6, 0].slice(0, bytes.length - index + 1);
    for (const shift of shifts) text += ALPHABET[(word >> shift) & 63];
  }
  return text;
}

/** The inverse; null for a text with other characters. Does not tell a text of a wrong length. */
export function bytesOfBase64Url(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let length = 0;
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return null;
    word = ((word << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = word >> bits;
    length += 1;
  }
  return bytes;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A UUID of version 4 from 16 random bytes: the form the originals give to lease tokens. */
export function uuid(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < 16; index += 1) {
    const byte = bytes[index] ?? 0;
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
    if (index === 6) text += HEX[(byte & 0x0f) | 0x40];
    else if (index === 8) text += HEX[(byte & 0x3f) | 0x80];
    else text += HEX[byte];
  }
  return text;
}
