/** The client of SES, and one request to it: sent once, in bounded time, and known whether it was. */
import {
  type $Command,
  SESv2Client,
  type SESv2ClientConfig,
  type SESv2ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-sesv2";
import type { DurationMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";

export interface SesPlace {
  /** As the SDK finds it (AWS_REGION, a profile) by default. */
  readonly region?: string;
  /** As the SDK finds it (AWS_ENDPOINT_URL_SESV2) by default. */
  readonly endpoint?: string;
  /** As the SDK finds them by default. */
  readonly credentials?: NonNullable<SESv2ClientConfig["credentials"]>;
}

export interface Bounds {
  /** For all of it, credentials included. */
  readonly ms: DurationMs;
  readonly clock: Clock;
  /** Ends it soon. */
  readonly signal: AbortSignal;
}

export type Reply<O> =
  | { readonly kind: "answered"; readonly output: O }
  | {
      readonly kind: "failed";
      readonly error: unknown;
      /** Why it was given up from here; null: it was not. */
      readonly ended: "late" | "stopped" | null;
      /** False: there were no credentials yet, so nothing was sent, nor will be. */
      readonly isSent: boolean;
    };

type Command<I extends ServiceInputTypes, O extends ServiceOutputTypes> = $Command<
  I,
  O,
  SESv2ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

const CONNECT_MS = 5_000;

/** Connects to nothing yet. */
export function newClient({ region, endpoint, credentials }: SesPlace): SESv2Client {
  return new SESv2Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    // SES knows no idempotency key: a hidden repeat may be a second mail.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS },
  });
}

/** Sends `command`, which must not be sent a second time. Never rejects. */
export async function ask<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
  client: SESv2Client,
  command: Command<I, O>,
  { ms, clock, signal }: Bounds,
): Promise<Reply<O>> {
  const end = new AbortController();
  let isSent = false;
  let ended: "late" | "stopped" | null = null;
  command.middlewareStack.add(
    (next) => async (request) => {
      isSent = true;
      return next(request);
    },
    { step: "deserialize", name: "holdfastSent" },
  );
  const over = new Promise<never>((_, reject) => {
    end.signal.addEventListener("abort", () => reject(end.signal.reason));
  });
  const give = (why: "late" | "stopped"): void => {
    ended ??= why;
    end.abort();
  };
  const done = new AbortController();
  void clock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) give("late");
  });
  const stopped = (): void => give("stopped");
  signal.addEventListener("abort", stopped);
  if (signal.aborted) stopped();
  try {
    // The signal ends no wait for credentials, though nothing is sent after it: hence the race.
    const sending = client.send(command, { abortSignal: end.signal });
    return { kind: "answered", output: await Promise.race([sending, over]) };
  } catch (error) {
    return { kind: "failed", error, ended, isSent };
  } finally {
    done.abort();
    signal.removeEventListener("abort", stopped);
  }
}
