/**
 * What the service tells about itself: made when building and served as it is. It is large, and loaded when
 * it is first asked for: most processes of a function end before that.
 */

/** `publicUrl`: where the service is reached from outside; empty where nobody said. */
export async function documentText(publicUrl: string): Promise<string> {
  const { OPENAPI_DOCUMENT } = await import("./generated/openapi-document.ts");
  if (publicUrl === "") return JSON.stringify(OPENAPI_DOCUMENT);
  return JSON.stringify({ ...OPENAPI_DOCUMENT, servers: [{ url: publicUrl }] });
}

export async function docsPage(): Promise<string> {
  return (await import("./generated/docs-page.ts")).DOCS_PAGE;
}
