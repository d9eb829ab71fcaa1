/** `holdfast queries` and `gc`, over a folder that nobody has and over the server that has it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createClient } from "../../src/client/client.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { OTHER_CLIENT_JOB_ID, REQUEST } from "../services/queries/given.ts";
import { CLI, type Ended, holdfast, type ServerProcess, startServer } from "./process.ts";

/** What a terminal would obey, and what it would not. */
const ANSWER = "Whales are mammals.\n\tNot fish \u{1F468}\u200D\u{1F33E}\u001b[2J";
const SHOWN = "Whales are mammals.\n\tNot fish \u{1F468}\u200D\u{1F33E}\\u{1b}[2J";

let folder: string;
let server: ServerProcess | null;
/** Ids: of one that completed, one that failed in its second generation, and one that waits. */
let done: string;
let failed: string;
let waiting: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-cli-queries-"));
  server = null;
  const storage = filesystemStorage({ directory: folder });
  // Long enough ago for a log without a job to be no admission in flight.
  const clock = { ...systemClock(), now: () => epochMs(Date.now() - 120_000) };
  const { queries, close } = await createHoldfast({ storage, clock });
  const admit = async (clientJobId: string, generation: number) =>
    (await queries.admit({ ...REQUEST, clientJobId, generation })).job.jobId;
  done = await admit(REQUEST.clientJobId, 1);
  await queries.markStarting(done);
  await queries.markRunning(done);
  for (const delta of [ANSWER.slice(0, 10), ANSWER.slice(10)]) {
    await queries.appendPartial(done, delta);
  }
  await queries.complete(done, { text: ANSWER });
  const first = await admit(OTHER_CLIENT_JOB_ID, 1);
  await queries.cancel(first, 1);
  failed = await admit(OTHER_CLIENT_JOB_ID, 2);
  await queries.markStarting(failed);
  await queries.appendPartial(failed, "half an ans");
  await queries.fail(failed, { code: "provider_timeout", message: "It took too long." });
  waiting = await admit("66666666-6666-4666-8666-666666666666", 1);
  await close();
});

afterEach(async () => {
  await server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: readonly string[]): Promise<Ended> {
  return holdfast({ HOLDFAST_DATA_DIR: folder }, ...args);
}

async function json(...args: readonly string[]) {
  const { stdout, stderr, status } = await run("--json", ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

for (const way of ["a folder that nobody has", "the server that has the folder"]) {
  describe(`the queries of ${way}`, () => {
    async function served(): Promise<void> {
      if (way.startsWith("the server")) server = await startServer({ HOLDFAST_DATA_DIR: folder });
    }

    it("are listed, by status and page by page", async () => {
      await served();
      const { stdout } = await run("queries", "list");
      expect(stdout).toMatch(
        new RegExp(`${failed} +${OTHER_CLIENT_JOB_ID} +2 +failed, provider_timeout +`),
      );
      expect(stdout).not.toContain(REQUEST.query);
      const { jobs } = await json("queries", "list", "--status", "accepted");
      expect(jobs).toMatchObject([{ jobId: waiting }]);
      const first = await json("queries", "list", "--limit", "2");
      const second = await json("queries", "list", "--limit", "2", "--cursor", first.nextCursor);
      expect([...first.jobs, ...second.jobs]).toHaveLength(3);
      expect((await run("queries", "list", "--status", "done")).status).toBe(2);
      expect((await json("stats")).queries).toMatchObject({
        ...{ queries: 3, statuses: { accepted: 1, completed: 1, failed: 1 } },
      });
    });

    it("are shown by their id or their client job's, and nothing that a terminal would obey", async () => {
      await served();
      const { stdout } = await run("queries", "show", done);
      expect(stdout).toMatch(/status +completed/);
      expect(stdout.endsWith(`\n\n${SHOWN}\n`)).toBe(true);
      const byClient = ["queries", "show", OTHER_CLIENT_JOB_ID, "--generation", "2"];
      expect(await json(...byClient)).toMatchObject({ job: { jobId: failed } });
      const missing = await run("queries", "show", "77777777-7777-4777-8777-777777777777");
      expect(missing).toMatchObject({
        ...{ status: 1, stderr: expect.stringContaining("query_job_not_found") },
      });
      const other = await run("queries", "show", failed);
      expect(other.stderr).toContain("query_job_generation_mismatch");
      expect((await run("queries", "show", failed, "--generation", "0")).status).toBe(2);
    });

    it("are told from the beginning to the end, which is the exit status", async () => {
      await served();
      expect(await run("queries", "tail", done)).toMatchObject({
        ...{ status: 0, stdout: `${SHOWN}\n`, stderr: "" },
      });
      expect(await run("queries", "tail", failed, "--generation", "2")).toMatchObject({
        ...{ status: 1, stdout: "half an ans\n" },
        stderr: "failed: provider_timeout: It took too long.\n",
      });
      const { stdout, status } = await run("--json", "queries", "tail", done);
      expect(status).toBe(0);
      const lines = stdout.trim().split("\n");
      expect(lines.map((line) => JSON.parse(line).type)).toEqual([
        ...["accepted", "starting", "running", "chunk", "chunk", "completed"],
      ]);
    });

    it("are canceled once, and erased", async () => {
      await served();
      expect((await run("queries", "cancel", waiting)).stdout).toBe(`${waiting} is canceled\n`);
      const { stdout } = await run("queries", "list", "--status", "canceled");
      expect(stdout).toMatch(/ canceled +20/);
      expect((await run("queries", "tail", waiting)).stderr).toMatch(/^canceled: [^:]+\n$/);
      expect((await run("queries", "cancel", waiting)).stdout).toContain("it is canceled");
      expect(await json("queries", "cancel", done)).toMatchObject({ applied: false });
      expect((await run("queries", "erase", done)).stdout).toContain("is erased");
      expect((await run("queries", "show", done)).status).toBe(1);
    });

    it("leave no logs behind that belong to none", async () => {
      const roots = join(folder, "queries", "roots");
      for (const name of readdirSync(roots)) rmSync(join(roots, name));
      await served();
      expect(await json("gc")).toEqual({ examined: 4, removed: 4, corrupt: 0 });
      expect((await run("gc")).stdout).toBe("0 of 0 logs belonged to no query, and are removed\n");
    });
  });
}

describe("holdfast queries tail", () => {
  it("writes the answer as it comes, each piece once, also over the end of the service", async () => {
    server = await startServer({ HOLDFAST_DATA_DIR: folder });
    const PORT = new URL(server.url).port;
    const options = { env: { PATH: process.env["PATH"], HOLDFAST_DATA_DIR: folder } };
    const args = [CLI, "--url", server.url, "queries", "tail", waiting];
    const tail = spawn(process.execPath, args, options);
    let told = "";
    tail.stdout.setEncoding("utf8").on("data", (text) => {
      told += text;
    });
    const ended = once(tail, "close");
    const seen = (text: string) => vi.waitFor(() => expect(told).toBe(text), { timeout: 20_000 });
    const { queries } = createClient({ url: server.url });
    const { run } = await queries.start(waiting, { generation: 1 });
    await run?.delta("one ");
    await seen("one ");
    await server.kill("SIGKILL");
    server = await startServer({ HOLDFAST_DATA_DIR: folder, PORT });
    await run?.delta("two");
    await run?.complete({ text: "one two" });
    const [status] = await ended;
    expect({ status, told }).toEqual({ status: 0, told: "one two\n" });
  });
});
