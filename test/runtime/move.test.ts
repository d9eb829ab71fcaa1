/** `holdfast copy` and `holdfast import` as an operator runs them: exit status, report, kills. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { keyOf, originalFile } from "../services/copy/given.ts";
import { MESSAGE } from "../services/emails/given.ts";
import { interleaved, journaled, uuidOf, writeJournal } from "../services/queries/journal.ts";
import { ID, originals, START } from "../services/receipts/given.ts";
import { CLI, type Ended, holdfast, type ServerProcess, startServer } from "./process.ts";

let folder: string;
let server: ServerProcess | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-move-"));
  server = null;
});

afterEach(async () => {
  await server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);

async function using<T>(name: string, work: (opened: Holdfast) => Promise<T>): Promise<T> {
  const opened = await createHoldfast({
    storage: filesystemStorage({ directory: at(name), sharing: "exclusive" }),
  });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

async function filled(name: string, count: number): Promise<void> {
  await using(name, async ({ emails, tenant }) => {
    const batch = Array.from({ length: 100 }, (_, n) => n);
    for (let from = 0; from < count; from += 100) {
      const some = batch.slice(0, count - from).map((n) => `job-${from + n}`);
      await emails.enqueueBatch(some.map((logicalKey) => ({ logicalKey, payload: MESSAGE })));
    }
    await tenant("acme").emails.enqueue("theirs", MESSAGE);
  });
}

function copied(...args: readonly string[]): Promise<Ended> {
  return holdfast({}, "copy", "--from", `folder:${at("a")}`, "--to", `folder:${at("b")}`, ...args);
}

/** As the commands take a job whose logical key is not known. */
const shown = (logicalKey: string): string => keyOf(logicalKey).replace("emails/jobs/", "sha256:");

const SAME = { operationId: "same" };

const DONE = { present: 0, conflicting: 0, unreadable: 0, failed: 0, stopped: null };

describe("holdfast copy", () => {
  it("copies every tenant, tells what became of the records, and finds all there the next time", async () => {
    await filled("a", 5);
    const tried = await copied("--dry-run", "--json");
    expect(JSON.parse(tried.stdout)).toMatchObject({ ...DONE, copied: 6 });
    expect(readdirSync(folder)).toEqual(["a"]);
    const { stdout, stderr, status } = await copied();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const places = `from folder:${at("a")} to folder:${at("b")}\n`;
    expect(stdout).toMatch(/\ndone +records\ncopied +6\n/);
    expect(stdout.startsWith(places)).toBe(true);
    const again = await copied("--json");
    expect(JSON.parse(again.stdout)).toEqual({
      from: `folder:${at("a")}`,
      to: `folder:${at("b")}`,
      ...DONE,
      copied: 0,
      present: 6,
      troubles: [],
      troublesLeftOut: 0,
    });
    await using("b", async ({ emails, tenant }) => {
      expect(await emails.listJobs()).toHaveLength(5);
      expect(await tenant("acme").emails.listJobs()).toHaveLength(1);
    });
  });

  it("copies the one tenant that is named", async () => {
    await filled("a", 2);
    expect((await copied("--tenant", "acme")).status).toBe(0);
    await using("b", async ({ emails, tenant }) => {
      expect(await emails.listJobs()).toHaveLength(0);
      expect(await tenant("acme").emails.listJobs()).toHaveLength(1);
    });
    const wrong = await copied("--tenant", "No!");
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toContain("tenant");
  });

  it("ends with 1 and names the records when not all were moved", async () => {
    await filled("a", 3);
    await using("b", ({ emails }) => emails.enqueue("job-1", { ...MESSAGE, text: "No." }));
    writeFileSync(at(`a/${keyOf("broken")}.json`), "{");
    const { stdout, stderr, status } = await copied();
    expect(status).toBe(1);
    expect(stdout).toMatch(/conflicting +1\nunreadable +1\n/);
    expect(stderr.split("\n").sort()).toEqual([
      "",
      `conflict: ${shown("job-1")}: another record stands there`,
      `unreadable: ${shown("broken")}: not JSON`,
    ]);
    const there = await holdfast({ HOLDFAST_DATA_DIR: at("b") }, "jobs", "show", shown("job-1"));
    expect(there.stdout).toContain("No.");
    const asJson = await copied("--json");
    expect(asJson).toMatchObject({ status: 1, stderr: "" });
    expect(JSON.parse(asJson.stdout).troubles).toHaveLength(2);
  });

  it("names receipts that conflict as `receipts show` takes them, and counts all that are there", async () => {
    const prepare = (name: string, payload: number, ...ids: readonly string[]) =>
      using(name, async ({ receipts, tenant }) => {
        for (const of of [receipts, tenant("acme").receipts]) {
          for (const operationId of ids) await of.prepare({ operationId, payload });
        }
      });
    await prepare("a", 1, "same", "theirs");
    await prepare("b", 2, "same", "ours");
    const { stderr, status } = await copied();
    const id = await using("b", async ({ receipts }) => (await receipts.get(SAME))?.id);
    expect(status).toBe(1);
    expect(stderr.split("\n").sort()).toEqual([
      "",
      `conflict: ${id} (--tenant acme): another record stands there`,
      `conflict: ${id}: another record stands there`,
    ]);
    const there = await holdfast({ HOLDFAST_DATA_DIR: at("b") }, "receipts", "show", id ?? "");
    expect(there.status).toBe(0);
    for (const of of ["", "tenants/acme/"]) {
      const [scope] = readdirSync(at(`b/${of}receipts/scopes`))
        .map((file) => JSON.parse(readFileSync(at(`b/${of}receipts/scopes/${file}`), "utf8")))
        .filter(({ used }) => used !== undefined);
      expect(scope.used).toBe(3);
    }
  });

  it("that is killed goes on when it is run again, and nothing is there twice", async () => {
    await filled("a", 1_000);
    const jobs = at("b/emails/jobs");
    const count = (): number => (existsSync(jobs) ? readdirSync(jobs).length : 0);
    const args = [CLI, "copy", "--from", `folder:${at("a")}`, "--to", `folder:${at("b")}`];
    for (const enough of [1, 150, 500]) {
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = new Promise((resolve) => child.once("close", resolve));
      while (count() < enough && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      child.kill("SIGKILL");
      await ended;
      expect(count()).toBeGreaterThanOrEqual(enough);
    }
    const before = count();
    expect(before).toBeLessThan(1_000);
    const { stdout, status } = await copied("--json");
    const { copied: added, present } = JSON.parse(stdout);
    expect({ status, sum: added + present }).toEqual({ status: 0, sum: 1_001 });
    await using("b", async ({ emails }) => {
      await emails.transition("job-999", ["pending"], "ready");
      const leases = await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 });
      expect(leases).toMatchObject([{ logicalKey: "job-999" }]);
      expect(await emails.listJobs()).toHaveLength(1_000);
    });
  }, 60_000);

  it("takes nothing from a folder that a server has, nor puts anything into it", async () => {
    await filled("a", 1);
    server = await startServer({ HOLDFAST_DATA_DIR: at("a") });
    for (const [from, to] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      mkdirSync(at("b"), { recursive: true });
      const { status, stderr } = await holdfast(
        {},
        ...["copy", "--from", `folder:${at(from)}`, "--to", `folder:${at(to)}`],
      );
      expect(status).toBe(1);
      expect(stderr).toContain(`process ${server.pid}`);
    }
  });

  it("refuses a folder that is its own target, by whatever way it is named", async () => {
    await filled("a", 1);
    symlinkSync(at("a"), at("link"));
    for (const to of [`${at("a")}/`, at("link"), `${at("a")}/../a`]) {
      const { status, stderr } = await holdfast(
        {},
        ...["copy", "--from", `folder:${at("a")}`, "--to", `folder:${to}`],
      );
      expect(status).toBe(1);
      expect(stderr).toContain("would be copied to itself");
    }
  });

  it("refuses a folder in its target, or around it", async () => {
    await filled("a", 1);
    for (const [from, to] of [
      ["a", "a/emails/b"],
      ["a/emails", "a"],
    ] as const) {
      const places = ["--from", `folder:${at(from)}`, "--to", `folder:${at(to)}`];
      const { status, stderr } = await holdfast({}, "copy", ...places);
      expect(status).toBe(1);
      expect(stderr).toContain("lie in each other");
    }
  });

  it("ends with 1 when the source has nothing of Holdfast, and says where it should look", async () => {
    await filled("a", 1);
    const from = async (...args: readonly string[]): Promise<Ended> =>
      holdfast({}, "copy", ...args, "--to", `folder:${at("b")}`, "--dry-run");
    const deep = await from("--from", `folder:${at("a/emails")}`);
    expect(deep.status).toBe(1);
    expect(deep.stderr).toMatch(/nothing of Holdfast is there: .*has a folder jobs: name the one/);
    mkdirSync(at("high"));
    const high = await from("--from", `folder:${at("high")}`);
    expect(high.status).toBe(1);
    expect(high.stderr).toContain("must be the folder above emails");
    const nobody = await from("--from", `folder:${at("a")}`, "--tenant", "nobody");
    expect(nobody.status).toBe(1);
    expect(nobody.stderr).toContain("nothing of Holdfast's tenant nobody is there");
  });

  it("ends with 2 when a storage's name is not understood", async () => {
    const { status, stderr } = await holdfast({}, "copy", "--from", "./data");
    expect(status).toBe(2);
    expect(stderr).toContain("folder:./data?");
  });

  it("goes past no service, and to no storage that is not named", async () => {
    await filled("a", 1);
    const from = ["--from", `folder:${at("a")}`];
    const service = await holdfast({ HOLDFAST_URL: "http://127.0.0.1:9" }, "copy", ...from);
    expect(service.status).toBe(1);
    expect(service.stderr).toContain("--to");
    const memory = await holdfast({ HOLDFAST_STORAGE: "memory" }, "copy", ...from);
    expect(memory.status).toBe(1);
    expect(memory.stderr).toContain("memory");
    const nowhere = await holdfast({}, "copy", "--from", `folder:${at("none")}`, "--to", "s3:abc");
    expect(nowhere.stderr).toContain(`${at("none")} does not exist`);
    expect(existsSync(at("none"))).toBe(false);
  });
});

describe("holdfast import", () => {
  function original(): string {
    for (const name of ["one", "two"]) {
      const path = at(`old/emails/${keyOf(name).replace("emails/", "")}.json`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, originalFile(name));
    }
    return at("old/emails");
  }

  it("brings an original's jobs into the configured storage, and leaves its folder alone", async () => {
    const from = original();
    const env = { HOLDFAST_DATA_DIR: at("b") };
    const { stdout, status } = await holdfast(env, "import", "emails", from);
    expect(status).toBe(0);
    expect(stdout).toMatch(/copied +2\n/);
    expect(readdirSync(from)).toEqual(["jobs"]);
    expect(readdirSync(dirname(from))).toEqual(["emails"]);
    const theirs = await holdfast(env, "--tenant", "acme", "import", "emails", from);
    expect(theirs.status).toBe(0);
    const itself = await holdfast({ HOLDFAST_DATA_DIR: dirname(from) }, "import", "emails", from);
    expect(itself.status).toBe(1);
    expect(itself.stderr).toContain("nothing is to be imported");
    await using("b", async ({ emails, tenant }) => {
      for (const one of [emails, tenant("acme").emails]) {
        expect(await one.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toHaveLength(2);
      }
    });
  });

  it("brings an original's receipts, which run once all the same, and take no places", async () => {
    const dispatch = { state: "dispatching", dispatchingAt: 1_700_000_000_001 };
    mkdirSync(at("old/receipts"), { recursive: true });
    writeFileSync(at(`old/receipts/${ID}.json`), originals(dispatch));
    writeFileSync(at(`old/receipts/${"0".repeat(64)}.json`), originals({}));
    const env = { HOLDFAST_DATA_DIR: at("b") };
    const { stdout, status } = await holdfast(env, "import", "receipts", at("old/receipts"));
    expect(status).toBe(1);
    expect(stdout).toMatch(/copied +1\n[\s\S]*unreadable +1\n/);
    await using("b", async ({ receipts, reconcile }) => {
      expect((await reconcile()).receipts).toEqual({ recovered: 1, retired: 0 });
      expect(await receipts.get(ID)).toMatchObject({ state: "outcome-unknown" });
      const { payload, ...key } = START;
      const again = receipts.once(key, payload, () => ({ ok: true, status: "succeeded" }));
      await expect(again).rejects.toMatchObject({ code: "operation_outcome_unknown" });
    });
    expect(readFileSync(at(`b/receipts/${ID}.json`), "utf8")).toContain('"slot": null');
    const own = { HOLDFAST_DATA_DIR: at("c"), HOLDFAST_RECEIPTS_DIR: at("old/receipts") };
    const itself = await holdfast(own, "import", "receipts", at("old/receipts"));
    expect(itself.status).toBe(1);
    expect(itself.stderr).toContain("nothing is to be imported");
  });

  it("says what it cannot: a folder without jobs, one of ours, none at all", async () => {
    const to = ["--to", `folder:${at("b")}`];
    const empty = await holdfast({}, "import", "emails", join(original(), "jobs"), ...to);
    expect(empty).toMatchObject({ status: 1 });
    expect(empty.stderr).toContain("has no folder jobs");
    await filled("a", 1);
    const ours = await holdfast({}, "import", "emails", at("a/emails"), ...to);
    expect(ours.stderr).toContain(`belongs to ${at("a")}`);
    const receipts = await holdfast({}, "import", "receipts", at("none"), ...to);
    expect(receipts).toMatchObject({ status: 1 });
    expect(receipts.stderr).toContain("name the folder with the receipts");
    for (const [folder, problem] of [
      [original(), "has no receipts, which are files named <64 hex digits>.json"],
      [at(`old/emails/${keyOf("one").replace("emails/", "")}.json`), "is a file: name the folder"],
    ] as const) {
      const none = await holdfast({}, "import", "receipts", folder, ...to);
      expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) });
      expect(none.stderr).toContain(folder);
    }
    expect(existsSync(at("b"))).toBe(false);
    mkdirSync(at("bare/jobs"), { recursive: true });
    const bare = await holdfast({}, "import", "emails", at("bare"), ...to);
    expect(bare).toMatchObject({ status: 1, stderr: expect.stringContaining("has no job in") });
  });
});

describe("holdfast import query-journal", () => {
  const NAME = "2026-07-11.jsonl";
  const then = Date.now() - 60_000;

  function journal(count: number): string {
    const jobs = Array.from({ length: count }, (_, n) =>
      journaled(`job ${n}`, then, { sessionId: `session-${n}` })
        .starting()
        .running()
        .chunk("so ")
        .chunk("far")
        .completed("so far"),
    );
    return writeJournal(at("old/query-jobs"), { [NAME]: interleaved(...jobs) });
  }

  it("brings an original's jobs into the configured storage, once, and leaves its folder alone", async () => {
    const from = journal(2);
    appendFileSync(join(from, NAME), '{"query":"durable prom');
    const env = { HOLDFAST_DATA_DIR: at("b") };
    const tried = await holdfast(env, "import", "query-journal", from, "--dry-run", "--json");
    expect(JSON.parse(tried.stdout)).toMatchObject({ ...DONE, copied: 2, skippedRows: 1 });
    expect(existsSync(at("b"))).toBe(false);
    const { stdout, stderr, status } = await holdfast(env, "import", "query-journal", from);
    expect(status).toBe(0);
    expect(stdout).toMatch(/done +jobs\ncopied +2\n[\s\S]*expired +0\nof 13 rows 1 were skipped\n/);
    expect(stderr).toBe(`skipped: ${NAME}:13: not JSON, as a row that was cut off\n`);
    expect(readdirSync(from)).toEqual([NAME]);
    const again = await holdfast(env, "import", "query-journal", from, "--json");
    expect(again.status).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ from: `the original in ${from}`, to: `folder:${at("b")}` },
      ...{ ...DONE, copied: 0, present: 2, expired: 0, rows: 13, skippedRows: 1 },
      troubles: [
        {
          ...{ kind: "skipped", at: `${NAME}:13`, jobId: null },
          reason: "not JSON, as a row that was cut off",
        },
      ],
      troublesLeftOut: 0,
    });
    await using("b", async ({ queries }) => {
      const job = await queries.getSnapshot(uuidOf("job job 1"));
      expect(job).toMatchObject({ status: "completed", response: "so far", eventSeq: 6 });
    });
  });

  it("ends with 1 and names the jobs that were not brought along, and nothing that was asked", async () => {
    const from = journal(1);
    const file = join(from, NAME);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("durable prompt", "another"));
    const to = ["--to", `folder:${at("b")}`];
    const { stdout, stderr, status } = await holdfast({}, "import", "query-journal", from, ...to);
    expect(status).toBe(1);
    expect(stdout).toMatch(/unreadable +1\n/);
    const job = `job ${uuidOf("job job 0")}`;
    expect(stderr).toBe(`unreadable: ${NAME}:1, ${job}: its fingerprint is of another request\n`);
  });

  it("that is killed goes on when it is run again, and nothing half-written was shown", async () => {
    const from = journal(300);
    const roots = at("b/queries/roots");
    const count = (): number => (existsSync(roots) ? readdirSync(roots).length : 0);
    const args = [CLI, "import", "query-journal", from, "--to", `folder:${at("b")}`];
    for (const enough of [1, 100]) {
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = new Promise((resolve) => child.once("close", resolve));
      while (count() < enough && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      child.kill("SIGKILL");
      await ended;
      expect(count()).toBeGreaterThanOrEqual(enough);
    }
    await using("b", async ({ queries }) => {
      const { jobs } = await queries.list({ limit: 100 });
      for (const { response } of jobs) expect(response).toBe("so far");
    });
    const { stdout, status } = await holdfast({}, ...args.slice(1), "--json");
    const { copied: added, present, conflicting } = JSON.parse(stdout);
    expect({ status, sum: added + present, conflicting }).toEqual({
      ...{ status: 0, sum: 300, conflicting: 0 },
    });
  }, 60_000);

  it("says what it cannot: a folder without journals, none at all, one that a server has", async () => {
    const to = ["--to", `folder:${at("b")}`];
    const none = await holdfast({}, "import", "query-journal", at("none"), ...to);
    expect(none).toMatchObject({ status: 1 });
    expect(none.stderr).toContain("is no folder: name the one with the journals");
    const bare = await holdfast({}, "import", "query-journal", folder, ...to);
    expect(bare.stderr).toContain("has no journals, which are files named YYYY-MM-DD.jsonl");
    expect(existsSync(at("b"))).toBe(false);
    server = await startServer({ HOLDFAST_DATA_DIR: at("b") });
    const taken = await holdfast({}, "import", "query-journal", journal(1), ...to);
    expect(taken.stderr).toContain(`process ${server.pid}`);
  });
});
