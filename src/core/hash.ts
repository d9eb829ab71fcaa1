/** SHA-256 without a runtime's crypto module, so that machines stay synchronous and portable. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Lower-case hex SHA-256 of the UTF-8 bytes of `text`. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** HMAC-SHA-256 (RFC 2104) of the UTF-8 bytes of both. */
export function hmacSha256(key: string, text: string): Uint8Array {
  return hmac(sha256, utf8ToBytes(key), utf8ToBytes(text));
}
