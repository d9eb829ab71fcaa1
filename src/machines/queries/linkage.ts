/** Which run of which provider a job is: told by the provider, shown to whoever reads the job. */
import * as z from "zod/mini";
import { fieldOf } from "../../core/foreign.ts";
import { LINKAGE_ID_CHARS_MAX, RESOLVED_MODEL_CHARS_MAX } from "./limits.ts";
import { redacted } from "./redaction.ts";

const PROVIDERS = ["claude", "codex"] as const;

const IDS = ["cliSessionId", "claudeRunId", "codexRunId", "codexThreadId"] as const;

export type Linkage = {
  readonly provider?: (typeof PROVIDERS)[number];
  readonly resolvedModel?: string;
  readonly cliSessionId?: string;
  readonly claudeRunId?: string;
  readonly codexRunId?: string;
  readonly codexThreadId?: string;
};

export const storedLinkage: z.core.$ZodType<Linkage> = z.strictObject({
  provider: z.exactOptional(z.enum(PROVIDERS)),
  resolvedModel: z.exactOptional(z.string()),
  cliSessionId: z.exactOptional(z.string()),
  claudeRunId: z.exactOptional(z.string()),
  codexRunId: z.exactOptional(z.string()),
  codexThreadId: z.exactOptional(z.string()),
});

/** What of `value` is known and not blank, redacted and cut (QUERY-20); the rest is left out. */
export function linkageOf(value: unknown): Linkage {
  const found: Record<string, string> = {};
  const provider = fieldOf(value, "provider");
  if (PROVIDERS.some((known) => known === provider)) found["provider"] = String(provider);
  const put = (name: string, charsMax: number): void => {
    const text = fieldOf(value, name);
    const shown = typeof text === "string" ? redacted(text, charsMax).text : "";
    if (shown !== "") found[name] = shown;
  };
  put("resolvedModel", RESOLVED_MODEL_CHARS_MAX);
  for (const name of IDS) put(name, LINKAGE_ID_CHARS_MAX);
  return found;
}
