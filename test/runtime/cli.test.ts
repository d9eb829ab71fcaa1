import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { keyRing } from "../../src/http/keys.ts";
import { CLI, type Ended, holdfast, type ServerProcess, startServer } from "./process.ts";

let folder: string;
let server: ServerProcess | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
  server = null;
});

afterEach(async () => {
  await server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };

/** One job of each: pending, failed, leased; and one of another tenant. */
async function filled(): Promise<void> {
  const opened = await createHoldfast({ storage: filesystemStorage({ directory: folder }) });
  const { emails } = opened;
  await emails.enqueue("pending", payload);
  for (const key of ["failed", "leased"]) {
    await emails.enqueue(key, payload);
    await emails.transition(key, ["pending"], "ready");
    const lease = await emails.acquireSendingLease(key, 600_000);
    if (key === "failed") {
      await emails.transitionSending(key, lease?.leaseToken ?? "", "failed", {
        lastError: "bounced",
      });
    }
  }
  const { receipts } = opened;
  for (const operationId of ["charge-1", "charge-2"]) {
    await receipts.dispatch((await receipts.prepare({ operationId, payload: 1 })).receipt);
  }
  await receipts.markOutcomeUnknown((await receipts.get({ operationId: "charge-2" }))?.id ?? "");
  await opened.tenant("acme").emails.enqueue("theirs", payload);
  await opened.close();
}

function run(...args: readonly string[]): Promise<Ended> {
  return holdfast({ HOLDFAST_DATA_DIR: folder }, ...args);
}

async function json(...args: readonly string[]) {
  const { stdout, stderr, status } = await run("--json", ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

for (const way of ["a folder that nobody has", "the server that has the folder"]) {
  describe(`the command line over ${way}`, () => {
    beforeEach(async () => {
      await filled();
      if (way.startsWith("the server")) server = await startServer({ HOLDFAST_DATA_DIR: folder });
    });

    it("lists jobs, by state, page by page, and all", async () => {
      const { stdout } = await run("jobs", "list");
      expect(stdout).toContain("pending");
      expect(stdout).not.toContain("theirs");
      expect((await json("jobs", "list", "--state", "failed")).jobs).toHaveLength(1);
      const first = await json("jobs", "list", "--limit", "2");
      expect(first.jobs).toHaveLength(2);
      const second = await json("jobs", "list", "--limit", "2", "--cursor", first.nextCursor);
      expect(second.jobs).toHaveLength(1);
      const all = await run("--json", "jobs", "list", "--all");
      expect(
        all.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).state)
          .sort(),
      ).toEqual(["failed", "pending", "sending"]);
    });

    it("shows a job, and says when there is none", async () => {
      expect(await json("jobs", "show", "failed")).toMatchObject({ lastError: "bounced" });
      const { stdout } = await run("jobs", "show", "failed");
      expect(stdout).toMatch(/lastError +bounced/);
      const missing = await run("jobs", "show", "nothing");
      expect(missing.status).toBe(1);
      expect(missing.stderr).toContain("job_not_found");
    });

    it("requeues what failed, cancels what waits, refuses what is leased", async () => {
      expect(await json("jobs", "requeue", "failed")).toMatchObject({ state: "pending" });
      expect(await json("jobs", "cancel", "pending")).toMatchObject({ state: "cancelled" });
      const refused = await run("jobs", "cancel", "leased");
      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain("state_mismatch");
      expect(await json("jobs", "show", "leased")).toMatchObject({
        state: "sending",
        holdfast: { dueAt: expect.stringMatching(/Z$/) },
      });
    });

    it("gives all that failed a new life, and tells how many", async () => {
      expect(await json("jobs", "show", "failed")).toMatchObject({ holdfast: { dueAt: null } });
      expect(await json("jobs", "requeue", "--all-failed")).toEqual({ requeued: 1, left: 0 });
      expect(await json("jobs", "show", "failed")).toMatchObject({ state: "pending" });
      expect((await run("jobs", "requeue", "--all-failed")).stdout).toBe("0 requeued\n");
      expect((await run("jobs", "requeue")).status).toBe(2);
      expect((await run("jobs", "requeue", "failed", "--all-failed")).status).toBe(2);
    });

    it("erases a job", async () => {
      expect(await json("jobs", "erase", "failed")).toMatchObject({ machine: "emails" });
      expect((await run("jobs", "show", "failed")).stderr).toContain("erased");
    });

    it("lists receipts, shows one, recovers what lapsed, and resolves it", async () => {
      expect((await json("receipts", "list")).receipts).toHaveLength(2);
      const [{ id }] = (await json("receipts", "list", "--state", "dispatching")).receipts;
      expect((await run("receipts", "list")).stdout).toMatch(/dispatching .*custom\/call charge-1/);
      expect((await run("receipts", "recover")).stdout).toContain("0 of 0");
      const live = await run("receipts", "resolve", id, "abandoned");
      expect(live).toMatchObject({ status: 1, stderr: expect.stringContaining("dispatch_live") });
      expect((await json("receipts", "list", "--state", "terminal")).receipts).toEqual([]);
      expect(await json("receipts", "show", id)).toMatchObject({ receipt: { id }, notes: [] });
      const bad = await run("receipts", "resolve", id, "happened", "--result", "{");
      expect(bad.stderr).toContain("It must be JSON");
      const none = await run("receipts", "show", "a".repeat(64));
      expect(none).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("receipt_not_found"),
      });
    });

    it("resolves an unknown outcome, and says what stands", async () => {
      const [{ id }] = (await json("receipts", "list", "--state", "outcome-unknown")).receipts;
      const answer = ["--result", '{"charge":1}', "--note", "asked the bank", "--by", "Ann"];
      const { stdout } = await run("receipts", "resolve", id, "happened", ...answer);
      expect(stdout).toBe(`${id} outcome-unknown, happened\n`);
      const { receipt } = await json("receipts", "show", id);
      expect(receipt.resolution).toMatchObject({
        ...{ result: { charge: 1 }, note: "asked the bank", resolvedBy: "owner/Ann" },
      });
      expect((await json("stats")).receipts).toMatchObject({ resolved: 1 });
      const other = await run("receipts", "resolve", id, "abandoned");
      expect(other).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("already_resolved"),
      });
    });

    it("resolves with a result where it happened, and only there", async () => {
      const [{ id }] = (await json("receipts", "list", "--state", "outcome-unknown")).receipts;
      for (const args of [["happened"], ["abandoned", "--result", "1"]]) {
        const refused = await run("receipts", "resolve", id, ...args);
        expect(refused).toMatchObject({
          status: 2,
          stderr: expect.stringContaining("happened needs a --result, and nothing else takes one"),
        });
      }
      const { receipt } = await json("receipts", "resolve", id, "happened", "--result", "null");
      expect(receipt.resolution).toMatchObject({ result: null, resolvedBy: "owner" });
    });

    it("erases a receipt that nobody is at, and tells that it was erased", async () => {
      const { receipts } = await json("receipts", "list", "--limit", "128");
      const idIn = (state: string): string =>
        receipts.find((one: { state: string }) => one.state === state).id;
      const id = idIn("outcome-unknown");
      expect((await run("receipts", "erase", id)).stdout).toBe(`${id} is erased\n`);
      expect(await json("receipts", "erase", id)).toMatchObject({ machine: "receipts", id });
      expect((await run("receipts", "show", id)).stderr).toContain("the operation was erased");
      const used = await run("receipts", "erase", idIn("dispatching"));
      expect(used).toMatchObject({ status: 1, stderr: expect.stringContaining("in_use") });
      expect((await run("receipts", "list", "--limit", "129")).stderr).toContain("1 to 128");
    });

    it("tells what is stuck and what to do, and counts everything", async () => {
      const { stdout } = await run("stuck");
      expect(stdout).toMatch(
        /emails sha256:[0-9a-f]{64}\n {2}failed since .*1 attempt of 3: it was refused for good\n/,
      );
      expect(stdout).toContain("requeue");
      const { emails, receipts } = await json("stats");
      expect(receipts).toEqual({
        receipts: 2,
        states: { dispatching: 1, "outcome-unknown": 1 },
        resolved: 0,
        unreadable: 0,
        reasons: {},
      });
      expect(emails).toEqual({
        jobs: 3,
        states: { pending: 1, failed: 1, sending: 1 },
        kinds: { message: 3 },
        unreadable: 0,
        reasons: {},
      });
    });

    it("works for another tenant when told so", async () => {
      const { jobs } = await json("--tenant", "acme", "jobs", "list");
      expect(jobs).toMatchObject([{ logicalKey: "theirs" }]);
      const wrong = await run("--tenant", "No!", "jobs", "list");
      expect(wrong.status).toBe(1);
      expect(wrong.stderr).toContain("tenant");
    });

    it("finds what is as it should be, and what somebody should look at", async () => {
      const findings = await json("doctor");
      const verdicts = Object.fromEntries(
        findings.map(({ check, verdict }: { check: string; verdict: string }) => [check, verdict]),
      );
      expect(verdicts).toMatchObject({
        node: "ok",
        configuration: "ok",
        keys: server === null ? "warn" : "ok",
        service: "ok",
        app: "ok",
        mail: "warn",
        schedule: "ok",
      });
      expect(verdicts["emails"]).toBe("warn");
      const broken = await holdfast({ HOLDFAST_DATA_DIR: folder, PORT: "x" }, "doctor");
      expect(broken.status).toBe(1);
      expect(broken.stdout).toMatch(/fail +configuration +PORT/);
    });
  });
}

describe("the command line", () => {
  it("goes to a service by its URL with a key", async () => {
    await filled();
    const made = await holdfast({}, "--json", "key", "new", "laptop", "--scope", "emails:read");
    const { key, entry } = JSON.parse(made.stdout);
    const HOLDFAST_KEYS = JSON.stringify([entry]);
    server = await startServer({ HOLDFAST_DATA_DIR: folder, HOLDFAST_KEYS });
    const env = { HOLDFAST_URL: server.url, HOLDFAST_KEY: key };
    expect((await holdfast(env, "jobs", "show", "pending")).stdout).toContain("ann@example.com");
    const refused = await holdfast(env, "jobs", "requeue", "failed");
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain("forbidden");
    const nobody = await holdfast({}, "--url", server.url, "jobs", "list");
    expect(nobody.stderr).toContain("unauthorized");
    for (const { stderr } of [refused, nobody]) expect(stderr).not.toContain(key);
  });

  it("sends a result of null as null, and every other JSON as it is", async () => {
    const bodies: unknown[] = [];
    const listening = createServer(async (request, response) => {
      bodies.push(JSON.parse(await text(request)));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ receipt: { id: "r", state: "outcome-unknown" } }));
    });
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    const { port } = listening.address() as AddressInfo;
    const results = ["null", '""', "0", "false", "[null]"];
    for (const result of results) {
      const args = ["resolve", "a".repeat(64), "happened", "--result", result];
      await holdfast({ HOLDFAST_URL: `http://127.0.0.1:${port}` }, "receipts", ...args);
    }
    listening.close();
    expect(bodies).toEqual(
      results.map((result) => ({ outcome: "happened", result: JSON.parse(result) })),
    );
  });

  it("refuses a result that would be stored as another one", async () => {
    for (const [result, why] of [
      ["9007199254740993", "A double does not keep one of its integers"],
      ['{"a":1,"a":2}', "A property occurs twice in it"],
    ] as const) {
      const args = ["resolve", "a".repeat(64), "happened", "--result", result];
      const { status, stderr } = await holdfast({}, "receipts", ...args);
      expect(status).toBe(2);
      expect(stderr).toContain(why);
    }
  });

  it("makes keys that their entries let in, and adds them to a file that only its owner reads", async () => {
    const file = join(folder, "keys.json");
    const keys: string[] = [];
    for (const [id, tenant] of [
      ["one", "acme"],
      ["two", "zenith"],
    ] as const) {
      const args = ["--tenant", tenant, "key", "new", id, "--scope", "emails:write", "ops"];
      const { stdout, status } = await holdfast({}, "--json", ...args, "--file", file);
      expect(status).toBe(0);
      keys.push(JSON.parse(stdout).key);
    }
    const ring = keyRing(JSON.parse(readFileSync(file, "utf8")));
    expect(keys.map((key) => ring.check(key)?.tenant)).toEqual(["acme", "zenith"]);
    expect(readFileSync(file, "utf8")).not.toContain(keys[0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, "utf8");
    const again = await holdfast({}, "key", "new", "one", "--scope", "ops", "--file", file);
    expect(again.status).toBe(1);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("does not overwrite a file that holds something else", async () => {
    const file = join(folder, "notes.txt");
    writeFileSync(file, "dear diary");
    const { status, stderr } = await holdfast(
      {},
      "key",
      "new",
      "a",
      "--scope",
      "*",
      "--file",
      file,
    );
    expect(status).toBe(1);
    expect(stderr).toContain(file);
    expect(readFileSync(file, "utf8")).toBe("dear diary");
  });

  it("ends with 2 when it does not understand, with 0 when it helps", async () => {
    expect((await holdfast({}, "jobs", "lst")).status).toBe(2);
    expect((await holdfast({}, "jobs", "list", "--state", "lost")).status).toBe(2);
    expect((await holdfast({}, "key", "new", "a", "--scope", "everything")).status).toBe(2);
    const help = await holdfast({}, "--help");
    expect(help.status).toBe(0);
    expect(help.stdout).toContain("HOLDFAST_DATA_DIR");
    expect((await holdfast({}, "--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("shows what a terminal would obey as text", async () => {
    const opened = await createHoldfast({ storage: filesystemStorage({ directory: folder }) });
    await opened.emails.enqueue("a\u001b]0;owned\u0007b", payload);
    await opened.close();
    const { stdout } = await run("jobs", "list");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("a\\u{1b}]0;owned\\u{7}b");
  });

  it("writes JSON that no terminal obeys and that says the same, and messages of one line", async () => {
    const key = "a\u009b31m\u007f\u202eb\u2066\nsent  faked";
    const opened = await createHoldfast({ storage: filesystemStorage({ directory: folder }) });
    await opened.emails.enqueue(key, payload);
    await opened.close();
    const args = [["jobs", "list"], ["jobs", "list", "--all"], ["jobs", "show", key], ["stuck"]];
    for (const one of args) {
      const { stdout } = await run("--json", ...one);
      expect(stdout).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
    expect(await json("jobs", "show", key)).toMatchObject({ logicalKey: key });
    const { stdout } = await run("jobs", "cancel", key);
    expect(stdout).toBe("a\\u{9b}31m\\u{7f}\\u{202e}b\\u{2066}\\u{a}sent  faked is cancelled\n");
    const slip = await run("jobs", "list", "--state", "x\u001b[31m");
    expect(slip.stderr).toContain("x\\u{1b}[31m");
  });

  it("looks at nothing that is not there, and makes nothing", async () => {
    const missing = join(folder, "typo");
    for (const args of [["jobs", "list"], ["stuck"], ["stats"]]) {
      const { status, stderr } = await holdfast({ HOLDFAST_DATA_DIR: missing }, ...args);
      expect(status).toBe(1);
      expect(stderr).toContain(`HOLDFAST_DATA_DIR ${missing} does not exist`);
    }
    await holdfast({ HOLDFAST_DATA_DIR: missing }, "doctor");
    expect(existsSync(missing)).toBe(false);
    const slip = await holdfast(
      { HOLDFAST_DATA_DIR: folder, HOLDFAST_DATADIR: "x" },
      "jobs",
      "list",
    );
    expect(slip.stderr).toContain("HOLDFAST_DATADIR (HOLDFAST_DATA_DIR?)");
  });

  it("tells a refusal with what the service knows", async () => {
    await filled();
    const { stderr } = await run("jobs", "cancel", "leased");
    expect(stderr).toContain("sending");
    const asJson = await run("--json", "jobs", "show", "nothing");
    expect(JSON.parse(asJson.stderr)).toMatchObject({ code: "job_not_found", status: 404 });
    const nobody = await holdfast({}, "--url", "http://127.0.0.1:9", "jobs", "list");
    expect(nobody.stderr).toContain("http://127.0.0.1:9");
  }, 60_000);

  it("ends well when nobody reads on", async () => {
    await filled();
    const line = `"${process.execPath}" "${CLI}" jobs list --all --json | head -c 10`;
    const env = { PATH: process.env["PATH"], HOLDFAST_DATA_DIR: folder };
    const { stderr } = await promisify(execFile)("sh", ["-c", line], { env });
    expect(stderr).toBe("");
  });

  it("says that a memory is another process's own", async () => {
    const { status, stderr } = await holdfast({ HOLDFAST_STORAGE: "memory" }, "jobs", "list");
    expect(status).toBe(1);
    expect(stderr).toContain("HOLDFAST_URL");
  });

  it("waits a little for another process that serves nothing, and says how both could work", async () => {
    const storage = filesystemStorage({ directory: folder, sharing: "exclusive" });
    const opened = await createHoldfast({ storage });
    try {
      const { status, stderr } = await run("jobs", "list");
      expect(status).toBe(1);
      expect(stderr).toContain(`waiting for the folder, which process ${process.pid} has`);
      expect(stderr).toContain(`process ${process.pid}`);
      expect(stderr).toContain("HOLDFAST_FOLDER_SHARING=processes lets several work at once");
    } finally {
      await opened.close();
    }
  });
});
