/** A pass with nothing due over many stored jobs, and passes over many that are due. */
import { join } from "node:path";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import type { Storage } from "../src/ports/backend.ts";
import type { Mailer } from "../src/ports/mailer.ts";
import { holdfast } from "./contenders.ts";
import { elapsedMs, inFolder, median, repeat, table } from "./measure.ts";
import { fillOriginal, openAndRebuild } from "./originals.ts";

/** The smallest batch of work that one call enqueues. */
const BATCH = 100;

const AT_ONCE = 16;

const nowhere: Mailer = { send: async () => ({ kind: "sent", id: null }), close: async () => {} };

interface Requests {
  reads: number;
  puts: number;
  pages: number;
}

/** The storage with its requests counted. */
function counting(storage: Storage, requests: Requests): Storage {
  return {
    async open(context) {
      const backend = await storage.open(context);
      const { due } = backend;
      return {
        ...backend,
        get(key) {
          requests.reads += 1;
          return backend.get(key);
        },
        putIf(...put) {
          requests.puts += 1;
          return backend.putIf(...put);
        },
        due: due && {
          ...due,
          page(...page) {
            requests.pages += 1;
            return due.page(...page);
          },
        },
      };
    },
  };
}

function open(directory: string, requests: Requests): Promise<Holdfast> {
  const storage = filesystemStorage({ directory, sharing: "exclusive" });
  return createHoldfast({
    storage: counting(storage, requests),
    mail: { mailer: nowhere, from: "bench@example.com" },
  });
}

async function enqueue({ emails }: Holdfast, count: number): Promise<void> {
  const batches = Math.ceil(count / BATCH);
  await repeat(batches, 2, async (batch) => {
    await emails.enqueueBatch(
      Array.from({ length: Math.min(BATCH, count - batch * BATCH) }, (_, n) => ({
        logicalKey: `message:${batch * BATCH + n}`,
        payload: { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." },
      })),
    );
  });
}

/** Passes again and again until nothing is left; what each took, in milliseconds. */
async function drained(folder: Holdfast, budgetMs: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let hasMore = true; hasMore; ) {
    took.push(
      await elapsedMs(async () => {
        ({ hasMore } = await folder.reconcile({ budgetMs }));
      }),
    );
  }
  return took;
}

/** One job in ten is in the future of the index, the others are sent. */
export async function quietPassTable(counts: readonly number[], rounds: number): Promise<string> {
  const rows: string[][] = [];
  for (const count of counts) {
    await inFolder(async (directory) => {
      const requests: Requests = { reads: 0, puts: 0, pages: 0 };
      fillOriginal(directory, count, { every: 10, at: "2100-01-01T00:00:00.000Z" });
      await openAndRebuild(directory);
      const folder = await open(directory, requests);
      await drained(folder, 3_600_000);
      Object.assign(requests, { reads: 0, puts: 0, pages: 0 });
      const times: number[] = [];
      await repeat(rounds, 1, async () => {
        times.push(await elapsedMs(async () => void (await folder.reconcile())));
      });
      const { reads, puts, pages } = requests;
      const each = [reads, pages, puts].map((made) => (made / rounds).toFixed(1));
      rows.push([count.toLocaleString("en"), ...each, median(times).toFixed(2)]);
      await folder.close();
    });
  }
  return table(
    ["stored, none due", "reads a pass", "index pages", "puts", "a pass, median ms"],
    rows,
  );
}

/** Everything is promoted and sent by passes with `budgetMs`, beside jobs driven one command at a time. */
export async function duePassTable(due: number, budgetMs: number): Promise<string> {
  return inFolder(async (directory) => {
    const bare = await holdfast("exclusive")(join(directory, "bare"));
    const bareMs = await elapsedMs(() =>
      repeat(due, AT_ONCE, (n) => bare.lifecycle(`first-view:${n}`)),
    );
    await bare.close();

    const folder = await open(join(directory, "pass"), { reads: 0, puts: 0, pages: 0 });
    const enqueueMs = await elapsedMs(() => enqueue(folder, due));
    const took = await drained(folder, budgetMs);
    const passMs = took.reduce((sum, ms) => sum + ms, 0);
    await folder.close();
    const rate = (ms: number): string => ((due / ms) * 1_000).toFixed(0);
    return [
      table(
        ["", "jobs/s"],
        [
          [`bare lifecycle, ${AT_ONCE} at a time`, rate(bareMs)],
          ["enqueued in batches, then promoted and sent by passes", rate(enqueueMs + passMs)],
          ["the passes alone, 8 at a time", rate(passMs)],
        ],
      ),
      "",
      `${due.toLocaleString("en")} jobs took ${took.length} passes of ${budgetMs} ms; ` +
        `the longest took ${Math.max(...took).toFixed(0)} ms.`,
    ].join("\n");
  });
}
