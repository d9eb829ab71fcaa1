/** Mail over SMTP, on nodemailer's connection and composer. */
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import {
  type Mailer,
  type MailResult,
  mailProblem,
  type SendOptions,
} from "../../../src/ports/mailer.ts";
import { type Connection, connect, type Route } from "./connection.ts";
import { composed, type Message } from "./message.ts";
import { type Failure, isStale, resultOf, unavailable } from "./outcome.ts";
import { createSlots } from "./slots.ts";
import { parseSmtpUrl } from "./url.ts";

export interface SmtpMailerOptions {
  /**
   * `smtp://user:password@host:587` (STARTTLS) or `smtps://user:password@host:465`, reserved characters
   * percent-encoded. A secret; no error and no result has any of it but the host.
   *
   * With credentials, `smtp:` to another host than this one sends nothing without TLS. `?tls=optional`
   * takes TLS where the server offers it and goes on in the clear where not, credentials included;
   * `?tls=off` never takes it, `?tls=required` insists without credentials too. To a loopback host the
   * default is `off`. A certificate is always checked.
   */
  readonly url: string;
  /** At a time, 1 to 100; 8 by default, as many as a pass sends at once. They are kept for a while and used again. */
  readonly connections?: number;
  /** PEM of the certificates to trust instead of the system's: for a relay with one of its own. */
  readonly ca?: string;
  /** The host name to introduce this host with. */
  readonly name?: string;
  /** Milliseconds, all optional. */
  readonly limits?: {
    /** Until the connection stands, name look-up and TLS included; 10,000. */
    readonly connectMs?: number;
    /** Until the server says the first word; 10,000. */
    readonly greetingMs?: number;
    /** Of silence in between; 60,000, since servers look at a mail before they answer. */
    readonly socketMs?: number;
    /** For a mail as a whole, waiting for a connection included; 90,000. Less than a job's lease. */
    readonly sendMs?: number;
  };
}

const CONNECTIONS_MAX = 100;

/** Many servers close after a hundred messages; better between two than in one. */
const MESSAGES_PER_CONNECTION_MAX = 100;

/** Kept for the next mail of a batch, not for the next batch. */
const IDLE_MS_MAX = 10_000;

/**
 * Connects when there is something to send. `sent` means the server took the mail over. What the server
 * refuses with a code from 500 is `permanent`, except where the code is about the session (530, 535, …)
 * or its enhanced code is 4.x.x; everything else that fails before the end of the mail was written is
 * `retry`, and everything without a valid answer after that is `unknown`. What fails before the server
 * waits for a mail (name look-up, connection, greeting, encryption, log-in) is `isUnavailable`, and so is
 * a refusal of the sender, who is the same for every mail, or what is answered to the sender about the
 * server's own state (421, 451, 452; 4.3.x, 4.7.x). A recipient that is put off, as by greylisting, is not.
 *
 * Throws MisconfiguredError for options that cannot be used.
 */
export function smtpMailer(options: SmtpMailerOptions): Mailer {
  const { route, sendMs, connections } = checked(options);
  const { credentials } = route.server;
  const slots = createSlots(connections);
  const idle = new Map<Connection, NodeJS.Timeout>();
  const running = new Set<Promise<MailResult>>();
  let isClosed = false;

  async function attempt(message: Message, ends: Ends): Promise<MailResult> {
    const { stop, noMore } = ends;
    if (noMore.aborted) return unbegun(asError(noMore.reason));
    const kept = takeIdle();
    if (kept === null) return attemptAnew(message, ends, null);
    const delivery = await kept.deliver(message, stop);
    if (delivery.kind === "accepted") return accepted(kept, delivery.id);
    if (!isStale(delivery) || stop.aborted) return resultOf(delivery, credentials);
    // The server was done with a connection that we thought was good.
    return attemptAnew(message, ends, delivery);
  }

  /** `broken`: how the same mail fared on a kept connection. */
  async function attemptAnew(
    message: Message,
    { stop, noMore }: Ends,
    broken: Failure | null,
  ): Promise<MailResult> {
    let fresh: Connection;
    try {
      fresh = await connect(route, stop);
    } catch (error) {
      // A mail that may have brought its server down is not asked for ever.
      if (broken?.isBegun === true) return resultOf(broken, credentials);
      if (noMore.aborted) return unbegun(asError(noMore.reason));
      // Also where a kept connection broke first: a server that is gone refuses no mail.
      return unavailable(asError(error), credentials);
    }
    fresh.onEnd(() => void forgotten(fresh));
    if (noMore.aborted) {
      keep(fresh);
      return unbegun(asError(noMore.reason));
    }
    const delivery = await fresh.deliver(message, stop);
    if (delivery.kind === "accepted") return accepted(fresh, delivery.id);
    return resultOf(delivery, credentials);
  }

  function accepted(connection: Connection, id: string): MailResult {
    if (connection.sent >= MESSAGES_PER_CONNECTION_MAX) void connection.quit();
    else keep(connection);
    return { kind: "sent", id };
  }

  function keep(connection: Connection): void {
    const rested = setTimeout(() => void forgotten(connection)?.quit(), IDLE_MS_MAX);
    idle.set(connection, rested);
  }

  /** No longer idle; null when it was not. */
  function forgotten(connection: Connection): Connection | null {
    clearTimeout(idle.get(connection));
    return idle.delete(connection) ? connection : null;
  }

  function takeIdle(): Connection | null {
    // The latest: the others may come to rest.
    const latest = [...idle.keys()].at(-1);
    return latest === undefined ? null : forgotten(latest);
  }

  async function send(message: Message, ends: SendOptions): Promise<MailResult> {
    const { stop, noMore, done } = endsOf(sendMs, ends);
    try {
      // The others have all connections: that says nothing of the server.
      if (!(await slots.take(noMore))) return unbegun(asError(noMore.reason));
      try {
        return await attempt(message, { stop, noMore });
      } finally {
        slots.give();
      }
    } finally {
      done();
    }
  }

  return {
    async send(mail, options) {
      if (isClosed) return unavailable(new Error("the mailer is closed"), credentials);
      const problem = mailProblem(mail);
      if (problem !== null) return { kind: "permanent", error: problem };
      const sending = composed(mail, options.idempotencyKey).then((message) =>
        send(message, options),
      );
      running.add(sending);
      try {
        return await sending;
      } finally {
        running.delete(sending);
      }
    },

    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      const rest = [...idle.keys()];
      await Promise.all(rest.map((connection) => forgotten(connection)?.quit()));
    },
  };
}

interface Ends {
  /** Aborted when the mail is given up. */
  readonly stop: AbortSignal;
  /** Aborted when the mail is not to be begun any more: no later than `stop`. */
  readonly noMore: AbortSignal;
}

/** The ends of one mail, which has `ms` at most; `done` lets go of its timer and signals. */
function endsOf(ms: number, { signal, beginSignal }: SendOptions): Ends & { done: () => void } {
  const stop = new AbortController();
  const noMore = new AbortController();
  const end = (text: string): void => {
    noMore.abort(new Error(text));
    stop.abort(new Error(text));
  };
  const stopped = (): void => end("stopped");
  const unbegun = (): void => noMore.abort(new Error("no mail is to be begun any more"));
  const timer = setTimeout(() => end(`not sent within ${ms} ms`), ms);
  signal.addEventListener("abort", stopped);
  beginSignal?.addEventListener("abort", unbegun);
  if (beginSignal?.aborted === true) unbegun();
  if (signal.aborted) stopped();
  const done = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopped);
    beginSignal?.removeEventListener("abort", unbegun);
  };
  return { stop: stop.signal, noMore: noMore.signal, done };
}

/** Nothing of the mail was tried, for want of a turn in time. */
function unbegun(reason: Error): MailResult {
  return { kind: "retry", error: reason.message, isUnbegun: true };
}

function checked(options: SmtpMailerOptions) {
  const server = parseSmtpUrl(options.url);
  // Not with the URL, which has the password.
  if (server === null) {
    throw new MisconfiguredError("smtpMailer: url must be smtp[s]://[user:password@]host[:port]");
  }
  const { connections = 8, limits = {}, ca = null, name = null } = options;
  const { connectMs = 10_000, greetingMs = 10_000, socketMs = 60_000, sendMs = 90_000 } = limits;
  if (!isCount(connections) || connections > CONNECTIONS_MAX) {
    throw new MisconfiguredError(`smtpMailer: connections must be 1 to ${CONNECTIONS_MAX}`);
  }
  for (const [limit, ms] of Object.entries({ connectMs, greetingMs, socketMs, sendMs })) {
    if (isCount(ms)) continue;
    throw new MisconfiguredError(`smtpMailer: limits.${limit} must be whole milliseconds`);
  }
  const route: Route = { server, times: { connectMs, greetingMs, socketMs }, ca, name };
  return { route, sendMs, connections };
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value < 2 ** 31;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
