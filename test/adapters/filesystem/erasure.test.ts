/** After an erasure nothing of a job is left in its folder: not in files, not in their names. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";

const KEY = "welcome:ann@example.com";
const ID = sha256Hex(KEY);
const SECRETS = ["ann@example.com", "welcome:", "bob@example.com", "Dear Ann", "550 ", "summary"];

/** The bytes of everything below the folder, with the names. */
function bytesIn(directory: string): string {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return `${file}\n${entry.isFile() ? readFileSync(file, "latin1") : ""}`;
    })
    .join("\n");
}

function secretsIn(directory: string): readonly string[] {
  const bytes = bytesIn(directory);
  return SECRETS.filter((secret) => bytes.includes(secret));
}

describe.each(["processes", "exclusive"] as const)("an erasure in a folder (%s)", (sharing) => {
  let directory: string;
  const open = (): Promise<Holdfast> =>
    createHoldfast({ storage: filesystemStorage({ directory, sharing }) });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "holdfast-erasure-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("leaves no trace of key, recipient and content, while it is open and after it is closed", async () => {
    const { emails, close } = await open();
    await emails.enqueue(KEY, {
      type: "message",
      recipient: "ann@example.com",
      subject: "Welcome",
      text: "Dear Ann",
      replyTo: "bob@example.com",
    });
    await emails.transition(KEY, ["pending"], "failed", {
      generatedSummary: "summary",
      lastError: "550 ann@example.com",
    });
    expect(secretsIn(directory)).toEqual(SECRETS);
    await emails.erase(KEY);
    expect(secretsIn(directory)).toEqual([]);
    await close();
    expect(secretsIn(directory)).toEqual([]);
    expect(bytesIn(directory)).toContain(`${ID}.json`);
  });

  it("leaves no trace of a job that an original store wrote", async () => {
    mkdirSync(join(directory, "emails", "jobs"), { recursive: true, mode: 0o700 });
    const record = {
      logicalKey: KEY,
      type: "first-view",
      state: "ready",
      recipient: "ann@example.com",
      recordingIds: ["summary"],
      requestedBy: "bob@example.com",
      attempts: 1,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:01.000Z",
      readyAt: "2026-01-01T00:00:01.000Z",
      lastError: "550 Dear Ann",
      leaseUntil: null,
      leaseToken: null,
    };
    writeFileSync(join(directory, "emails", "jobs", `${ID}.json`), JSON.stringify(record));
    expect(secretsIn(directory)).toEqual(SECRETS);
    const { emails, close } = await open();
    expect(await emails.erase(`sha256:${ID}`)).toMatchObject({ id: ID, state: "ready" });
    expect(secretsIn(directory)).toEqual([]);
    await close();
    const again = await open();
    expect(await again.emails.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toEqual([]);
    expect(await again.emails.readJob(KEY)).toBeNull();
    await again.close();
    expect(secretsIn(directory)).toEqual([]);
  });
});
