/** Log lines of a function, one JSON object each: its platform takes what is written to the console. */
import type { Log } from "../../src/ports/log.ts";
import { LOG_LEVELS, type LogLevel } from "./config-variables.ts";

/** Whatever takes one line. */
export type WriteLine = (line: string) => void;

export function functionLog(
  level: LogLevel,
  // biome-ignore lint/suspicious/noConsole: it is the platform's log.
  write: WriteLine = (line) => console.log(line),
): Log {
  const least = LOG_LEVELS.indexOf(level);
  return (lineLevel, event, fields) => {
    if (LOG_LEVELS.indexOf(lineLevel) < least) return;
    const time = new Date().toISOString();
    write(JSON.stringify({ level: lineLevel, time, ...fields, event }));
  };
}
