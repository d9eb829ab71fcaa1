/** Log lines on standard output, one JSON object each. */
import { writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import type { Log } from "../../src/ports/log.ts";
import type { LogLevel } from "./config-variables.ts";

export interface NodeLog {
  readonly log: Log;
  /** Writes what is held back, before the process ends; does not wait for a reader that has stopped. */
  flush(): Promise<void>;
}

interface Lines {
  write(line: string): void;
  flush(): Promise<void>;
  /** How many could not be written since it was asked last; 0 while no further one could be. */
  takeDropped(): number;
}

/** Lines are gathered for one write of the system, but never for longer than this. */
const GATHERED_CHARS = 4_096;
const GATHERED_MS = 100;

/** What waits for whoever reads the lines. More of them are dropped, and counted. */
const WAITING_BYTES_MAX = 8 * 1_024 * 1_024;

/** How long the end of the process waits for them to be read. */
const FLUSH_MS = 500;

export function nodeLog(level: LogLevel): NodeLog {
  const lines = linesOut(process.stdout);
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    lines,
  );
  return {
    log(lineLevel, event, fields) {
      const count = lines.takeDropped();
      if (count > 0) logger.warn({ count }, "log lines dropped");
      logger[lineLevel](fields, event);
    },
    flush: () => lines.flush(),
  };
}

/**
 * Never blocks on a pipe: Node writes to one when its reader is ready, on no thread that would wait
 * for it and keep the process from ending.
 */
function linesOut(out: NodeJS.WriteStream): Lines {
  let gathered: string[] = [];
  let chars = 0;
  let timer: NodeJS.Timeout | null = null;
  let dropped = 0;
  let isGone = false;

  function send(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (gathered.length === 0) return;
    const count = gathered.length;
    const text = gathered.join("");
    gathered = [];
    chars = 0;
    if (out instanceof Socket) out.write(text);
    else if (!appended(text)) dropped += count;
  }

  // Whoever read the lines has gone; the service goes on without them.
  out.on("error", () => {
    isGone = true;
  });
  // Of a process that ends unforeseen, as far as they can be written at once.
  process.once("exit", send);
  return {
    write(line) {
      if (isGone) return;
      if (out.writableLength + chars + line.length > WAITING_BYTES_MAX) {
        dropped += 1;
        return;
      }
      gathered.push(line);
      chars += line.length;
      if (chars >= GATHERED_CHARS) send();
      else timer ??= setTimeout(send, GATHERED_MS).unref();
    },
    async flush() {
      if (isGone) return;
      send();
      if (!(out instanceof Socket) || out.writableLength === 0) return;
      const written = new Promise<void>((resolve) => out.write("", () => resolve()));
      await Promise.race([written, sleep(FLUSH_MS)]);
    },
    takeDropped() {
      if (dropped === 0 || out.writableLength > WAITING_BYTES_MAX / 2) return 0;
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

/** To a file, whose stream would be of no use any more after a disk that was full for a while. */
function appended(text: string): boolean {
  try {
    writeFileSync(process.stdout.fd, text);
    return true;
  } catch {
    return false;
  }
}
