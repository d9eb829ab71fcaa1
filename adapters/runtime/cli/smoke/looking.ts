/** What a smoke test looks with: a service's clients, bare requests, and ways to say what must be seen. */
import { setTimeout as sleep } from "node:timers/promises";
import { failureOf } from "../../../../src/client/call.ts";
import { type Client, HoldfastError } from "../../../../src/client/client.ts";
import { isJsonObject, type JsonObject } from "../../../../src/core/json.ts";

export interface Smoke {
  readonly client: Client;
  /** Null: the service lets in everybody who reaches it. A secret: never to be shown. */
  readonly key: string | null;
  /** Of another tenant; null: no key of one was given. */
  readonly second: Client | null;
  /** The same service with another key, such as a ticket. */
  readonly as: (key: string) => Client;
  /** Stands before every name that this run makes. */
  readonly prefix: string;
  /** Looks at one thing and tells it; what `look` throws is what was seen instead, and ends the area. */
  readonly step: <T>(name: string, look: () => Promise<T>) => Promise<T>;
  /** The same of a thing that need not be there; null where `look` throws AbsentError. */
  readonly optional: <T>(name: string, look: () => Promise<T>) => Promise<T | null>;
  readonly ask: Ask;
  readonly patience: Patience;
}

/** In milliseconds. */
export interface Patience {
  /** For what follows a write a little later: an index, a pass that is under way. */
  readonly lookMs: number;
  /** For a live stream: a provider may think for a while. */
  readonly streamMs: number;
}

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  /** Of the answer, where it is an object; else empty. */
  readonly body: JsonObject;
}

/** One request as it stands, without the client's help; `key` null: with none. */
export type Ask = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  sent: { readonly key: string | null; readonly body?: string },
) => Promise<Asked>;

/** Something else than what must be seen. The message holds nothing that was sent or stored. */
export class SmokeError extends Error {
  override readonly name = "SmokeError";
}

/** There is nothing to look at, and the message says why. */
export class AbsentError extends Error {
  override readonly name = "AbsentError";
}

export function must(isSeen: boolean, otherwise: string): asserts isSeen {
  if (!isSeen) throw new SmokeError(otherwise);
}

/** Throws SmokeError where `call` is not refused with `code`. */
export async function refused(code: string, call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  must(error !== null, `it was carried out, and had to be refused with ${code}`);
  if (!(error instanceof HoldfastError)) throw error;
  must(error.code === code, `it had to be refused with ${code}, and was not: ${error.message}`);
}

const DAY_MS = 86_400_000;

/**
 * An email that neither a pass nor a worker takes for a day; a lease by its name asks for no time. Should it be
 * left behind all the same, nobody can ever have its address (RFC 2606).
 */
export function neverDue(text: string) {
  return {
    payload: {
      type: "message",
      recipient: "nobody@smoke.invalid",
      subject: "A smoke test of Holdfast",
      text,
    },
    notBefore: new Date(Date.now() + DAY_MS).toISOString(),
  };
}

/** Keeps one from being sent tomorrow; where that fails, the trouble is told already. */
export async function giveUp({ emails }: Client, key: string): Promise<void> {
  await emails.transition(key, { from: ["pending", "ready"], to: "cancelled" }).catch(() => {});
}

const LOOK_EVERY_MS = 500;

/** What `look` finds at last. Throws SmokeError `otherwise` when that stays null. */
export async function patiently<T>(
  { lookMs }: Pick<Patience, "lookMs">,
  look: () => Promise<T | null>,
  otherwise: string,
): Promise<T> {
  const endAt = performance.now() + lookMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    must(performance.now() < endAt, `${otherwise}, within ${lookMs / 1_000} s`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Pages that are looked through: a service in use may have any number. */
const PAGES_MAX = 20;

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Whether one is on the first pages; what is behind so many is not looked at, and counts as found. */
export async function isListed<T>(
  read: (from: { cursor?: string }) => Promise<Page<T>>,
  isIt: (item: T) => boolean,
): Promise<boolean> {
  let from: { cursor?: string } = {};
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const { items, nextCursor } = await read(from);
    if (items.some(isIt)) return true;
    if (nextCursor === null) return false;
    from = { cursor: nextCursor };
  }
  return true;
}

/** An answer that never ends is no answer. */
const ASK_MS = 20_000;

/** `url` without a slash at its end. */
export function asking(url: string): Ask {
  return async (method, path, { key, body }) => {
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const signal = AbortSignal.timeout(ASK_MS);
    try {
      const init = { method, headers, body: body ?? null, redirect: "manual", signal } as const;
      const response = await fetch(url + path, init);
      return {
        status: response.status,
        headers: response.headers,
        body: objectOf(await response.text()),
      };
    } catch (error) {
      // What `fetch` throws may repeat what was sent.
      throw failureOf(error, "");
    }
  };
}

function objectOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
