/** The page for people, made of the OpenAPI document when building: static, no script, nothing foreign. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { DOCS_STYLE } from "./docs-style.ts";
import { objectAt } from "./openapi-schemas.ts";
import { PROBLEMS, type ProblemCode } from "./problem.ts";
import { PROBLEM_TEXTS } from "./problem-texts.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly JsonObject[];
  readonly told: JsonObject;
}

export function docsHtml(document: JsonObject): string {
  const operations = operationsOf(document);
  const tags = arrayAt(document, "tags").map((tag) => ({ name: textAt(tag, "name"), tag }));
  const sections = tags.map(({ name, tag }) => {
    const own = operations.filter(({ told }) => arrayText(told, "tags").includes(name));
    return [
      `<section><h2 id="${anchor(name)}">${escaped(name)}</h2>`,
      paragraphs(textAt(tag, "description")),
      ...own.map((one) => operationHtml(document, one)),
      "</section>",
    ].join("\n");
  });
  const info = objectAt(document, "info");
  return `${[
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><title>Holdfast HTTP</title>',
    `<style>${DOCS_STYLE}</style></head><body>`,
    `<header><h1>Holdfast HTTP</h1><p>${escaped(textAt(info, "summary"))}`,
    ` Version ${escaped(textAt(info, "version"))}; the same for machines: `,
    '<a href="openapi.json">openapi.json</a>.</p></header>',
    contents(tags.map(({ name }) => name)),
    "<main><section>",
    paragraphs(textAt(info, "description")),
    "</section>",
    ...sections,
    payloadsHtml(document),
    problemsHtml(),
    "</main></body></html>",
  ].join("\n")}\n`;
}

function contents(tags: readonly string[]): string {
  const links = [...tags, "Payloads", "Problems"].map(
    (name) => `<a href="#${anchor(name)}">${escaped(name)}</a>`,
  );
  return `<nav>${links.join(" ")}</nav>`;
}

/** What each kind of email holds beside `type` and `recipient`. */
function payloadsHtml(document: JsonObject): string {
  const payload = objectAt(objectAt(objectAt(document, "components"), "schemas"), "EmailPayload");
  const kinds = arrayAt(payload, "anyOf").map((kind) => [
    `<article id="payload-${anchor(textAt(kind, "title"))}"><h3>${escaped(textAt(kind, "title"))}</h3>`,
    paragraphs(textAt(kind, "description")),
    table("Field", fieldsOf(document, kind)),
    "</article>",
  ]);
  return [
    '<section><h2 id="payloads">Payloads</h2>',
    paragraphs(textAt(payload, "description")),
    ...kinds.flat(),
    "</section>",
  ].join("\n");
}

function operationsOf(document: JsonObject): readonly Operation[] {
  return Object.entries(objectAt(document, "paths")).flatMap(([path, item]) => {
    if (!isJsonObject(item)) return [];
    const shared = arrayAt(item, "parameters");
    return ["get", "put", "post"].flatMap((method) => {
      const told = item[method];
      if (!isJsonObject(told)) return [];
      return [{ method, path, told, parameters: [...shared, ...arrayAt(told, "parameters")] }];
    });
  });
}

function operationHtml(document: JsonObject, operation: Operation): string {
  const { method, path, told, parameters } = operation;
  const id = textAt(told, "operationId");
  const scope = textAt(told, "x-scope");
  const badge = scope === "" ? "no key" : scope === "any" ? "any key" : scope;
  const description = textAt(told, "description");
  return [
    `<article id="${id}"><h3><code class="${method}">${method.toUpperCase()}</code> `,
    `<code>${escaped(path).replaceAll("/", "/<wbr>")}</code> <span>${escaped(badge)}</span></h3>`,
    `<p><strong>${escaped(textAt(told, "summary"))}.</strong></p>`,
    paragraphs(description),
    parametersHtml(parameters),
    bodyHtml(document, told),
    `<p>As a command:</p><pre>${escaped(curlOf(operation))}</pre>`,
    answersHtml(document, told),
    "</article>",
  ].join("\n");
}

function parametersHtml(parameters: readonly JsonObject[]): string {
  const rows = parameters.map((one) => ({
    name: textAt(one, "name"),
    type: `${typeText(objectAt(one, "schema"))}; ${textAt(one, "in")}`,
    isRequired: one["required"] === true,
    text: textAt(one, "description"),
  }));
  return table("Parameter", rows);
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

function table(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(
    ({ name, type, isRequired, text }) =>
      `<tr><td><code>${escaped(name)}</code>${isRequired ? "" : " <small>optional</small>"}</td>` +
      `<td>${escaped(type)}</td><td>${inline(text)}</td></tr>`,
  );
  return [
    `<div class="wide"><table><tr><th>${title}</th><th>Type</th><th>Meaning</th></tr>`,
    ...lines,
    "</table></div>",
  ].join("\n");
}

function bodyHtml(document: JsonObject, told: JsonObject): string {
  const content = objectAt(objectAt(objectAt(told, "requestBody"), "content"), "application/json");
  if (content["schema"] === undefined) return "";
  const schema = resolved(document, objectAt(content, "schema"));
  const cases = arrayAt(schema, "oneOf").filter((one) => "properties" in one);
  const tables = (cases.length === 0 ? [schema] : cases).map((one, n) =>
    table(n === 0 ? "Body" : "Or", fieldsOf(document, one)),
  );
  const example = JSON.stringify(content["example"], null, 2);
  const limit = textAt(objectAt(told, "requestBody"), "description");
  return [
    ...tables,
    `<p>For example (${escaped(limit.replace(/^A/, "a").replace(/\.$/, ""))}):</p><pre>${escaped(example)}</pre>`,
  ].join("\n");
}

function fieldsOf(document: JsonObject, schema: JsonObject): readonly Row[] {
  const needed = arrayText(schema, "required");
  return Object.entries(objectAt(schema, "properties")).map(([name, given]) => {
    const field = isJsonObject(given) ? resolved(document, given) : {};
    return {
      name,
      type: typeText(field),
      isRequired: needed.includes(name),
      text: textAt(field, "description"),
    };
  });
}

function typeText(schema: JsonObject): string {
  const { type, anyOf } = schema;
  const values = arrayText(schema, "enum");
  if (values.length > 0) return values.join(" | ");
  if (typeof schema["const"] === "string") return schema["const"];
  if (Array.isArray(anyOf)) {
    const kinds = new Set(anyOf.filter((one) => isJsonObject(one)).map(typeText));
    return [...kinds].join(" | ");
  }
  if (type === "array") return `array of ${typeText(objectAt(schema, "items")) || "objects"}`;
  const format = textAt(schema, "format");
  return format === "" ? String(type ?? "object") : format;
}

function answersHtml(document: JsonObject, told: JsonObject): string {
  const lines = Object.entries(objectAt(told, "responses")).map(([status, given]) => {
    const answer = isJsonObject(given) ? resolved(document, given) : {};
    const content = objectAt(answer, "content");
    const codes = Object.keys(objectAt(objectAt(content, "application/problem+json"), "examples"));
    if (codes.length > 0) {
      const links = codes.map((code) => `<a href="#${code}"><code>${code}</code></a>`);
      return `<li><b>${status}</b> ${links.join(", ")}</li>`;
    }
    const example = objectAt(content, "application/json")["example"];
    const text = `<b>${status}</b> ${inline(textAt(answer, "description"))}`;
    if (example === undefined) return `<li>${text}</li>`;
    const json = escaped(JSON.stringify(example, null, 2));
    return `<li><details><summary>${text}</summary><pre>${json}</pre></details></li>`;
  });
  return `<p>Answers:</p><ul class="answers">\n${lines.join("\n")}\n</ul>`;
}

function curlOf({ method, path, told, parameters }: Operation): string {
  const url = parameters.reduce(
    (text, one) =>
      text.replace(`{${textAt(one, "name")}}`, encodeURIComponent(textAt(one, "example"))),
    path,
  );
  const asked = parameters.flatMap((one) =>
    one["in"] === "query" && one["required"] === true
      ? [`${textAt(one, "name")}=${encodeURIComponent(String(one["example"]))}`]
      : [],
  );
  const target = `"$HOLDFAST_URL${url}${asked.length === 0 ? "" : `?${asked.join("&")}`}"`;
  const lines = [`curl ${target}`];
  if (method === "put") lines[0] = `curl -X PUT ${target}`;
  if (textAt(told, "x-scope") !== "") lines.push('-H "Authorization: Bearer $HOLDFAST_KEY"');
  const content = objectAt(objectAt(objectAt(told, "requestBody"), "content"), "application/json");
  if (content["example"] !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(content["example"])}'`);
  }
  return lines.join(" \\\n  ");
}

function problemsHtml(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  const entries = codes.map((code) => {
    const { status, title } = PROBLEMS[code];
    const { meaning, remedy } = PROBLEM_TEXTS[code];
    return [
      `<dt id="${code}"><code>${code}</code> <span>${status}</span> ${escaped(title)}</dt>`,
      `<dd>${inline(meaning)} <em>${inline(remedy)}</em></dd>`,
    ].join("\n");
  });
  return `<section><h2 id="problems">Problems</h2><dl>\n${entries.join("\n")}\n</dl></section>`;
}

/** What a schema or an answer refers to, with what is said beside the reference. */
function resolved(document: JsonObject, given: JsonObject): JsonObject {
  const ref = textAt(given, "$ref");
  if (ref === "") return given;
  const target = ref.slice(2).split("/").reduce(objectAt, document);
  return { ...target, ...given };
}

function textAt(parent: JsonObject, name: string): string {
  const text = parent[name];
  return typeof text === "string" ? text : "";
}

function arrayAt(parent: JsonObject, name: string): readonly JsonObject[] {
  return valuesAt(parent, name).filter((one) => isJsonObject(one));
}

function arrayText(parent: JsonObject, name: string): readonly string[] {
  return valuesAt(parent, name).filter((one) => typeof one === "string");
}

function valuesAt(parent: JsonObject, name: string): readonly JsonValue[] {
  const values = parent[name];
  return Array.isArray(values) ? (values as readonly JsonValue[]) : [];
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

function paragraphs(text: string): string {
  const parts = text.split("\n\n").filter((part) => part !== "");
  return parts.map((part) => `<p>${inline(part)}</p>`).join("\n");
}

/** The little Markdown that our texts use. */
function inline(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
