/** What the service tells about itself: made when building, served as it is. */
import { DOCS_PAGE } from "./generated/docs-page.ts";
import { OPENAPI_DOCUMENT } from "./generated/openapi-document.ts";

/** `publicUrl`: where the service is reached from outside; empty where nobody said. */
export function documentText(publicUrl: string): string {
  if (publicUrl === "") return JSON.stringify(OPENAPI_DOCUMENT);
  return JSON.stringify({ ...OPENAPI_DOCUMENT, servers: [{ url: publicUrl }] });
}

export function docsPage(): string {
  return DOCS_PAGE;
}
