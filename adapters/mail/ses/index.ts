/** Mail over Amazon SES, by its API. */
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { parseMailbox } from "../../../src/core/mailbox.ts";
import { durationMs } from "../../../src/core/time.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import {
  type Mail,
  type Mailer,
  type MailResult,
  mailProblem,
  type SendOptions,
} from "../../../src/ports/mailer.ts";
import { ask, newClient, type SesPlace } from "./client.ts";
import { messageOf } from "./message.ts";
import { failureResult, unknown } from "./outcome.ts";

export interface SesMailerOptions extends SesPlace {
  /** Whose events tell what becomes of mails; none by default. */
  readonly configurationSet?: string;
  /** For a mail as a whole; 30,000 by default. Less than a job's lease. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const TIMEOUT_MS = 30_000;

/**
 * One request for each try, never repeated by the SDK. **SES knows no idempotency key and gives each mail
 * its own Message-ID**: a try whose result is not known may be followed by a second mail. Every try carries
 * the tag `holdfast-key`, the hash of its key, by which events of a configuration set tell that two are one.
 *
 * `isUnavailable` is what is about the account, its limits, its credentials, its sender or its configuration
 * set, a service that is down (503), and to which there is no connection. What is wrong with the mail
 * (`MessageRejected`, `BadRequestException`) is `permanent`, SES's own errors (500) are `retry`, and what got
 * no answer is `unknown`. Throws MisconfiguredError for options that cannot be used.
 */
export function sesMailer(options: SesMailerOptions = {}): Mailer {
  const { configurationSet = null, timeoutMs = TIMEOUT_MS, clock = systemClock() } = options;
  if (configurationSet !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(configurationSet)) {
    throw new MisconfiguredError(
      "sesMailer: configurationSet must be 1 to 64 letters, digits, _ and -",
    );
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs >= 2 ** 31) {
    throw new MisconfiguredError("sesMailer: timeoutMs must be whole milliseconds");
  }
  const ms = durationMs(timeoutMs);
  const client = newClient(options);
  const running = new Set<Promise<MailResult>>();
  let isClosed = false;

  async function send(mail: Mail, { idempotencyKey, signal }: SendOptions): Promise<MailResult> {
    const command = new SendEmailCommand(messageOf(mail, idempotencyKey, configurationSet));
    const reply = await ask(client, command, { ms, clock, signal });
    if (reply.kind === "failed") {
      return failureResult(reply, parseMailbox(mail.from)?.address ?? mail.from);
    }
    const id = reply.output.MessageId;
    // SES always names what it has taken.
    return typeof id === "string" && id !== ""
      ? { kind: "sent", id }
      : unknown("the answer is not SES's; a proxy's?");
  }

  return {
    async send(mail, sendOptions) {
      if (isClosed) {
        return { kind: "retry", error: "the mailer is closed", isUnavailable: true };
      }
      const problem = mailProblem(mail);
      if (problem !== null) return { kind: "permanent", error: problem };
      if (sendOptions.beginSignal?.aborted === true) {
        return { kind: "retry", error: "no mail is to be begun any more", isUnbegun: true };
      }
      const sending = send(mail, sendOptions);
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
      client.destroy();
    },
  };
}
