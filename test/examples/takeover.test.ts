import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const DEMO = fileURLToPath(new URL("../../examples/takeover/demo.js", import.meta.url));

it("the demo shows a killed worker's email sent once, a killed caller's payment resolved, and answers", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [DEMO]);
  const folder = /The folder is (\S+)/.exec(stdout)?.[1] ?? "";
  try {
    expect(stdout).toContain("created is false");
    expect(stdout).toMatch(/worker A +killed in the middle/);
    expect(stdout).toMatch(/worker B +leased until .*, attempt 2/);
    expect(stdout).toMatch(/worker B +sent, attempt 2/);
    expect(stdout).toMatch(/worker B +stopped in good order/);
    expect(stdout).toMatch(/used after all: refused with lease_lost/);
    expect(stdout).toMatch(/the email is sent after 2 attempts/);
    expect(stdout).toMatch(/SMTP +a mail for ann@example\.com: Goodbye/);
    expect(stdout).toMatch(/worker C's email is sent after 2 attempts/);
    expect(stdout).toMatch(/caller D +killed after it paid/);
    expect(stdout).toMatch(/caller E +did not pay: another call is at it/);
    expect(stdout).toMatch(/caller F +did not pay: nobody knows what came of it/);
    expect(stdout).toMatch(/caller G +did not pay: it is resolved, and has \{"charge":"ch_1"\}/);
    expect(stdout).toMatch(/told after all: refused with already_resolved/);
    expect(stdout.match(/ paid\n/g)).toHaveLength(1);
    expect(stdout).toMatch(/phone +read 4 pieces, up to event \d+, and lost its connection/);
    expect(stdout).toMatch(/phone +came back, read \d+ more behind it: completed/);
    expect(stdout).toMatch(/phone +has the \d+ characters of the answer/);
    expect(stdout).toMatch(/phone +read on at the new server: interrupted/);
    expect(stdout).toMatch(/phone +asked anew: refused with provider_orphan_fence for \d+ s/);
    expect(stdout).toContain("4 callers came to pay for one order; it has 1 charge\n");
    expect(stdout).toMatch(/receipts\/[0-9a-f]{64}\.json:\n\{\n/);
    expect(stdout).toMatch(/npx holdfast receipts show [0-9a-f]{64}\n$/);
  } finally {
    if (folder.includes("holdfast-demo-")) rmSync(folder, { recursive: true, force: true });
  }
});
