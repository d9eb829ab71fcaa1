/** Names and credentials made from random bytes that the caller brings. */
import type { Brand } from "./brand.ts";

/** Names one logical write for ever: 96 random bits as 16 base64url characters. */
export type WriteId = Brand<string, "WriteId">;

export const WRITE_ID_BYTES = 12;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** `bytes` holds WRITE_ID_BYTES random bytes. */
export function writeId(bytes: Uint8Array): WriteId {
  let text = "";
  for (let index = 0; index + 2 < bytes.length; index += 3) {
    const word =
      ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    for (const shift of [18, 12, 6, 0]) text += ALPHABET[(word >> shift) & 63];
  }
  return text as WriteId;
}

/** A UUID of version 4 from 16 random bytes: the form the originals give to lease tokens. */
export function uuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes.subarray(0, 16), (byte, index) => {
    const value = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, "0");
  }).join("");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}
