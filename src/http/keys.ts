/** Who may do what: scopes, the entries of a deployment's keys, and the check of a presented one. */
import * as z from "zod/mini";
import { assert } from "../core/assert.ts";
import { sha256Hex } from "../core/hash.ts";
import { base64Url } from "../core/ids.ts";
import { issuesOf } from "../core/issues.ts";
import { safeParse } from "../core/safe-parse.ts";
import { isSameText } from "../core/same-text.ts";
import { InvalidInputError } from "../services/errors.ts";

export const SCOPES = [
  "emails:read",
  "emails:write",
  "receipts:read",
  "receipts:write",
  "queries:read",
  "queries:write",
  "queries:run",
  "ops",
  "*",
] as const;

export type Scope = (typeof SCOPES)[number];

/** Random bytes of one key. */
export const SECRET_BYTES = 32;

/** Entries of one deployment: each is held in memory. */
export const KEYS_MAX = 10_000;

/** As it is told. A number's own way of saying it takes milliseconds of every start. */
const KEYS_MAX_TEXT = "10,000";

const name = z
  .string()
  .check(
    z.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and "-", the first not "-"'),
  );

const keyEntry = z.strictObject({
  id: name,
  /** Absent: the default tenant. */
  tenant: z.exactOptional(name),
  scopes: z
    .array(z.enum(SCOPES, `must be one of ${SCOPES.join(", ")}`))
    .check(
      z.minLength(1, "must name at least one scope"),
      z.maxLength(SCOPES.length, "must name each scope once"),
    ),
  /** Of the whole key, its beginning included. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits")),
});

/** What is kept of one key: nothing that lets anybody in. */
export type KeyEntry = z.output<typeof keyEntry>;

/** No message of it repeats what was passed, but those of unknown properties name them. */
export const keyEntries = z.array(keyEntry, "must be an array of entries").check(
  z.maxLength(KEYS_MAX, `must be at most ${KEYS_MAX_TEXT} entries`),
  z.superRefine((entries, context) => {
    const seen = new Set<string>();
    for (const [index, { id }] of entries.entries()) {
      if (seen.has(id)) {
        const message = "must be another id than those of the entries before";
        context.addIssue({ code: "custom", path: [index, "id"], message });
      }
      seen.add(id);
    }
  }),
);

/** Whom a key stands for. */
export interface Principal {
  readonly keyId: string;
  /** Null: the default tenant. */
  readonly tenant: string | null;
  readonly scopes: readonly Scope[];
}

export interface KeyRing {
  /** Whose key `presented` is; null for anything else. Never throws, never keeps what it was shown. */
  check(presented: string): Principal | null;
  /** Those that the entries name, each once, in their order. The default tenant has no name. */
  readonly tenants: readonly string[];
  /** How many keys there are. */
  readonly size: number;
}

/** Whether `granted` covers `needed`: `write` includes `read` of the same machine, `*` everything. */
export function allows(granted: readonly Scope[], needed: Scope): boolean {
  return granted.some((scope) => {
    if (scope === "*" || scope === needed) return true;
    return scope.endsWith(":write") && needed === scope.replace(/write$/, "read");
  });
}

/** `entries` as `keyEntries` has checked them. */
export function keyRing(entries: readonly KeyEntry[]): KeyRing {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const tenants = entries.flatMap(({ tenant }) => (tenant === undefined ? [] : [tenant]));
  return {
    check(presented) {
      const id = keyIdIn(presented);
      if (id === null) return null;
      const entry = byId.get(id);
      // An unknown id costs what a known one does, or its time would tell which ids there are.
      const isRight = isSameText(sha256Hex(presented), entry?.sha256 ?? NO_DIGEST);
      return isRight && entry !== undefined ? principal(entry) : null;
    },
    tenants: [...new Set(tenants)],
    size: byId.size,
  };
}

/** Whether `text` has the form of a key, which says nothing about whose it is. */
export function isKey(text: string): boolean {
  return keyIdIn(text) !== null;
}

/**
 * A key, to be shown once, and its entry. `secret` holds SECRET_BYTES random bytes. Throws
 * InvalidInputError for an id, a tenant or scopes that no entry may have.
 */
export function newKey(
  id: string,
  secret: Uint8Array,
  options: { readonly tenant?: string; readonly scopes: readonly Scope[] },
): { readonly key: string; readonly entry: KeyEntry } {
  assert(secret.length === SECRET_BYTES, `a key is made from ${SECRET_BYTES} random bytes`);
  const key = `hf_${id}_${base64Url(secret)}`;
  const { tenant, scopes } = options;
  const found = safeParse(keyEntry, {
    id,
    ...(tenant === undefined ? {} : { tenant }),
    scopes: [...new Set(scopes)],
    sha256: sha256Hex(key),
  });
  if (!found.success) throw new InvalidInputError(issuesOf(found.error));
  return { key, entry: found.data };
}

/** The id has no `_`, so a key can be read in one way only. */
const KEY = /^hf_([a-z0-9][a-z0-9-]{0,62})_[A-Za-z0-9_-]{43}$/;
const KEY_CHARS_MAX = 3 + 63 + 1 + 43;

/** No digest of anything, as far as anybody knows. */
const NO_DIGEST = "0".repeat(64);

function keyIdIn(text: string): string | null {
  if (text.length > KEY_CHARS_MAX) return null;
  return KEY.exec(text)?.[1] ?? null;
}

function principal({ id, tenant, scopes }: KeyEntry): Principal {
  return { keyId: id, tenant: tenant ?? null, scopes };
}
