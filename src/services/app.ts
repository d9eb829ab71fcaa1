/** What an application brings of its own: kinds of email, operations, where work is found, how mail leaves. */
import { parseMailbox } from "../core/mailbox.ts";
import {
  type AttemptsByKind,
  type EmailKind,
  emailKinds,
  type Prepares,
} from "../machines/emails/kinds.ts";
import { type Operation, operations } from "../machines/receipts/operations.ts";
import type { Mailer } from "../ports/mailer.ts";
import type { Source } from "../ports/source.ts";

export interface MailOptions {
  /** Closed when the service is. */
  readonly mailer: Mailer;
  /** The sender of every mail: an address, or `Name <address>`. */
  readonly from: string;
  /** Mails on their way at the same time in one pass; 1 to 100, default 8. */
  readonly atOnce?: number;
}

export interface App {
  /** Kinds of email beside the built-in ones; made by `defineEmailKind`. */
  readonly kinds?: readonly EmailKind[];
  /** How built-in kinds are validated and rendered, by name: without it nothing of them is sent. */
  readonly prepare?: Prepares;
  /** How often jobs of built-in kinds are tried before they are failed, by kind: 1 to 100; default 3. */
  readonly maxAttempts?: AttemptsByKind;
  /** Operations that receipts are kept of, beside the built-in ones; made by `defineOperation`. */
  readonly operations?: readonly Operation[];
  /** Where a pass finds emails that ought to exist; at most 32. */
  readonly sources?: readonly Source[];
  /** Addresses, lower-case, that are never mailed: what is found for them is skipped, what waits cancelled. */
  readonly suppress?: (address: string) => boolean;
  /** How mail leaves, where whoever opens the storage says nothing else. */
  readonly mail?: MailOptions;
}

/** Sources of one application: each has a cursor in one small record. */
export const SOURCES_MAX = 32;

const AT_ONCE_MAX = 100;

/**
 * An application's own parts, checked: the default export of the module that a server loads. Throws
 * TypeError when a part is not what it must be, or two parts contradict each other.
 */
export function defineApp(app: App): App {
  const {
    kinds = [],
    prepare = {},
    maxAttempts = {},
    operations: own = [],
    sources = [],
    suppress,
    mail,
    ...rest
  } = app;
  // A slip in a name would leave out what it names without a word.
  const [unknown] = Object.keys(rest);
  check(unknown === undefined, `no part of an application is called ${JSON.stringify(unknown)}`);
  emailKinds(kinds, prepare, maxAttempts);
  operations(own);
  checkSources(sources);
  check(suppress === undefined || typeof suppress === "function", "suppress must be a function");
  if (mail !== undefined) checkMail(mail);
  return app;
}

/** Throws TypeError. */
export function checkMail({ mailer, from, atOnce = 1 }: MailOptions): void {
  check(
    typeof mailer?.send === "function" && typeof mailer.close === "function",
    "mail.mailer must be a mailer, with send and close",
  );
  const isSender = typeof from === "string" && parseMailbox(from) !== null;
  check(isSender, "mail.from must be an address or Name <address>, such as shop@example.com");
  const isInRange = Number.isInteger(atOnce) && atOnce >= 1 && atOnce <= AT_ONCE_MAX;
  check(isInRange, `mail.atOnce is a whole number from 1 to ${AT_ONCE_MAX}`);
}

/**
 * Whether an address, lower-case, is never mailed. Throws TypeError for an answer that is neither true
 * nor false: a promise, taken for true, would cancel every mail.
 */
export function suppressOf({ suppress }: App): (address: string) => boolean {
  if (suppress === undefined) return () => false;
  return (address) => {
    const isSuppressed = suppress(address);
    check(typeof isSuppressed === "boolean", "suppress must answer true or false");
    return isSuppressed;
  };
}

function checkSources(sources: readonly Source[]): void {
  check(
    Array.isArray(sources) && sources.length <= SOURCES_MAX,
    `sources must be an array of at most ${SOURCES_MAX}`,
  );
  const names = new Set<string>();
  for (const source of sources) {
    const name = String(source?.name).slice(0, 80);
    check(
      typeof source?.name === "string" && /^[a-z0-9][a-z0-9-]{0,62}$/.test(source.name),
      `source ${JSON.stringify(name)}: a name is 1 to 63 of a-z, 0-9 and "-", the first not "-"`,
    );
    check(typeof source.scan === "function", `source ${JSON.stringify(name)}: scan is a function`);
    check(!names.has(name), `source ${JSON.stringify(name)} is defined twice`);
    names.add(name);
  }
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TypeError(message);
}
