/** What the services of the cloud drill load: a kind whose mails tell their attempt and their sender. */
import * as z from "zod";
import { defineEmailKind } from "../../src/machines/emails/kinds.ts";
import { defineApp } from "../../src/services/app.ts";
import { KIND, letterOf, NAME_VARIABLE } from "./letters.ts";

const drilled = defineEmailKind({
  name: KIND,
  payload: z.object({}),
  // Each kill may cost one, and none of them may be the end of a job.
  maxAttempts: 100,
  prepare: ({ logicalKey, attempts }) =>
    letterOf(logicalKey, attempts, process.env[NAME_VARIABLE] ?? "nobody"),
});

// biome-ignore lint/style/noDefaultExport: what HOLDFAST_APP names is loaded by its default export
export default defineApp({ kinds: [drilled] });
