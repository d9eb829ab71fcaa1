/** Some people and their recordings, a pass over a storage in memory, and a time that tests set. */
import { captureMailer } from "../../../adapters/mail/capture.ts";
import { memoryStorage } from "../../../adapters/storage/memory.ts";
import { epochMs, isoTime } from "../../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import {
  type EmailRepository,
  memoryRepository,
  type Recording,
  recordingEmails,
  type Share,
} from "../../../src/presets/recordings/index.ts";
import type { MemoryImport, MemoryView } from "../../../src/presets/recordings/memory.ts";
import { type App, defineApp } from "../../../src/services/app.ts";

/** Since when emails are made: 2026-03-01T12:00:00.000Z. */
export const ENABLED_AT = Date.UTC(2026, 2, 1, 12);

export const HOUR = 3_600_000;

/** ISO 8601 of so many milliseconds after emails began to be made. */
export function at(ms: number): string {
  return isoTime(epochMs(ENABLED_AT + ms));
}

export interface Data {
  readonly recordings: Recording[];
  readonly shares: Share[];
  readonly views: MemoryView[];
  readonly imports: MemoryImport[];
  readonly profiles: { address: string; name: string }[];
}

export function recording(id: string, owner: string, more: Partial<Recording> = {}): Recording {
  const url = `https://clips.example.com/${id}`;
  const state = { isReady: true, isArchived: false, isTrashed: false };
  return { id, title: `Title of ${id}`, url, owner, ...state, ...more };
}

export function share(
  id: string,
  ms: number,
  recordingId: string,
  recipient: string,
  sharedBy = "owner@example.com",
): Share {
  return { id, createdAt: at(ms), recordingId, recipient, sharedBy };
}

/** Somebody who owns r1, r2 and r3. */
export function given(): Data {
  const recordings = ["r1", "r2", "r3"].map((id) => recording(id, "owner@example.com"));
  return {
    recordings,
    shares: [],
    views: [],
    imports: [],
    profiles: [{ address: "owner@example.com", name: "Olga Owner" }],
  };
}

export interface World {
  readonly data: Data;
  readonly holdfast: Holdfast;
  readonly mails: ReturnType<typeof captureMailer>["mails"];
  /** It is so many milliseconds after emails began to be made. */
  set(ms: number): void;
  /** What jobs there are, by logical key: their states. */
  states(): Promise<Readonly<Record<string, string>>>;
}

export interface WorldOptions {
  readonly data?: Data;
  /** In front of the repository in memory. */
  readonly repository?: (inner: EmailRepository) => EmailRepository;
  readonly suppress?: (address: string) => boolean;
  /** Null: without the preset. */
  readonly app?: App | null;
  readonly isMailing?: boolean;
}

export async function world(options: WorldOptions = {}): Promise<World> {
  const { data = given(), repository = (inner) => inner, suppress, isMailing = true } = options;
  let now = ENABLED_AT;
  const clock: Clock = {
    now: () => epochMs(now),
    elapsed: () => performance.now(),
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, duration);
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  const preset = recordingEmails({
    repository: repository(memoryRepository(data)),
    product: { name: "Clips", footer: "Somebody shared a recording." },
    ...(suppress === undefined ? {} : { suppress }),
  });
  const mailer = captureMailer({ clock });
  const holdfast = await createHoldfast({
    storage: memoryStorage(),
    clock,
    app: defineApp({ ...(options.app === null ? {} : preset), ...options.app }),
    ...(isMailing ? { mail: { mailer, from: "Clips <clips@example.com>" } } : {}),
  });
  await holdfast.emails.ensureEnabledAt();
  return {
    data,
    holdfast,
    mails: mailer.mails,
    set(ms) {
      now = ENABLED_AT + ms;
    },
    async states() {
      const jobs = await holdfast.emails.listJobs();
      return Object.fromEntries(jobs.map(({ logicalKey, state }) => [logicalKey, state]));
    },
  };
}
