/** The list of planted faults follows the source: `npm run mutants` plants them. */
import { describe, expect, it } from "vitest";
import { MUTANTS } from "./list.ts";
import { compiled, type Mutant, testFile } from "./mutant.ts";

const CASES = MUTANTS.map((mutant) => ({ mutant, name: mutant.name }));

describe("the planted fault", () => {
  it.each(CASES)("$name is one edit of the source as it is, and a program", async ({ mutant }) => {
    const code = await compiled(mutant);
    expect(code).not.toBe(await compiled({ ...mutant, replacement: mutant.text }));
    for (const check of mutant.caughtBy) if ("tests" in check) testFile(check.tests);
  });

  it("has a name of its own", () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  });
});

describe("a list that does not follow the source", () => {
  const mutant: Mutant = {
    name: "none",
    file: "src/core/lease.ts",
    text: "until",
    replacement: "",
    law: "",
    caughtBy: [{ tests: "mutants/list" }],
  };

  it("is told, with the text that is not there once", async () => {
    await expect(compiled({ ...mutant, text: "not there" })).rejects.toThrow(/is not there/);
    await expect(compiled(mutant)).rejects.toThrow(/more than once/);
  });

  it("is told where the edit is no program, or its tests are none", async () => {
    const broken = { ...mutant, text: "export function isHeld(", replacement: "export function (" };
    await expect(compiled(broken)).rejects.toThrow();
    expect(() => testFile("no/such")).toThrow(/there are no tests/);
  });
});
