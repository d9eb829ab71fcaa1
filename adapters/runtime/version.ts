/** The version of this package. */
import { readFileSync } from "node:fs";

export function packageVersion(): string {
  // This file runs from dist/adapters/runtime.
  const file = new URL("../../../package.json", import.meta.url);
  return String(JSON.parse(readFileSync(file, "utf8")).version);
}
