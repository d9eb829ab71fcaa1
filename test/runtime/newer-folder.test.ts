/** A folder of a newer release, met by this one as a process: before anything in it is touched. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { holdfast } from "./process.ts";

const NEWER = JSON.stringify({ format: 2 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-newer-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each(["holdfast.json", "receipts/holdfast.json"])(
  "with a newer format in %s neither the service nor a command starts, and both say why",
  async (name) => {
    const file = join(folder, name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, NEWER);
    for (const command of [["serve"], ["stats"], ["jobs", "list"], ["reconcile"]]) {
      const { status, stdout, stderr } = await holdfast(
        { HOLDFAST_DATA_DIR: folder, PORT: "0" },
        ...command,
      );
      expect(status, command.join(" ")).toBe(1);
      expect(stdout + stderr).toContain(`${file} has format 2`);
      expect(stdout + stderr).toContain("use the version that wrote it, or a later one");
    }
    expect(readFileSync(file, "utf8")).toBe(NEWER);
    expect(readdirSync(folder)).not.toContain("folder.lock");
    expect(readdirSync(folder)).not.toContain("emails");
  },
);
