/** How mail leaves: one message at a time, to one recipient. */

/** A rendered message. Headers are those that the mailer does not set itself. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly replyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `sent`: accepted, under the provider's id where it tells one. `retry`: definitely not sent, may fare
 * better later. `permanent`: definitely not sent, and never will be as it is. `unknown`: it may have been
 * sent.
 */
export type MailResult =
  | { readonly kind: "sent"; readonly id: string | null }
  | { readonly kind: "retry" | "permanent" | "unknown"; readonly error: string };

export interface Mailer {
  /**
   * One attempt. `idempotencyKey` is the same for every attempt of one mail. When `signal` is aborted,
   * whoever called stops waiting. A throw counts as `unknown`.
   */
  send(mail: Mail, options: { idempotencyKey: string; signal: AbortSignal }): Promise<MailResult>;
  /** Finishes what is in flight and lets go of connections. */
  close(): Promise<void>;
}
