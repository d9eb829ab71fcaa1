/** Whether anybody answers where mails are posted to. Nothing is posted, and no header presented. */
import { codeOf } from "./outcome.ts";
import { parseMailUrl } from "./url.ts";

/** Null when somebody does; else why not. Takes `ms` at most. What it would say to a mail is not asked. */
export async function httpTrouble(url: string, ms: number): Promise<string | null> {
  const place = parseMailUrl(url);
  if (place === null) return "the URL is none that mails are posted to";
  const late = AbortSignal.timeout(ms);
  try {
    const response = await fetch(place, { method: "HEAD", redirect: "manual", signal: late });
    await response.body?.cancel();
    return null;
  } catch (error) {
    return late.aborted ? `no answer within ${ms} ms` : `it is not reached${codeOf(error)}`;
  }
}
