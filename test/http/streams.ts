/** A service whose time the test moves, with a job, and streams of it that are read as they come. */
import type { Hono } from "hono";
import { vi } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { HttpOptions } from "../../src/http/options.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { type ManualTime, manualTime } from "../client/manual-time.ts";
import { BASE, ENTRIES, type LogLine, MADE_KEYS, TICKET_SECRET } from "./fixture.ts";

export interface Served {
  readonly storage: MemoryStorage;
  readonly holdfast: Holdfast;
  readonly app: Hono;
  readonly time: ManualTime;
  readonly lines: readonly LogLine[];
}

export interface Frame {
  readonly id: number | null;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Stream {
  readonly response: Response;
  /** What has come so far. */
  text(): string;
  frames(): readonly Frame[];
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Goes away. */
  leave(): Promise<void>;
}

export async function serveStreams(
  http: HttpOptions = {},
  seen: (storage: MemoryStorage) => Storage = (storage) => storage,
): Promise<Served> {
  const storage = memoryStorage();
  const time = manualTime();
  const lines: LogLine[] = [];
  const holdfast = await createHoldfast({ storage: seen(storage), clock: time.clock });
  const app = holdfast.http({
    keys: ENTRIES,
    secret: TICKET_SECRET,
    log: (level, event, fields) => void lines.push({ level, event, fields }),
    ...http,
  });
  return { storage, holdfast, app, time, lines };
}

/** Of the key that may do everything, unless `headers` say otherwise. */
export function request(path: string, headers: Readonly<Record<string, string>> = {}): Request {
  const authorization = `Bearer ${MADE_KEYS.find(({ id }) => id === "all")?.key}`;
  return new Request(BASE + path, { headers: { authorization, ...headers } });
}

export function eventsPath(jobId: string, more = ""): string {
  return `/v1/query-jobs/${jobId}/events?generation=1${more}`;
}

/** Asks for a stream, and reads it. */
export async function streamed(
  app: Hono,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  return reading(await app.fetch(request(path, { accept: "text/event-stream", ...headers })));
}

export function reading(response: Response): Stream {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("there is no body");
  const decoder = new TextDecoder();
  let text = "";
  async function read(from: NonNullable<typeof reader>): Promise<void> {
    for (;;) {
      const { done, value } = await from.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
    }
  }
  const ended = read(reader);
  return {
    response,
    text: () => text,
    frames: () => framesIn(text),
    ended,
    async leave() {
      await reader.cancel();
      await ended;
    },
  };
}

/** Comments and waits left out. */
export function framesIn(text: string): readonly Frame[] {
  const blocks = text.split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(block.split("\n").map((line) => splitAt(line, line.indexOf(": "))));
    const data = fields.get("data");
    if (data === undefined) return [];
    const id = fields.get("id");
    const read: Frame["data"] = JSON.parse(data);
    return [
      { id: id === undefined ? null : Number(id), event: fields.get("event") ?? "", data: read },
    ];
  });
}

function splitAt(line: string, at: number): [string, string] {
  return [line.slice(0, at), line.slice(at + 2)];
}

/** Looks often, while no time of the service goes by. */
export function eventually(look: () => void, timeout = 10_000): Promise<void> {
  return vi.waitFor(look, { interval: 1, timeout });
}

/** How many follow a job. */
export async function followers({ holdfast }: Pick<Served, "holdfast">): Promise<number> {
  return (await holdfast.queries.getHealth()).subscribers;
}
