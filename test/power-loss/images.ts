/** Images of a folder as real files. */
import { createHash } from "node:crypto";
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Image } from "./disk-model.ts";

/** Two names of one file are two links, as they were. */
export function materialise(image: Image, directory: string): void {
  const made = new Map<number, string>();
  for (const [path, found] of image) {
    const target = join(directory, path);
    if (found === null) {
      mkdirSync(target, { mode: 0o700 });
      continue;
    }
    const first = made.get(found.inode);
    if (first !== undefined) linkSync(first, target);
    else writeFileSync(target, found.bytes, { mode: 0o600 });
    made.set(found.inode, first ?? target);
  }
}

const hashes = new WeakMap<Uint8Array, string>();

/** Hex SHA-256. The same bytes are met again and again. */
export function hashOf(bytes: Uint8Array): string {
  const known = hashes.get(bytes);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(bytes).digest("hex");
  hashes.set(bytes, hash);
  return hash;
}

/** Tells images apart. */
export function imageHash(image: Image): string {
  const hash = createHash("sha256");
  for (const [path, found] of image) {
    hash.update(found === null ? `${path}/\n` : `${path} ${found.inode} ${hashOf(found.bytes)}\n`);
  }
  return hash.digest("hex");
}
