/** The example shop from outside: its provider, a customer and an assistant as processes, and what came of it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { type Client, createClient } from "../../src/client/client.ts";
import { newKey } from "../../src/http/keys.ts";
import { type Api, startApi } from "../adapters/mail/api.ts";
import { TICKET_SECRET } from "../http/fixture.ts";
import { holdfast } from "../runtime/process.ts";

/** This file runs from dist/test/examples. */
export const builtExample = (path: string): string =>
  fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

export const KEY = newKey("shop", new Uint8Array(32).fill(7), { scopes: ["*"] });

/** For HOLDFAST_KEYS. */
export const KEYS = JSON.stringify([KEY.entry]);

/** The payment provider: each request is a charge. */
export const startPayments = (): Promise<Api> =>
  startApi({ status: 200, body: JSON.stringify({ chargeId: "ch_1" }) });

/** What every function is given. */
export const SETTINGS = {
  HOLDFAST_KEYS: KEYS,
  HOLDFAST_SECRET: TICKET_SECRET,
  HOLDFAST_LOG_LEVEL: "warn",
  HOLDFAST_MAILER: "http",
  HOLDFAST_MAIL_FROM: "shop@example.com",
  HOLDFAST_MAIL_HTTP_BODY: '{"to":"{{to}}","subject":"{{subject}}","text":"{{text}}"}',
};

export interface Shop {
  readonly ordersUrl: string;
  /** Of Holdfast. */
  readonly url: string;
  readonly payments: Api;
  /** Makes a pass, by the runtime's own schedule where it has one. */
  readonly pass: (client: Client) => Promise<void>;
  /** Subjects of mails that have gone out, by their recipients. */
  readonly mails: () => readonly string[];
}

/** With a bundle made before it, on a machine that may do other things beside it. */
export const VISIT_MS = 240_000;

/** A customer comes, is mailed, and a smoke test finds nothing wrong. */
export async function visit({ ordersUrl, url, payments, pass, mails }: Shop): Promise<void> {
  const assistant = await begun([builtExample("shop/assistant.js"), url, KEY.key]);
  let stdout = "";
  try {
    const customer = [builtExample("shop/customer.js"), ordersUrl, url, KEY.key];
    ({ stdout } = await promisify(execFile)(process.execPath, customer));
  } finally {
    assistant.child.kill("SIGTERM");
  }
  expect(await assistant.ended).toBe(0);
  expect(stdout.split("\n")).toEqual([
    'order 1001: {"chargeId":"ch_1","replayed":false}',
    'order 1001: {"chargeId":"ch_1","replayed":true}',
    "You asked: When does order 1001 arrive? Tomorrow.",
    "(that was all of it)",
    "",
  ]);
  expect(payments.requests).toHaveLength(1);
  const client = createClient({ url, key: KEY.key });
  await pass(client);
  await pass(client);
  const { job } = await client.emails.read("order-paid:1001");
  expect(job.state).toBe("sent");
  expect(mails()).toEqual(["ann@example.com: Order 1001 is paid"]);
  const smoke = await holdfast({ HOLDFAST_URL: url, HOLDFAST_KEY: KEY.key }, "smoke");
  expect(smoke, smoke.stdout).toMatchObject({ status: 0 });
  expect(mails()).toHaveLength(1);
}

interface Begun {
  readonly child: ChildProcess;
  readonly line: string;
  /** Its exit status; null when it was killed. */
  readonly ended: Promise<number | null>;
}

/** A process of Node that has said its first line. */
export function begun(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Begun> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return new Promise((resolve, reject) => {
    ended.then(() => reject(new Error(`${args[0]} ended before it said anything`)));
    createInterface({ input: child.stdout }).once("line", (line) =>
      resolve({ child, line, ended }),
    );
  });
}

/** What a mail API was asked to send. */
export const sentBy = (api: Api): readonly string[] =>
  api.requests.map(({ body }) => {
    const { to, subject } = JSON.parse(body);
    return `${to}: ${subject}`;
  });
