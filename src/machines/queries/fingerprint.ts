/** What recognises a request: the hash of all that was parsed of it (semantics C1, QUERY-14). */
import { sha256Hex } from "../../core/hash.ts";
import { isJsonObject } from "../../core/json.ts";
import type { QueryRequest } from "./request.ts";

/** Hex SHA-256 of compact JSON with the keys of every object in the order of their UTF-16 units. */
export function fingerprintOf(request: QueryRequest): string {
  return sha256Hex(JSON.stringify(request, (_name, value: unknown) => inOrder(value)));
}

function inOrder(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
