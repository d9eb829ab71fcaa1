/** Checking by schemas of zod and of zod/mini: the same words for both, and nobody's configuration changed. */
import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { de } from "zod/locales";
import * as mini from "zod/mini";
import { safeParse } from "../../src/core/safe-parse.ts";

/** Of one kind of fault each. */
const CASES: readonly (readonly [string, z.core.$ZodType, z.ZodType, unknown])[] = [
  ["no text", mini.string(), z.string(), 1],
  ["nothing", mini.string(), z.string(), undefined],
  ["a short text", mini.string().check(mini.minLength(2)), z.string().min(2), "a"],
  [
    "a long list",
    mini.array(mini.unknown()).check(mini.maxLength(1)),
    z.array(z.any()).max(1),
    [1, 2],
  ],
  ["half a number", mini.int(), z.int(), 1.5],
  ["a high number", mini.int().check(mini.maximum(3)), z.int().max(3), 4],
  ["none of some", mini.enum(["a", "b"]), z.enum(["a", "b"]), "c"],
  ["another than one", mini.literal(1), z.literal(1), 2],
  ["a form", mini.string().check(mini.regex(/^a$/)), z.string().regex(/^a$/), "b"],
  ["no address", mini.email(), z.email(), "ann"],
  ["no time", mini.iso.datetime(), z.iso.datetime(), "noon"],
  ["an unknown name", mini.strictObject({}), z.strictObject({}), { a: 1 }],
  ["no case", mini.union([mini.null(), mini.int()]), z.union([z.null(), z.int()]), "a"],
  ["a refusal", mini.string().check(mini.refine(() => false)), z.string().refine(() => false), "a"],
];

const messages = ({ error }: { readonly error?: z.core.$ZodError | undefined }) =>
  error?.issues.map(({ code, message, path }) => ({ code, message, path }));

describe("what is wrong", () => {
  afterEach(() => void z.config(z.locales.en()));

  it.each(CASES)("%s is told in the words of zod's English", (_, ours, theirs, value) => {
    expect(messages(safeParse(ours, value))).toEqual(messages(theirs.safeParse(value)));
    expect(messages(safeParse(theirs, value))).toEqual(messages(theirs.safeParse(value)));
  });

  it("is told in English where an application speaks another language", () => {
    const english = messages(safeParse(mini.string(), 1));
    z.config(de());
    expect(messages(z.string().safeParse(1))).not.toEqual(english);
    expect(messages(safeParse(mini.string(), 1))).toEqual(english);
  });

  it("is told in a schema's own words where it has some", () => {
    expect(messages(safeParse(z.string("must be text"), 1))).toMatchObject([
      { message: "must be text" },
    ]);
  });
});

it("the library leaves zod's configuration, which is the application's, as it is", () => {
  const library = new URL("../../src/index.js", import.meta.url).href;
  const script = `await import(${JSON.stringify(library)});
    const { config } = await import("zod/mini");
    console.log(JSON.stringify(Object.keys(config())));`;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", script]);
  expect(JSON.parse(String(told))).toEqual([]);
});
