/** The files of src/http/generated, as they have to be: for the script that writes them and for the test. */
import { readFileSync } from "node:fs";
import { ROUTES } from "../../src/http/app.ts";
import { docsHtml } from "../../src/http/docs-html.ts";
import { openApiDocument } from "../../src/http/openapi.ts";

// This file runs from dist/test/http.
const ROOT = new URL("../../../", import.meta.url);

/** Where a file of that name stands in the sources. */
export function generatedFile(name: string): URL {
  return new URL(`src/http/generated/${name}`, ROOT);
}

/** Texts by name. */
export function generatedTexts(): ReadonlyMap<string, string> {
  const { version } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  const document = openApiDocument(ROUTES, String(version));
  return new Map([
    ["openapi-document.ts", documentFile(JSON.stringify(document, null, 1))],
    ["docs-page.ts", pageFile(docsHtml(document))],
  ]);
}

const HEADER = "Made by `npm run openapi`; not to be edited.";

function documentFile(json: string): string {
  return `/** The OpenAPI document. ${HEADER} */
import type { JsonObject } from "../../core/json.ts";

export const OPENAPI_DOCUMENT: JsonObject = ${json};
`;
}

function pageFile(html: string): string {
  const text = html.replace(/[\\`]|\$\{/g, (found) => `\\${found}`);
  return `/** The page at /docs. ${HEADER} */
export const DOCS_PAGE = \`${text}\`;
`;
}
