/** The shape of the repository: what imports what, what the pure part must not touch, what stands where. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// This file runs from dist/test.
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

function importsOf(file: string): string[] {
  return targets(file, /^(?:import|export)\b[^;]*?\bfrom "([^"]+)";$/gms);
}

/** Those of which something is left in the built file. */
function runtimeImportsOf(file: string): string[] {
  return targets(file, /^(?:import|export)\b(?! type\b)[^;]*?\bfrom "([^"]+)";$/gms);
}

function targets(file: string, pattern: RegExp): string[] {
  return [...read(file).matchAll(pattern)].map(([, target = ""]) =>
    target.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(file), target)) : target,
  );
}

/** Left to right: a file imports only from its own place or from places before it. */
const LAYERS: readonly (readonly string[])[] = [
  ["src/core/"],
  ["src/machines/", "src/ports/"],
  ["src/store/"],
  ["src/services/"],
  ["src/presets/"],
  ["src/http/"],
  ["src/client/"],
  ["src/service.ts"],
  ["src/holdfast.ts"],
  ["src/index.ts"],
  ["adapters/"],
  ["test/", "bench/", "examples/"],
];

function layerOf(file: string): number {
  return LAYERS.findIndex((places) => places.some((place) => file.startsWith(place)));
}

const SRC = sources("src");
const ADAPTERS = sources("adapters");
const OTHERS = [...sources("test"), ...sources("bench"), ...sources("examples")];

describe("imports", () => {
  it("go only from right to left", () => {
    const wrong: string[] = [];
    for (const file of [...SRC, ...ADAPTERS, ...OTHERS]) {
      for (const target of importsOf(file)) {
        if (layerOf(target) > layerOf(file)) wrong.push(`${file} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("keep machines, ports and adapters apart from their like", () => {
    const group = (file: string): string => {
      const parts = file.replace(/\.ts$/, "").split("/");
      return parts
        .slice(0, file.startsWith("adapters/") || file.startsWith("src/machines") ? 3 : 2)
        .join("/");
    };
    const wrong: string[] = [];
    for (const file of [...SRC, ...ADAPTERS]) {
      for (const target of importsOf(file)) {
        const isDriven = /^adapters\/(?:storage|mail|ai)\//.test(file);
        const bothAdapters = isDriven && target.startsWith("adapters/");
        const bothMachines = file.startsWith("src/machines/") && target.startsWith("src/machines/");
        const machinePort = file.startsWith("src/machines/") && target.startsWith("src/ports/");
        const portMachine = file.startsWith("src/ports/") && target.startsWith("src/machines/");
        const crosses = (bothAdapters || bothMachines) && group(file) !== group(target);
        if (crosses || machinePort || portMachine) wrong.push(`${file} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ["storage", /^(src\/(ports|core)\/|adapters\/storage\/|node:|sorted-btree$)/],
    [
      "storage/dynamodb",
      /^(src\/(ports|core)\/|adapters\/storage\/dynamodb\/|@aws-sdk\/client-dynamodb$)/,
    ],
    ["storage/s3", /^(src\/(ports|core)\/|adapters\/storage\/s3\/|@aws-sdk\/client-s3$)/],
    ["mail", /^(src\/(ports|core)\/|adapters\/mail\/|node:)/],
    ["ai/command", /^(src\/(ports|core)\/|adapters\/ai\/command\/|node:)/],
    // The parser of event streams is the client's.
    ["ai/openai", /^(src\/(ports|core)\/|src\/client\/sse\.ts$|adapters\/ai\/openai\/)/],
    ["mail/smtp", /^(src\/(ports|core)\/|adapters\/mail\/smtp\/|node:|nodemailer\/)/],
    // It runs where Node is not.
    ["mail/http", /^(src\/(ports|core)\/|adapters\/mail\/http\/)/],
    ["mail/ses", /^(src\/(ports|core)\/|adapters\/mail\/ses\/|@aws-sdk\/client-sesv2$)/],
  ])("of a %s adapter are ports, core, its own files and its own library", (place, allowed) => {
    const deeper = { mail: ["smtp", "http", "ses"], storage: ["dynamodb", "s3"] }[place] ?? [];
    const files = ADAPTERS.filter(
      (file) =>
        file.startsWith(`adapters/${place}/`) &&
        !deeper.some((name) => file.startsWith(`adapters/${place}/${name}/`)),
    );
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed.test(target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it("of the client are its own files, and types alone of the routes it calls", () => {
    const wrong = SRC.filter((file) => file.startsWith("src/client/")).flatMap((file) => [
      ...runtimeImportsOf(file).filter((target) => !target.startsWith("src/client/")),
      ...importsOf(file).filter((target) => !/^(src\/(client|http)\/|zod$)/.test(target)),
    ]);
    expect(wrong).toEqual([]);
  });

  it("of a preset are none that the rest of the source needs", () => {
    const isPreset = (file: string): boolean => file.startsWith("src/presets/");
    const wrong = [...SRC, ...ADAPTERS].filter(
      (file) => !isPreset(file) && importsOf(file).some(isPreset),
    );
    expect(wrong).toEqual([]);
  });

  it("never reach the public index from inside", () => {
    const wrong = [...SRC, ...ADAPTERS, ...OTHERS].filter((file) =>
      importsOf(file).includes("src/index.ts"),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the pure part", () => {
  const BANNED: Readonly<Record<string, string>> = {
    "\\basync\\b": "return a value; a service awaits",
    "\\bawait\\b": "return a value; a service awaits",
    "Date\\.now|new Date\\(\\)": "time arrives as an argument",
    "Math\\.random|randomUUID|getRandomValues": "randomness arrives as an argument",
    "\\bprocess\\.|\\bconsole\\.|\\bglobalThis\\b": "no environment in here",
    '"node:': "nothing of a runtime in here",
  };
  const pure = SRC.filter((file) => /^src\/(core|machines)\//.test(file));
  for (const [pattern, instead] of Object.entries(BANNED)) {
    it(`has no ${pattern} (${instead})`, () => {
      const code = (file: string): string => read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
      expect(pure.filter((file) => new RegExp(pattern).test(code(file)))).toEqual([]);
    });
  }

  it("is not empty", () => {
    expect(pure.length).toBeGreaterThan(10);
  });
});

describe("the repository", () => {
  it("has no default exports but what a platform asks for", () => {
    const asked = /^adapters\/runtime\/worker\/(?:r2|dynamodb|s3)\.ts$/;
    const wrong = [...SRC, ...ADAPTERS].filter(
      (file) => !asked.test(file) && /^export default/m.test(read(file)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no enums, namespaces and inheritance but of errors", () => {
    const wrong = [...SRC, ...ADAPTERS].filter((file) =>
      /^(export )?(const )?enum |^(export )?namespace |^(export )?(abstract )?class (?!\w+Error extends \w*Error)/m.test(
        read(file),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps the top level that its users know", () => {
    const known =
      /^(package\.json|package-lock\.json|tsconfig\.json|README\.md|LICENSE|SECURITY\.md|wrangler\.toml|serverless\.yml|src|adapters|test|bench|examples|dist|node_modules|data|\..+)$/;
    expect(readdirSync(ROOT).filter((name) => !known.test(name))).toEqual([]);
  });

  const adaptersOf = (kind: string): string[] =>
    readdirSync(join(ROOT, "adapters", kind)).map((name) => `${kind}/${name.replace(/\.ts$/, "")}`);

  it.each(["storage", "mail", "ai"])("exports every %s adapter", (kind) => {
    const exports = Object.keys(JSON.parse(read("package.json")).exports);
    for (const adapter of adaptersOf(kind)) expect(exports).toContain(`./${adapter}`);
  });

  it.each(["storage", "mail"])("names every %s adapter in the README", (kind) => {
    const readme = read("README.md");
    for (const adapter of adaptersOf(kind)) expect(readme).toContain(`holdfast/${adapter}`);
  });

  it("exports only files that the build makes", () => {
    const exports: Record<string, { types?: string; default?: string } | string> = JSON.parse(
      read("package.json"),
    ).exports;
    for (const target of Object.values(exports)) {
      const files = typeof target === "string" ? [target] : [target.types, target.default];
      for (const file of files) expect(statSync(join(ROOT, String(file))).isFile()).toBe(true);
    }
  });

  it("keeps download addresses out of the lock file", () => {
    expect(read("package-lock.json")).not.toMatch(/"resolved": "https?:/);
  });
});
