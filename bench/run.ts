/** `npm run bench`: everything, into bench/results; `-- http` for one report, `-- --quick` for a glance. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, type } from "node:os";
import { fileURLToPath } from "node:url";
import { cloudLossTable } from "./cloud-losses.ts";
import { cloudRequestSection } from "./cloud-requests.ts";
import { contentionTable } from "./contention.ts";
import { bundleTable, coldStartTable } from "./functions.ts";
import { httpTable, keepAliveTable } from "./http.ts";
import { lifecycleTable } from "./lifecycle.ts";
import { millionTable } from "./million.ts";
import { onceTable } from "./once.ts";
import { duePassTable, quietPassTable } from "./pass.ts";
import { answerBytesTable } from "./query-bytes.ts";
import { crowdTable } from "./query-crowd.ts";
import { idleTable } from "./query-idle.ts";
import { queryRequestSection } from "./query-requests.ts";
import { seenTable } from "./query-seen.ts";
import { folderReceiptTable, tableReceiptTable } from "./receipts.ts";
import { syscallTable } from "./syscalls.ts";

const isQuick = process.argv.includes("--quick");

/** Receipts that are stored for a full run; `--stored=10000` for another number. */
const STORED = countOf("--stored=") ?? 1_000_000;

interface Report {
  /** Its file in bench/results. */
  readonly name: string;
  readonly title: string;
  readonly sections: readonly (readonly [string, () => Promise<string>])[];
}

const REPORTS: readonly Report[] = [
  {
    name: "emails-on-a-folder",
    title: "Emails on a folder",
    sections: [
      [
        "Lifecycle: enqueue, ready, lease, sent",
        () => lifecycleTable(isQuick ? 2 : 7, isQuick ? 90 : 900),
      ],
      [
        "File-system calls per lifecycle (strace; reads, also of directories, and writes not counted)",
        syscallTable,
      ],
      ["Leasing the next due job", () => millionTable(isQuick ? 20_000 : 1_000_000)],
      ["Contention", contentionTable],
    ],
  },
  {
    name: "pass",
    title: "The pass, on a folder",
    sections: [
      [
        "With nothing due",
        () => quietPassTable(isQuick ? [100, 1_000] : [1_000, 1_000_000], isQuick ? 20 : 200),
      ],
      [
        "With everything due, a mailer that sends nothing",
        () => duePassTable(isQuick ? 500 : 10_000, isQuick ? 500 : 5_000),
      ],
    ],
  },
  {
    name: "receipts",
    title: "Receipts",
    sections: [
      [
        "Prepare and marks on a folder, with few and many stored",
        () => folderReceiptTable(isQuick ? 2_000 : STORED, isQuick ? 2 : 7),
      ],
      [
        "Prepare and marks on a table, with few and many stored",
        () => tableReceiptTable(isQuick ? 500 : STORED, isQuick ? 2 : 7),
      ],
      ["Once, beside Powertools for AWS Lambda, on a table", () => onceTable(isQuick ? 30 : 300)],
    ],
  },
  {
    name: "queries",
    title: "Queries",
    sections: [
      ["What is written for an answer", answerBytesTable],
      [
        "From durable to seen",
        () =>
          seenTable(
            isQuick ? { here: 50, often: 20, seldom: 1 } : { here: 1_000, often: 200, seldom: 20 },
          ),
      ],
      ["A subscription to which nothing comes", idleTable],
      [
        "Many subscribers, and many jobs at once",
        () =>
          crowdTable(
            isQuick
              ? { jobs: 20, followers: 50, answerBytes: 2_000 }
              : { jobs: 200, followers: 500, answerBytes: 24_000 },
          ),
      ],
      ["Requests to a storage in the cloud, counted on this machine", queryRequestSection],
    ],
  },
  {
    name: "cloud-requests",
    title: "Requests to a storage in the cloud, counted on this machine",
    sections: [
      ["Requests", cloudRequestSection],
      ["Creates whose replies get lost", () => cloudLossTable(isQuick ? 200 : 5_000)],
    ],
  },
  {
    name: "functions",
    title: "On AWS Lambda",
    sections: [
      ["Bundles", bundleTable],
      [
        "Cold start: a fresh process that enqueues an email, over a table on this machine",
        () => coldStartTable(isQuick ? 2 : 31),
      ],
    ],
  },
  {
    name: "http",
    title: "The HTTP service",
    sections: [
      ["Beside bare Hono", () => httpTable(isQuick ? 1 : 7, isQuick ? 2 : 8)],
      ["Keep-alive, repeats that store nothing new", () => keepAliveTable(isQuick ? 1 : 5)],
    ],
  },
];

/** What stands behind `option` in the command, null where it is not given. */
function countOf(option: string): number | null {
  const given = process.argv.find((argument) => argument.startsWith(option));
  if (given === undefined) return null;
  const count = Number(given.slice(option.length));
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`${option} is followed by a whole number, not ${given.slice(option.length)}`);
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${type()} ${release()}, Node ${process.version}`;
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

for (const { name, title, sections } of REPORTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const parts = [`# ${title}`, "", machine, ""];
  for (const [section, measure] of sections) {
    console.error(`measuring: ${section}`);
    parts.push(`## ${section}`, "", await measure(), "");
  }
  const report = parts.join("\n");
  console.log(report);
  if (!isQuick) {
    const results = fileURLToPath(new URL("../../bench/results/", import.meta.url));
    mkdirSync(results, { recursive: true });
    writeFileSync(`${results}${name}.md`, report);
  }
}
