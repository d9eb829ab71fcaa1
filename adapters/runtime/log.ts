/** Log lines on standard output, one JSON object each. */
import pino from "pino";
import type { Log } from "../../src/ports/log.ts";
import type { LogLevel } from "./config-variables.ts";

export interface NodeLog {
  readonly log: Log;
  /** Writes what is held back, before the process ends. */
  flush(): void;
}

/** Lines are gathered for one write of the system, but never for longer than this. */
const HELD_BYTES = 4_096;
const HELD_MS = 100;

export function nodeLog(level: LogLevel): NodeLog {
  const out = pino.destination({
    dest: 1,
    sync: false,
    minLength: HELD_BYTES,
    periodicFlush: HELD_MS,
  });
  // Whoever read the lines has gone; the service goes on without them.
  out.on("error", () => {});
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  );
  return {
    log: (lineLevel, event, fields) => logger[lineLevel](fields, event),
    flush() {
      try {
        out.flushSync();
      } catch {
        // Not open yet, or gone: there is nobody to tell.
      }
    },
  };
}
