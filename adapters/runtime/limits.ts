/** The limits that a configuration sets. */
import type { HoldfastOptions } from "../../src/services/options.ts";
import type { Config } from "./config.ts";

const DAY_MS = 86_400_000;

export function limitsOf(config: Config<unknown>): NonNullable<HoldfastOptions["limits"]> {
  const { emailRetentionDays, receiptCapacity, receiptRetentionDays, admissionTimeoutMs } = config;
  return {
    passMs: config.reconcileBudgetMs,
    ...(emailRetentionDays === null ? {} : { emailRetentionMs: emailRetentionDays * DAY_MS }),
    ...(receiptCapacity === null ? {} : { receiptCapacity }),
    receiptRetentionMs: receiptRetentionDays === 0 ? "off" : receiptRetentionDays * DAY_MS,
    dispatchMarginMs: config.dispatchMarginMs,
    queryRetentionMs: config.queryRetentionDays * DAY_MS,
    runLeaseMs: config.runLeaseMs,
    ...(admissionTimeoutMs === "off" ? {} : { admissionTimeoutMs }),
  };
}
