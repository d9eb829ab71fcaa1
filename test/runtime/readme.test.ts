/** The README's lines for a shell, run as they stand against a server. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { holdfast, startServer } from "./process.ts";

const README = readFileSync(fileURLToPath(new URL("../../../README.md", import.meta.url)), "utf8");

/** Commands of the `sh` blocks, lines that go on put together. */
function commands(): string[] {
  const blocks = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.replaceAll("\\\n", " ").split("\n"));
}

it("every curl line of the README is answered well, in their order", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-readme-"));
  const server = await startServer({ HOLDFAST_DATA_DIR: folder });
  try {
    const lines = commands().filter((line) => /^(\w+=\$\()?curl /.test(line));
    const script = lines
      .map((line) => (line.startsWith("curl") ? `${line}; echo` : line))
      .join("\n");
    const here = script
      .replaceAll("localhost:8787", new URL(server.url).host)
      .replaceAll("curl ", "curl -f ");
    const { stdout } = await promisify(execFile)("sh", ["-ec", here]);
    const answers = stdout
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (line.startsWith("{") ? JSON.parse(line) : line));
    expect(answers).toMatchObject([
      { created: true },
      { emails: { promoted: 1 } },
      { jobs: [{ state: "sending" }] },
      { jobs: [{ attempts: 1 }], nextCursor: null },
      { emails: { deliver: { due: 0 } } },
      { job: { state: "sent" } },
      { receipt: { state: "accepted", result: { chargeId: "ch_1" } } },
      { receipt: { state: "terminal" } },
      { receipts: [{ operationId: "charge-1001" }], nextCursor: null },
      { applied: true, eventSeq: 3 },
      { applied: true, status: "completed" },
      { latestEventSeq: 4, hasMore: false },
      expect.stringMatching(/^id: 4$/),
      "event: completed",
      expect.stringMatching(/^data: .*wider than water/),
    ]);
  } finally {
    await server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

it("every holdfast line of the README is understood", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-readme-"));
  try {
    const lines = commands().filter((line) => /^npx holdfast .*key new/.test(line));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const args = line.replace(/ +#.*/, "").split(" ").slice(2);
      const plain = args.map((arg) => arg.replace(/^'(.*)'$/, "$1"));
      const here = plain.map((arg) => (arg === "keys.json" ? join(folder, arg) : arg));
      expect(await holdfast({}, ...here)).toMatchObject({ status: 0 });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
