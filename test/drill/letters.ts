/** How a mail of the cloud drill says which attempt of which job it is, and who sent it. */
import type { Received } from "../adapters/mail/sink.ts";

export const KIND = "drill";

/** Whom drilled mails are from. */
export const FROM = "drill@example.com";

/** The variable that names a service to its application. */
export const NAME_VARIABLE = "DRILL_NAME";

const HEADER = "X-Drill";

export interface Sent {
  readonly key: string;
  readonly attempt: number;
  /** The life of a service, or a worker. */
  readonly by: string;
  readonly messageId: string;
}

export function keyOf(n: number): string {
  return `drill:${n}`;
}

export function recipientOf(key: string): string {
  return `${key.replace(":", "-")}@example.com`;
}

/** What is sent of a job in its `attempt`, by whoever is called `by`. */
export function letterOf(key: string, attempt: number, by: string) {
  return { subject: key, text: "Good day.", headers: { [HEADER]: `${attempt} ${by}` } };
}

/** Throws for a mail that is none of the drill's. */
export function sentIn({ raw, to }: Received): Sent {
  const text = raw.toString("latin1");
  const [, key = ""] = /^Subject: (\S+)\r$/m.exec(text) ?? [];
  const [, attempt = "", by = ""] =
    new RegExp(`^${HEADER}: (\\d+) (\\S+)\\r$`, "m").exec(text) ?? [];
  const [, messageId = ""] = /^Message-ID: (\S+)\r$/im.exec(text) ?? [];
  if (by === "" || messageId === "" || to.join() !== recipientOf(key)) {
    throw new Error(`not a mail of the drill: ${text.slice(0, 400)}`);
  }
  return { key, attempt: Number(attempt), by, messageId };
}
