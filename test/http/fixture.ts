/** A service in memory for one case: its keys, its log, its clock, and short ways to ask it. */
import type { Hono } from "hono";
import { expect } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { type KeyEntry, newKey, type Scope } from "../../src/http/keys.ts";
import type { HttpOptions } from "../../src/http/options.ts";
import type { Storage } from "../../src/ports/backend.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { LogLevel } from "../../src/ports/log.ts";

export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Ask {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** By default the one with every scope; null: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the runtime tells the app. */
  readonly env?: object;
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as an object; empty for what is none. */
  readonly body: JsonObject;
}

export interface Served {
  readonly storage: MemoryStorage;
  readonly holdfast: Holdfast;
  readonly app: Hono;
  readonly lines: readonly LogLine[];
  /** Of every kind that the service was given. */
  readonly keys: Readonly<Record<string, string>>;
  advance(ms: number): void;
  ask(method: string, path: string, ask?: Ask): Promise<Told>;
}

export interface ServeOptions {
  readonly storage?: MemoryStorage;
  /** The storage as the service sees it. */
  readonly seen?: (storage: MemoryStorage) => Storage;
  readonly retentionMs?: number;
  readonly commandMs?: number;
  readonly receiptCapacity?: number;
  readonly http?: HttpOptions;
}

export const BASE = "http://localhost:8787";
export const START = "2026-01-31T09:00:00.000Z";

export const MESSAGE = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Good to have you here.",
};

export const TWO_CLIPS = {
  type: "two-clips",
  recipient: "ann@example.com",
  recordingIds: ["rec-1", "rec-2"],
};

/** What tickets are made with. */
export const TICKET_SECRET = "a-secret-of-tests-that-is-long-enough";

/** Keys by name: their scopes, and their tenant where it is not the default one. */
const KEYS: Readonly<Record<string, { scopes: readonly Scope[]; tenant?: string }>> = {
  all: { scopes: ["*"] },
  reader: { scopes: ["emails:read"] },
  writer: { scopes: ["emails:write"] },
  operator: { scopes: ["ops"] },
  auditor: { scopes: ["receipts:read"] },
  payer: { scopes: ["receipts:write"] },
  looker: { scopes: ["queries:read"] },
  asker: { scopes: ["queries:write"] },
  runner: { scopes: ["queries:run"] },
  acme: { scopes: ["*"], tenant: "acme" },
  beta: { scopes: ["*"], tenant: "beta" },
};

export const MADE_KEYS = Object.entries(KEYS).map(([id, options], index) => ({
  id,
  ...newKey(id, new Uint8Array(32).fill(index + 1), options),
}));

export const ENTRIES: readonly KeyEntry[] = MADE_KEYS.map(({ entry }) => entry);

export async function serve(options: ServeOptions = {}): Promise<Served> {
  const storage = options.storage ?? memoryStorage();
  const lines: LogLine[] = [];
  let now = Date.parse(START);
  const { retentionMs, commandMs, receiptCapacity } = options;
  const holdfast = await createHoldfast({
    storage: options.seen?.(storage) ?? storage,
    clock: clockAt(
      () => now,
      (ms) => {
        now += ms;
      },
    ),
    limits: {
      ...(retentionMs === undefined ? {} : { emailRetentionMs: retentionMs }),
      ...(commandMs === undefined ? {} : { commandMs }),
      ...(receiptCapacity === undefined ? {} : { receiptCapacity }),
    },
  });
  const app = holdfast.http({
    ...(options.http?.open === true ? {} : { keys: ENTRIES }),
    secret: TICKET_SECRET,
    log: (level, event, fields) => void lines.push({ level, event, fields }),
    ...options.http,
  });
  const keys = Object.fromEntries(MADE_KEYS.map(({ id, key }) => [id, key]));
  return {
    storage,
    holdfast,
    app,
    lines,
    keys,
    advance: (ms) => {
      now += ms;
    },
    ask: (method, path, ask = {}) => asked(app, { key: keys["all"] ?? null, ...ask }, method, path),
  };
}

/** Time stands still until somebody moves it or waits: waiting takes no real time. */
function clockAt(now: () => number, pass: (ms: number) => void): Clock {
  return {
    now: () => epochMs(now()),
    elapsed: now,
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          pass(duration);
          resolve();
        }, 0);
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

async function asked(app: Hono, ask: Ask, method: string, path: string): Promise<Told> {
  const { body, raw, key, headers: own, env } = ask;
  const headers = new Headers(own);
  if (key !== null && key !== undefined) headers.set("authorization", `Bearer ${key}`);
  if (body !== undefined) headers.set("content-type", "application/json");
  const sent = raw ?? (body === undefined ? null : JSON.stringify(body));
  const response = await app.fetch(
    new Request(BASE + path, {
      method,
      headers,
      body: sent,
      ...(sent instanceof ReadableStream ? { duplex: "half" } : {}),
    } as RequestInit),
    env,
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: objectOf(text) };
}

function objectOf(text: string): JsonObject {
  if (!text.startsWith("{")) return {};
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

/** The answer is a problem of this code, told as every problem is. */
export function expectProblem(told: Told, status: number, code: string): JsonObject {
  expect([told.status, told.body["code"], told.body["detail"]]).toEqual([
    status,
    code,
    expect.stringMatching(/\S/),
  ]);
  expect(told.headers.get("content-type")).toBe("application/problem+json");
  expect(told.body).toMatchObject({
    type: `/docs#${code}`,
    title: expect.stringMatching(/\S/),
    status,
    instance: expect.stringMatching(/^\//),
  });
  return told.body;
}

/** The answer's job, which has to be there. */
export function jobIn(told: Told, status = 200): JsonObject {
  expect([told.status, told.body["code"]]).toEqual([status, undefined]);
  const { job } = told.body;
  if (job === undefined || !isJsonObject(job)) throw new Error("the answer has no job");
  return job;
}

export function textIn(object: JsonObject, name: string): string {
  const text = object[name];
  if (typeof text !== "string") throw new Error(`${name} is no text`);
  return text;
}

export function pathOf(key: string, rest = ""): string {
  return `/v1/emails/${encodeURIComponent(key)}${rest}`;
}

export const KEY = "welcome:ann@example.com";

export async function created(served: Served, key = KEY, more: object = {}): Promise<JsonObject> {
  return jobIn(
    await served.ask("POST", "/v1/emails", {
      body: { logicalKey: key, payload: MESSAGE, ...more },
    }),
    201,
  );
}

export async function ready(served: Served, key = KEY): Promise<JsonObject> {
  await created(served, key);
  const body = { from: ["pending"], to: "ready" };
  return jobIn(await served.ask("POST", pathOf(key, "/transitions"), { body }));
}

export async function leased(served: Served, key = KEY): Promise<JsonObject> {
  await ready(served, key);
  return jobIn(await served.ask("POST", pathOf(key, "/leases"), { body: { durationMs: 60_000 } }));
}

/** A job that waits for its text. */
export async function awaiting(served: Served, key = KEY): Promise<JsonObject> {
  return created(served, key, { payload: TWO_CLIPS, initialState: "awaiting_ai" });
}

/** Its claim's token. */
export async function claimed(served: Served, key = KEY): Promise<string> {
  await awaiting(served, key);
  const body = { claimant: "writer@example.com" };
  const told = await served.ask("POST", pathOf(key, "/ai-claims"), { body });
  expect(told.status).toBe(200);
  return textIn(told.body, "claimToken");
}

/** Asks as a tenant; `all` is of the default one. */
export function as(served: Served, name: "acme" | "beta" | "all") {
  return (method: string, path: string, ask: Ask = {}) =>
    served.ask(method, path, { key: served.keys[name] ?? null, ...ask });
}

export const enqueue = (text: string, logicalKey = KEY): Ask => ({
  body: { logicalKey, payload: { ...MESSAGE, text }, onPayloadMismatch: "conflict" },
});

/** A receipt of the operation `o-1`, in one of the states that need no time. */
export async function receipt(
  served: Served,
  state: "prepared" | "dispatching" | "outcome-unknown",
): Promise<{ readonly id: string; readonly dispatchToken: string }> {
  const body = { operationId: "o-1", payload: { amount: 5 } };
  const prepared = await served.ask("POST", "/v1/receipts", { body });
  const id = String(Object(prepared.body["receipt"])["id"]);
  const dispatchToken = "token-a";
  const post = (verb: string) =>
    served.ask("POST", `/v1/receipts/${id}/${verb}`, { body: { dispatchToken } });
  if (state !== "prepared") await post("dispatches");
  if (state === "outcome-unknown") await post("unknowns");
  return { id, dispatchToken };
}
