/** Mailers, sources and kinds that the cases of the pass share. */
import * as z from "zod";
import type { PrepareEmail } from "../../../src/machines/emails/content.ts";
import { defineEmailKind, type EmailKind } from "../../../src/machines/emails/kinds.ts";
import type { Mail, Mailer, MailResult } from "../../../src/ports/mailer.ts";
import type { Source, SourcePage, SourceRequest } from "../../../src/ports/source.ts";
import type { App } from "../../../src/services/app.ts";
import type { Emails, Job } from "../../../src/services/emails.ts";
import type { EmailPassCounts, PassReport } from "../../../src/services/reconcile/report.ts";
import type { Bench, Instance, InstanceOptions } from "../emails/bench.ts";
import { MESSAGE, present } from "../emails/given.ts";

/** For passes with much to do, which a slow machine or emulator must not end early. */
export const UNHURRIED = { budgetMs: 3_600_000 } as const;

export const FROM = "jobs@example.com";

export interface Delivered {
  readonly mail: Mail;
  readonly key: string;
}

/** A mailer that keeps what it is given, and answers as it is told. */
export interface Outbox extends Mailer {
  readonly delivered: Delivered[];
  readonly keys: () => string[];
  answer: (mail: Mail, signal: AbortSignal) => unknown;
  isClosed: boolean;
}

export function outbox(answer: Outbox["answer"] = () => ({ kind: "sent", id: "id-1" })): Outbox {
  const delivered: Delivered[] = [];
  const box: Outbox = {
    delivered,
    keys: () => delivered.map(({ key }) => key),
    answer,
    isClosed: false,
    async send(mail, { idempotencyKey, signal }) {
      delivered.push({ mail, key: idempotencyKey });
      return (await box.answer(mail, signal)) as MailResult;
    },
    async close() {
      box.isClosed = true;
    },
  };
  return box;
}

export interface Mailing extends Instance {
  readonly box: Outbox;
}

export async function mailing(
  bench: Bench,
  app: App = {},
  options: InstanceOptions & { readonly box?: Outbox; readonly atOnce?: number } = {},
): Promise<Mailing> {
  const { box = outbox(), atOnce = 8, ...rest } = options;
  const instance = await bench.another({ ...rest, app, mail: { mailer: box, from: FROM, atOnce } });
  return { ...instance, box };
}

/** A kind whose validity and content a case decides. */
export function letter(prepare: PrepareEmail, options: Partial<EmailKind> = {}): EmailKind {
  const { unknown = "retry", maxAttempts = 3 } = options;
  const payload = z.object({ text: z.string() });
  return defineEmailKind({ name: "letter", payload, prepare, unknown, maxAttempts });
}

export const LETTER = { type: "letter", recipient: "ann@example.com", text: "Dear Ann" };

export async function readyMessage(
  emails: Emails,
  key: string,
  recipient = MESSAGE.recipient,
): Promise<Job> {
  await emails.enqueue(key, { ...MESSAGE, recipient });
  return present(await emails.transition(key, ["pending"], "ready"));
}

/** The counts that are not zero. */
export function counted({ emails }: PassReport): Partial<EmailPassCounts> {
  return Object.fromEntries(Object.entries(emails).filter(([, count]) => count > 0));
}

export function codes({ failures }: PassReport): string[] {
  return failures.map(({ code }) => code);
}

/** A source whose pages are given, one for each scan; what it was asked for stands in `asked`. */
export function paged(
  pages: readonly SourcePage[],
  name = "orders",
): Source & { readonly asked: SourceRequest[] } {
  const asked: SourceRequest[] = [];
  return {
    name,
    asked,
    async scan(request) {
      const page = pages[asked.length] ?? { jobs: [], next: null };
      asked.push(request);
      return page;
    },
  };
}

/** A source of one full page, and nothing behind it. */
export function onePage(
  jobs: SourcePage["jobs"],
  last: SourcePage["next"],
  name = "orders",
): Source {
  return {
    name,
    scan: async ({ after }) => (after === null ? { jobs, next: last } : { jobs: [], next: null }),
  };
}

export function found(n: number, recipient = "ann@example.com") {
  return { logicalKey: `order-${n}`, payload: { ...MESSAGE, recipient } };
}

export const cursor = (n: number) => ({ createdAt: "2026-01-01T00:00:00.000Z", id: `row-${n}` });

/**
 * What comes of `work` while time goes by in steps, for whatever waits for it: a step is made whenever
 * the instance asks nothing of its storage, and waits for nothing of it.
 */
export async function whileTimePasses<T>(
  bench: Bench,
  { traffic, pending }: Instance,
  work: Promise<T>,
): Promise<T> {
  let isOver = false;
  const end = work.finally(() => {
    isOver = true;
  });
  // A failure is the caller's, who awaits the same promise below.
  end.catch(() => {});
  const requests = () => traffic.reads + traffic.puts + traffic.pages;
  for (let before = -1; !isOver; before = requests()) {
    if (before === requests() && pending.count === 0) bench.clock.elapse(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return end;
}
