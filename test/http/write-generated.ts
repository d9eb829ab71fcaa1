/** `npm run openapi`: writes what src/http/generated holds. */
import { writeFileSync } from "node:fs";
import { generatedFile, generatedTexts } from "./generated.ts";

for (const [name, text] of generatedTexts()) writeFileSync(generatedFile(name), text);
