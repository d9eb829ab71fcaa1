/** The document for machines and the page for people: fresh, valid, whole, and cheap to carry. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { build, type Plugin } from "esbuild";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { ROUTES } from "../../src/http/app.ts";
import { documentText } from "../../src/http/docs.ts";
import { OPENAPI_DOCUMENT } from "../../src/http/generated/openapi-document.ts";
import { problemCodes } from "../../src/http/openapi-problems.ts";
import { objectAt } from "../../src/http/openapi-schemas.ts";
import { PROBLEMS } from "../../src/http/problem.ts";
import { serve } from "./fixture.ts";
import { generatedFile, generatedTexts } from "./generated.ts";

/** Of the document: every method of every path. */
const OPERATIONS = Object.entries(objectAt(OPENAPI_DOCUMENT, "paths")).flatMap(([path, item]) =>
  Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, told]) =>
    isJsonObject(told) ? [{ path, method, told }] : [],
  ),
);

describe("what is generated", () => {
  it.each([...generatedTexts()])("%s is as `npm run openapi` writes it", (name, text) => {
    expect(readFileSync(generatedFile(name), "utf8") === text).toBe(true);
  });
});

describe("the document", () => {
  it("is valid by the schema of OpenAPI 3.1", async () => {
    const found = await new Validator().validate(structuredClone(OPENAPI_DOCUMENT));
    expect(found).toEqual({ valid: true });
  });

  it("has every route, once, under a name of its own", () => {
    const told = OPERATIONS.map(({ path, method }) => `${method} ${path}`);
    for (const { method, path } of ROUTES)
      expect(told).toContain(`${method.toLowerCase()} ${path}`);
    const ids = OPERATIONS.map((one) => one.told["operationId"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("refers to nothing that it does not have, and has nothing that nobody refers to", () => {
    const text = JSON.stringify(OPENAPI_DOCUMENT);
    const refs = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([ref]) => ref),
    );
    const parts = ["schemas", "responses", "headers"].flatMap((part) =>
      Object.keys(objectAt(objectAt(OPENAPI_DOCUMENT, "components"), part)).map(
        (name) => `"#/components/${part}/${name}"`,
      ),
    );
    expect([...refs].sort()).toEqual(parts.sort());
  });

  it("describes every parameter and every property of a body", () => {
    const wanting: string[] = [];
    for (const { path, method, told } of OPERATIONS) {
      const body = objectAt(objectAt(objectAt(told, "requestBody"), "content"), "application/json");
      const schema = target(objectAt(body, "schema"));
      for (const [name, field] of propertiesOf(schema)) {
        if (target(field)["description"] === undefined) wanting.push(`${method} ${path} ${name}`);
      }
      for (const one of Array.isArray(told["parameters"]) ? told["parameters"] : []) {
        if (!/\S/.test(one.description)) wanting.push(`${method} ${path} ${one.name}`);
      }
    }
    expect(wanting).toEqual([]);
  });

  it("names the scope, a request id in every answer, and every code that a route may refuse with", () => {
    for (const route of ROUTES) {
      const operation = OPERATIONS.find(
        (one) => one.path === route.path && one.method === route.method.toLowerCase(),
      );
      const told = operation?.told ?? {};
      expect(told["x-scope"]).toBe(route.scope);
      const codes: string[] = [];
      for (const given of Object.values(objectAt(told, "responses"))) {
        const answer = target(isJsonObject(given) ? given : {});
        expect(Object.keys(objectAt(answer, "headers"))).toContain("X-Request-Id");
        codes.push(...Object.keys(objectAt(problemContent(answer), "examples")));
      }
      expect(codes.sort()).toEqual([...problemCodes(route)].sort());
    }
  });

  it("says something of every property, in bodies and in answers", () => {
    const silent: string[] = [];
    const visit = (node: unknown, at: string): void => {
      if (!isJsonObject(node)) return;
      for (const [name, one] of Object.entries(objectAt(node, "properties"))) {
        if (isJsonObject(one) && Object.keys(one).length === 0) silent.push(`${at}/${name}`);
      }
      for (const [name, one] of Object.entries(node)) {
        if (!name.startsWith("example")) visit(one, `${at}/${name}`);
      }
    };
    visit(OPENAPI_DOCUMENT, "");
    expect(silent).toEqual([]);
  });

  it("has examples that are as their schemas say", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(OPENAPI_DOCUMENT, "document");
    const wrong: string[] = [];
    let count = 0;
    const check = (pointer: string, value: unknown, where: string): void => {
      count += 1;
      const isValid = ajv.validate({ $ref: `document#${pointer}` }, value);
      if (!isValid) wrong.push(`${where}: ${ajv.errorsText()}`);
    };
    visitExamples(OPENAPI_DOCUMENT, "", check);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(80);
  });

  it.each([
    ["prepareReceipt", { operationId: "o" }, { payload: null }, { payloadHash: "a".repeat(64) }],
    ["erase", {}, { email: "a" }, { receipt: "a".repeat(64) }],
    ["erase", {}, { email: "a" }, { query: "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f" }],
    ["resolveReceipt", { outcome: "happened" }, { result: null }, null],
    ["resolveReceipt", { outcome: "abandoned" }, {}, { result: null }],
  ])(
    "says what excludes what in the body of %s with %j, as its route does",
    (id, base, one, other) => {
      const ajv = new Ajv2020({ strict: false });
      ajv.addSchema(OPENAPI_DOCUMENT, "document");
      const route = ROUTES.find((each) => each.id === id);
      const pointer = `/paths/${route?.path.replaceAll("/", "~1")}/post/requestBody/content`;
      const schema = ajv.compile({
        $ref: `document#${encodeURI(`${pointer}/application~1json/schema`)}`,
      });
      const bodies = [
        base,
        { ...base, ...one },
        { ...base, ...other },
        { ...base, ...one, ...other },
      ];
      const verdicts = bodies.map((body) => schema(body));
      expect(verdicts).toEqual(bodies.map((body) => route?.body?.safeParse(body).success));
      expect(new Set(verdicts).size).toBe(2);
    },
  );

  it("has an example of every body and of every answer with content", () => {
    const wanting = OPERATIONS.filter(({ path }) => path.startsWith("/v1/")).filter(({ told }) => {
      const answers = Object.values(objectAt(told, "responses"));
      return [objectAt(told, "requestBody"), ...answers].some((given) => {
        const content = objectAt(isJsonObject(given) ? given : {}, "content");
        const json = objectAt(content, "application/json");
        return json["schema"] !== undefined && json["example"] === undefined;
      });
    });
    expect(wanting.map(({ path, method }) => `${method} ${path}`)).toEqual([]);
  });

  it("is served with the place where the service is reached from outside", async () => {
    const publicUrl = "https://jobs.example.com";
    const { ask } = await serve({ http: { publicUrl } });
    const told = await ask("GET", "/openapi.json", { key: null });
    expect(told.status).toBe(200);
    expect(told.headers.get("content-type")).toBe("application/json");
    expect(told.body["servers"]).toEqual([{ url: publicUrl }]);
    expect({ ...told.body, servers: null }).toEqual({ ...OPENAPI_DOCUMENT, servers: null });
    expect(JSON.parse(await documentText(""))).toEqual(OPENAPI_DOCUMENT);
  });
});

describe("the page", () => {
  it("is static: no script, nothing from elsewhere, and no browser may add any", async () => {
    const { ask } = await serve();
    const { text, headers, status } = await ask("GET", "/docs", { key: null });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(text).not.toMatch(/<script|<link|<img|<iframe|javascript:|\son\w+=|@import|url\(/i);
    for (const [, href] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      expect(href).toMatch(/^(#[\w-]+|openapi\.json)$/);
    }
  });

  it("explains every problem code at its anchor, and every link leads somewhere", async () => {
    const { ask } = await serve();
    const { text } = await ask("GET", "/docs");
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const code of Object.keys(PROBLEMS)) expect(ids).toContain(code);
    for (const [, id = ""] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
  });

  it("opens and closes every element", async () => {
    const { ask } = await serve();
    const { text } = await ask("GET", "/docs");
    const open: string[] = [];
    for (const [, slash, name = ""] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (["meta", "wbr"].includes(name)) continue;
      if (slash === "") open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });

  it("shows each operation with its scope and a command", async () => {
    const { ask } = await serve();
    const { text } = await ask("GET", "/docs");
    for (const { id } of ROUTES) expect(text).toContain(`<article id="${id}">`);
    expect(text.match(/<pre>curl /g)?.length).toBe(OPERATIONS.length);
  });

  it("shows commands that the service takes, whatever it finds", async () => {
    const { ask } = await serve();
    const { text } = await ask("GET", "/docs");
    const commands = [...text.matchAll(/<pre>(curl .*?)<\/pre>/gs)].map(([, command = ""]) =>
      command.replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
    );
    for (const command of commands) {
      const [, put, path = ""] = /^curl (-X PUT )?"\$HOLDFAST_URL([^"]*)"/.exec(command) ?? [];
      const [, body] = /-d '(.*)'$/s.exec(command) ?? [];
      const method = body === undefined ? "GET" : put === undefined ? "POST" : "PUT";
      const told = await ask(method, path, body === undefined ? {} : { body: JSON.parse(body) });
      expect([path, [400, 405, 422].includes(told.status) ? told.body : {}]).toEqual([path, {}]);
    }
  });
});

describe("a service in one file", () => {
  const SERVICE = new URL("../../src/http/app.js", import.meta.url).pathname;

  async function bundled(plugins: Plugin[] = []) {
    const { outputFiles, metafile } = await build({
      entryPoints: [SERVICE],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["worker", "browser", "import"],
      format: "esm",
      plugins,
    });
    const text = outputFiles[0]?.text ?? "";
    return { text, gzipBytes: gzipSync(text).length, inputs: Object.keys(metafile.inputs) };
  }

  const withoutDocuments: Plugin = {
    name: "without documents",
    setup: (work) => {
      work.onLoad({ filter: /generated\/[\w-]+\.js$/ }, () => ({
        contents: "export const OPENAPI_DOCUMENT = {}, DOCS_PAGE = '';",
      }));
    },
  };

  it("carries the documents and nothing that makes them", async () => {
    const whole = await bundled();
    const bare = await bundled([withoutDocuments]);
    // zod's own conversion is there, too: each of its schemas has it as a method.
    const makers = /src\/http\/(openapi|docs-(html|style)|problem-texts)/;
    expect(whole.inputs.filter((file) => makers.test(file))).toEqual([]);
    expect(/(from|import)\s*\(?["']node:/.test(whole.text)).toBe(false);
    expect(bare.gzipBytes).toBeLessThan(80_000);
    expect(whole.gzipBytes - bare.gzipBytes).toBeLessThan(55_000);
  });
});

/** Of an object, and of the cases that it may be one of. */
function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const { oneOf } = schema;
  const all: readonly JsonObject[] = [schema, ...(Array.isArray(oneOf) ? oneOf : [])];
  return all.flatMap((one) => {
    const properties = objectAt(one, "properties");
    return Object.keys(properties).map((name) => [name, objectAt(properties, name)] as const);
  });
}

function target(given: JsonObject): JsonObject {
  const ref = given["$ref"];
  if (typeof ref !== "string") return given;
  return { ...ref.slice(2).split("/").reduce(objectAt, OPENAPI_DOCUMENT), ...given };
}

function problemContent(answer: JsonObject): JsonObject {
  return objectAt(objectAt(answer, "content"), "application/problem+json");
}

type CheckExample = (pointer: string, value: unknown, where: string) => void;

/** Everything in the document that stands beside a schema as its example. */
function visitExamples(node: unknown, pointer: string, check: CheckExample): void {
  if (Array.isArray(node)) {
    for (const [index, one] of node.entries()) visitExamples(one, `${pointer}/${index}`, check);
  }
  if (!isJsonObject(node)) return;
  if (node["schema"] !== undefined) checkExamples(node, pointer, check);
  for (const [name, child] of Object.entries(node)) {
    const part = name.replaceAll("~", "~0").replaceAll("/", "~1");
    visitExamples(child, `${pointer}/${part}`, check);
  }
}

function checkExamples(node: JsonObject, pointer: string, check: CheckExample): void {
  const schema = `${encodeURI(pointer)}/schema`;
  if (node["example"] !== undefined) check(schema, node["example"], pointer);
  for (const [name, given] of Object.entries(objectAt(node, "examples"))) {
    check(schema, isJsonObject(given) ? given["value"] : null, `${pointer} ${name}`);
  }
}
