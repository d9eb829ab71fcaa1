/** One SMTP connection, over which one message at a time is sent, and how far that got. */
import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { Message } from "./message.ts";
import type { SmtpServer } from "./url.ts";

export interface SmtpTimes {
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly socketMs: number;
}

export type Delivery =
  | { readonly kind: "accepted"; readonly id: string }
  | {
      readonly kind: "failed";
      readonly error: Error;
      /** False: the dot that ends the message surely was not written, so nobody can have taken it. */
      readonly isHandedOver: boolean;
      /** Whether the server may have seen what is this mail's own, and not only the sender of all. */
      readonly isBegun: boolean;
    };

export interface Connection {
  /** Messages sent so far. */
  readonly sent: number;
  /** Called once, when the connection is over. */
  onEnd(ended: () => void): void;
  /** Sends one message; after a failure the connection is over. `stop` ends it at once. */
  deliver(message: Message, stop: AbortSignal): Promise<Delivery>;
  /** Says goodbye and waits a little for the answer. Not for a connection that is over. */
  quit(): Promise<void>;
}

export interface Route {
  readonly server: SmtpServer;
  readonly times: SmtpTimes;
  /** PEM of the certificates to trust instead of the system's; null: the system's. */
  readonly ca: string | null;
  /** How this host introduces itself; null: as nodemailer would. */
  readonly name: string | null;
}

/** A goodbye is a courtesy. */
const QUIT_MS_MAX = 1_000;

/** A body is read in pieces, so that what a slow server has not taken yet is known not to be sent. */
const PIECE_BYTES = 16_384;

/** Connected, over TLS where that is asked for, and logged in. Throws what went wrong. */
export async function connect(route: Route, stop: AbortSignal): Promise<Connection> {
  const { credentials } = route.server;
  const smtp = new SMTPConnection(optionsOf(route));
  // An error while nothing is under way is followed by the end, which is all there is to know.
  smtp.on("error", () => {});
  try {
    await step<unknown>(smtp, stop, (done) => smtp.connect(done));
    if (credentials !== null) {
      const { user, password } = credentials;
      // Going on without them would get mails refused for good that the server would take from us.
      if (!smtp.allowsAuth) throw new Error("the server takes no credentials on this connection");
      await step<unknown>(smtp, stop, (done) =>
        smtp.login({ credentials: { user, pass: password } }, done),
      );
    }
  } catch (error) {
    smtp.close();
    throw error;
  }
  return connectionOver(smtp);
}

function optionsOf({ server, times, ca, name }: Route) {
  return {
    host: server.host,
    port: server.port,
    secure: server.tls === "implicit",
    requireTLS: server.tls === "required",
    ignoreTLS: server.tls === "off",
    ...(name === null ? {} : { name }),
    ...(ca === null ? {} : { tls: { ca } }),
    connectionTimeout: times.connectMs,
    dnsTimeout: times.connectMs,
    greetingTimeout: times.greetingMs,
    socketTimeout: times.socketMs,
    // What is still to be written when we give up must not be written after we said so.
    socketCloseTimeout: 0,
    logger: false,
  };
}

function connectionOver(smtp: SMTPConnection): Connection {
  let sent = 0;
  let isPipelining = false;
  return {
    get sent() {
      return sent;
    },
    onEnd: (ended) => void smtp.once("end", ended),

    async deliver({ from, to, bytes, messageId }, stop) {
      const body = Readable.from(pieces(bytes), { objectMode: false });
      // What it answered to the mail before; whatever stands there after this is about the new one.
      smtp.lastServerResponse = false;
      try {
        const info = await step<SendInfo>(smtp, stop, (done) =>
          smtp.send({ from, to, size: bytes.length }, body, done),
        );
        if (body.readableEnded) {
          sent += 1;
          isPipelining = info?.ehlo?.some((line) => /\bPIPELINING\b/i.test(line)) ?? false;
          return { kind: "accepted", id: info?.serverMessageId ?? messageId };
        }
        smtp.close();
        const error = new Error("the server accepted a mail that it did not have");
        return { kind: "failed", error, isHandedOver: true, isBegun: true };
      } catch (reason) {
        const error = asError(reason);
        // Looked at before the connection is closed, and with it the body.
        const isHandedOver = body.readableEnded;
        const isAnswered = smtp.lastServerResponse !== false;
        smtp.close();
        // Of a server that pipelines, the recipient went out together with the sender.
        const isBegun = !isReplyToSender(error) && (isAnswered || isPipelining);
        return { kind: "failed", error, isHandedOver, isBegun };
      }
    },

    quit: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => smtp.close(), QUIT_MS_MAX);
        smtp.once("end", () => {
          clearTimeout(timer);
          resolve();
        });
        smtp.quit();
      }),
  };
}

interface SendInfo {
  readonly serverMessageId?: string | undefined;
  /** What the server said of itself, by line. */
  readonly ehlo?: readonly string[] | undefined;
}

function isReplyToSender(error: Error): boolean {
  return "command" in error && error.command === "MAIL FROM";
}

type Done<T> = (error?: Error | null, value?: T) => void;

/** One thing that a connection does, until it is done, the connection is over, or `stop` says so. */
function step<T>(
  smtp: SMTPConnection,
  stop: AbortSignal,
  begin: (done: Done<T>) => void,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const settled = (settle: () => void): void => {
      smtp.off("error", onError);
      smtp.off("end", onEnd);
      stop.removeEventListener("abort", onStop);
      settle();
    };
    const onError = (error: Error): void => settled(() => reject(error));
    // Its reason may be told right after it, to the callback.
    const onEnd = (): void =>
      void setImmediate(() => onError(new Error("the connection was closed")));
    const onStop = (): void => onError(asError(stop.reason));
    smtp.on("error", onError);
    smtp.on("end", onEnd);
    stop.addEventListener("abort", onStop);
    if (stop.aborted) return onStop();
    begin((error, value) => (error ? onError(error) : settled(() => resolve(value))));
  });
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
