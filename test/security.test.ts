/** Every threat of SECURITY.md names tests that exist, and the dependencies are those that it lists. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const SECURITY = read("SECURITY.md");

/** Of each row of the threats: its files, each with the beginnings of its tests' names. */
const ROWS = SECURITY.slice(SECURITY.indexOf("| threat |"))
  .split("\n## ")[0]
  ?.split("\n")
  .slice(2)
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

it.each(ROWS ?? [])("%s: %s", (_threat, _against, shownBy = "") => {
  const named = [...shownBy.matchAll(/`(test\/[^`]+\.ts)`((?:,? "[^"]+")+)/g)];
  expect(named.length).toBeGreaterThan(0);
  for (const [, file = "", names = ""] of named) {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    const source = read(file);
    const missing = [...names.matchAll(/"([^"]+)"/g)].filter(
      ([, name = ""]) => !source.includes(`"${name}`),
    );
    expect(missing.map(([, name]) => `${file}: ${name}`)).toEqual([]);
  }
});

it("has a table of threats", () => {
  expect(ROWS?.length).toBeGreaterThan(15);
});

it("lists the dependencies that there are, and how many packages they are", () => {
  const { dependencies } = JSON.parse(read("package.json"));
  const table = SECURITY.slice(SECURITY.indexOf("| package |"));
  const named = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.sort()).toEqual(Object.keys(dependencies).sort());
  const { packages } = JSON.parse(read("package-lock.json"));
  const installed = Object.entries(packages as Record<string, Record<string, unknown>>).filter(
    ([path, { dev, peer, optional, devOptional }]) =>
      path !== "" && !(dev === true || peer === true || optional === true || devOptional === true),
  );
  expect(SECURITY).toContain(`${installed.length} packages`);
  expect(read("README.md")).toContain(`${installed.length} packages in production`);
});
