/** Mail that stays here: for development and tests. */
import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sha256Hex } from "../../src/core/hash.ts";
import { isoTime } from "../../src/core/time.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import { type Mail, type Mailer, type MailResult, mailProblem } from "../../src/ports/mailer.ts";

export interface CaptureMailerOptions {
  /**
   * Where each mail becomes a JSON file that only this user can read, named by its time and its key's
   * hash; made if it is missing. A symlink is not followed, neither in its place nor in a mail's. Without it
   * mails are kept in memory alone.
   */
  readonly directory?: string;
  readonly clock?: Clock;
}

export interface CapturedMail {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly idempotencyKey: string;
  readonly mail: Mail;
}

export interface CaptureMailer extends Mailer {
  /** What this mailer was given, at most the latest MAILS_KEPT_MAX, oldest first. */
  readonly mails: readonly CapturedMail[];
}

/** Somebody may leave it running. */
export const MAILS_KEPT_MAX = 1_000;

/** Mails of one key within one millisecond. */
const NAMES_MAX = 100;

/**
 * Sends nothing. Every try is captured, the repeat of an earlier one too, so that it is seen. Unavailable
 * when its file cannot be written, `permanent` as any mailer. Throws MisconfiguredError for a directory
 * without a name.
 */
export function captureMailer(options: CaptureMailerOptions = {}): CaptureMailer {
  const { clock = systemClock() } = options;
  const directory = directoryOf(options);
  const mails: CapturedMail[] = [];
  let isClosed = false;
  return {
    mails,

    async send(mail, { idempotencyKey, signal }) {
      if (isClosed) return unavailable("the mailer is closed");
      if (signal.aborted) return unavailable("stopped");
      const problem = mailProblem(mail);
      if (problem !== null) return { kind: "permanent", error: problem };
      const id = sha256Hex(idempotencyKey).slice(0, 40);
      const captured: CapturedMail = { id, at: isoTime(clock.now()), idempotencyKey, mail };
      try {
        if (directory !== null) await written(directory, captured);
      } catch (error) {
        return unavailable(`the mail could not be written to its folder (${codeOf(error)})`);
      }
      mails.push(captured);
      if (mails.length > MAILS_KEPT_MAX) mails.shift();
      return { kind: "sent", id };
    },

    async close() {
      isClosed = true;
    },
  };
}

/** Null: in memory alone. Without the slash at its end, behind which a symlink would be followed. */
function directoryOf({ directory }: CaptureMailerOptions): string | null {
  if (directory === undefined) return null;
  if (directory.trim() !== "") return resolve(directory);
  throw new MisconfiguredError(
    "captureMailer: directory must not be empty; without one mails stay in memory",
  );
}

function unavailable(error: string): MailResult {
  return { kind: "retry", error, isUnavailable: true };
}

/** Not the system's message, which has the path: what is told of a try is stored with its job. */
function codeOf(error: unknown): string {
  const code = String(error instanceof Error && "code" in error && error.code);
  return /^E[A-Z0-9]{2,20}$/.test(code) ? code : "unexpected";
}

async function written(directory: string, captured: CapturedMail): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // As in the folder of the storage, nobody is led elsewhere.
  if (!(await lstat(directory)).isDirectory()) throw notDirectory();
  const text = `${JSON.stringify(captured, null, 2)}\n`;
  // Colons are no part of a file's name everywhere.
  const name = `${captured.at.replaceAll(":", "-")}-${captured.id.slice(0, 12)}`;
  for (let n = 1; ; n += 1) {
    const file = join(directory, n === 1 ? `${name}.json` : `${name}-${n}.json`);
    try {
      // Exclusive: whatever lies there already, a symlink as well, is neither followed nor changed.
      return await writeFile(file, text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (!isThere(error) || n === NAMES_MAX) throw error;
    }
  }
}

function notDirectory(): Error {
  return Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
}

function isThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
