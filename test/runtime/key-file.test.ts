/** `holdfast key new --file`: what happens to the file, whoever else works on it. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyRing } from "../../src/http/keys.ts";
import { CLI, type Ended, holdfast } from "./process.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-keys-"));
  file = join(folder, "keys.json");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function make(id: string, path = file): Promise<Ended> {
  return holdfast({}, "--json", "key", "new", id, "--scope", "ops", "--file", path);
}

describe("holdfast key new --file", () => {
  it("loses no key when many are made at once", async () => {
    const ids = Array.from({ length: 8 }, (_, n) => `k${n}`);
    const made = await Promise.all(ids.map((id) => make(id)));
    const ring = keyRing(JSON.parse(readFileSync(file, "utf8")));
    for (const { status, stdout } of made) {
      expect(status).toBe(0);
      expect(ring.check(JSON.parse(stdout).key)).not.toBe(null);
    }
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  }, 30_000);

  it("leaves a link a link, and the file's mode as it was", async () => {
    mkdirSync(join(folder, "real"));
    const real = join(folder, "real", "keys.json");
    writeFileSync(real, "[]");
    chmodSync(real, 0o640);
    symlinkSync(real, file);
    expect((await make("a")).status).toBe(0);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(JSON.parse(readFileSync(real, "utf8"))).toMatchObject([{ id: "a" }]);
    rmSync(real);
    const dangling = await make("b");
    expect(dangling.status).toBe(1);
    expect(dangling.stderr).toContain("is a link to nothing");
  });

  it("says which id is there already, refuses an empty path, and leaves nothing behind", async () => {
    await make("a");
    const again = await holdfast({}, "key", "new", "a", "--scope", "ops", "--file", file);
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toBe(`holdfast: a is already in ${file}\n`);
    expect((await make("b", "")).status).toBe(2);
    expect((await make("b", folder)).status).toBe(1);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
    expect(readdirSync(".").filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("takes no key in that nobody could see", async () => {
    const child = spawn(
      process.execPath,
      [CLI, "key", "new", "a", "--scope", "ops", "--file", file],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    child.stdout.destroy();
    const status = await new Promise((resolve) => child.once("close", resolve));
    expect(status).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("goes on after a process that died on the way", async () => {
    const lock = `${file}.lock`;
    writeFileSync(lock, "");
    const before = new Date(Date.now() - 60_000);
    utimesSync(lock, before, before);
    expect((await make("a")).status).toBe(0);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });
});
