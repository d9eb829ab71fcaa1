/** What names one mail to whoever sends it. */
import { sha256Hex } from "../../core/hash.ts";
import type { LiveEmail } from "./record.ts";

/**
 * The same for every try of one mail, and for no other mail. Of the default tenant it is the logical key;
 * of another tenant, and of a job that was turned to another mail after an attempt, it is `sha256:` and
 * 64 digits, which no logical key may look like (`validLogicalKey`). A requeued job keeps it: what may
 * have been sent must not be sent twice.
 */
export function idempotencyKeyOf(tenant: string | null, { job, extra }: LiveEmail): string {
  const { logicalKey } = job;
  const { generation } = extra;
  if (tenant === null && generation === 0) return logicalKey;
  return `sha256:${sha256Hex(JSON.stringify([tenant, logicalKey, generation]))}`;
}
