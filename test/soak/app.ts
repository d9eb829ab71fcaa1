/** What the services of a soak load: messages whose attempts no number of kills uses up. */
import { defineApp } from "../../src/services/app.ts";

// biome-ignore lint/style/noDefaultExport: what HOLDFAST_APP names is loaded by its default export
export default defineApp({ maxAttempts: { message: 100 } });
