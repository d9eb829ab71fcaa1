/** Mail over a provider's HTTP API: one POST for each mail. Nothing of Node in here. */
import { errorText } from "../../../src/core/error-text.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { durationMs } from "../../../src/core/time.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { type Mail, type Mailer, type MailResult, mailProblem } from "../../../src/ports/mailer.ts";
import { toldOnOneLine } from "../../../src/ports/runner-failures.ts";
import { type Provider, posted } from "./post.ts";
import { type BodyTemplate, filledTemplate, templateProblem } from "./template.ts";
import { areHeaders, parseMailUrl, secretsOf } from "./url.ts";

export type { BodyTemplate } from "./template.ts";

export interface HttpMailerOptions {
  /** Where mails are posted to: `https:`, or `http:` to this host alone; no user, no fragment. */
  readonly url: string;
  /** Sent with every mail, such as `authorization`. Secrets: no error and no result has any of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What is posted as JSON: a template, or what a function makes of the mail and its key. Of a function
   * URLSearchParams are posted as a form. It must say the same at every try of a mail, since providers that
   * know idempotency keys refuse another text under the same key.
   */
  readonly body: BodyTemplate | ((mail: Mail, idempotencyKey: string) => object | URLSearchParams);
  /** For a mail as a whole; 30,000 by default. Less than a job's lease. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

const TIMEOUT_MS = 30_000;

const ERROR_CHARS_MAX = 500;

/** A key that fits in a header as it is; 256 is what providers that know keys take. */
const PLAIN_KEY = /^[\x21-\x7e]{1,256}$/;

/**
 * Any status from 200 to 299 is `sent`. `isUnavailable` is what is about the account, the key or the URL
 * (a redirect, 401 to 406, 410, 415), too many mails (429), and a provider that is down (503) or to which
 * there is no connection. The rest from 400 on is `permanent`, but for 408, 409 and 425, which are `retry`
 * as what is from 500 on. `unknown` is a request that got no answer, however it ended, and a gateway's 502
 * and 504, which tell of the same.
 *
 * The header `Idempotency-Key` is the mail's key, or `sha256:` and its hash where it is not printable ASCII
 * without blanks or is longer than 256 characters. Throws MisconfiguredError for options that cannot be used.
 */
export function httpMailer(options: HttpMailerOptions): Mailer {
  const provider = providerOf(options);
  const bodyOf = bodyMaker(options.body);
  const running = new Set<Promise<MailResult>>();
  let isClosed = false;

  async function send(mail: Mail, key: string, signal: AbortSignal): Promise<MailResult> {
    let body: string | URLSearchParams;
    try {
      body = bodyOf(mail, key);
    } catch (error) {
      const told = toldOnOneLine(errorText(error, ERROR_CHARS_MAX), provider.secrets);
      return { kind: "retry", error: `the body of the request could not be made: ${told}` };
    }
    const idempotencyKey = PLAIN_KEY.test(key) ? key : `sha256:${sha256Hex(key)}`;
    return posted(provider, { idempotencyKey, body }, signal);
  }

  return {
    async send(mail, { idempotencyKey, signal, beginSignal }) {
      if (isClosed) {
        return { kind: "retry", error: "the mailer is closed", isUnavailable: true };
      }
      const problem = mailProblem(mail);
      if (problem !== null) return { kind: "permanent", error: problem };
      if (signal.aborted) return unbegun("stopped");
      if (beginSignal?.aborted === true) return unbegun("no mail is to be begun any more");
      const sending = send(mail, idempotencyKey, signal);
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
    },
  };
}

function unbegun(error: string): MailResult {
  return { kind: "retry", error, isUnbegun: true };
}

function bodyMaker(
  body: HttpMailerOptions["body"],
): (mail: Mail, idempotencyKey: string) => string | URLSearchParams {
  if (typeof body !== "function") {
    const problem = templateProblem(body);
    if (problem !== null) throw new MisconfiguredError(`httpMailer: body ${problem}`);
    return (mail, key) => JSON.stringify(filledTemplate(body, mail, key));
  }
  return (mail, key) => {
    const made = body(mail, key);
    if (made instanceof URLSearchParams) return made;
    const text: unknown = JSON.stringify(made);
    if (typeof text !== "string") throw new TypeError("it is nothing that JSON can say");
    return text;
  };
}

function providerOf(options: HttpMailerOptions): Provider {
  const { headers = {}, timeoutMs = TIMEOUT_MS, clock = systemClock() } = options;
  const url = parseMailUrl(options.url);
  // Neither with the URL nor with a header's value, which may be keys.
  if (url === null) {
    throw new MisconfiguredError(
      "httpMailer: url must be https, or http to a loopback host, without user and fragment",
    );
  }
  if (!areHeaders(headers)) {
    throw new MisconfiguredError(
      "httpMailer: headers must be at most 20 of printable ASCII, none that the mailer sets itself",
    );
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs >= 2 ** 31) {
    throw new MisconfiguredError("httpMailer: timeoutMs must be whole milliseconds");
  }
  const { fetch: send = fetch } = options;
  const secrets = secretsOf(url, headers);
  return { url, headers, secrets, timeoutMs: durationMs(timeoutMs), fetch: send, clock };
}
