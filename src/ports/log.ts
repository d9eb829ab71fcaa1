/** Where lines about what happened go. Never holds payloads, logical keys, credentials or queries. */

export type LogLevel = "debug" | "info" | "warn" | "error";

/** One line: what happened, in a fixed word, and facts about it. */
export type Log = (
  level: LogLevel,
  event: string,
  fields: Readonly<Record<string, string | number | boolean | null | undefined>>,
) => void;
