/** What `holdfast doctor` finds of the application, its mail, its passes, and who answers queries. */
import { join } from "node:path";
import { unreachable } from "../../../src/core/assert.ts";
import type { App } from "../../../src/services/app.ts";
import type { Config } from "../config.ts";
import { httpProviderTrouble, sesAccountState, smtpServerTrouble } from "../mailer.ts";
import { appOf } from "../open.ts";
import { runnerName } from "../runner.ts";
import { runnerTrouble } from "../runner-trouble.ts";
import type { Finding, Verdict } from "./doctor.ts";
import { printable } from "./print.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Those of the service that HOLDFAST_URL names are not looked at: they are not configured here. */
export async function workFindings(config: Config, env: Env): Promise<readonly Finding[]> {
  if (config.url !== null) return [];
  const last = [
    { check: "schedule", ...scheduleVerdict(config) },
    { check: "runner", ...(await runnerVerdict(config, env)) },
  ];
  let app: App = {};
  try {
    if (config.app !== null) app = await appOf(config.app);
  } catch (error) {
    return [{ check: "app", verdict: "fail", detail: messageOf(error) }, ...last];
  }
  return [
    { check: "app", verdict: "ok", detail: appDetail(config.app, app) },
    { check: "mail", ...(await mailVerdict(config, app)) },
    ...last,
  ];
}

export function messageOf(error: unknown): string {
  return printable(error instanceof Error ? error.message : String(error));
}

function appDetail(path: string | null, { kinds = [], sources = [] }: App): string {
  if (path === null) return "none: the built-in kinds, and no sources";
  const named = (of: string, all: readonly { readonly name: string }[]): string =>
    `${of} ${all.length === 0 ? "none" : all.map(({ name }) => name).join(", ")}`;
  return `${path}; ${named("kinds:", kinds)}; ${named("sources:", sources)}`;
}

const SES_VERDICTS = { ready: "ok", limited: "warn", failing: "fail" } as const;

async function mailVerdict({ mailer }: Config, { mail }: App): Promise<Verdict> {
  switch (mailer.kind) {
    case "none":
      return mail === undefined
        ? { verdict: "warn", detail: "HOLDFAST_MAILER is none: nothing is sent" }
        : { verdict: "ok", detail: `the application's own mailer, from ${mail.from}` };
    case "capture": {
      const { directory } = mailer;
      const where = directory === null ? "memory" : join(directory, "mail");
      return { verdict: "warn", detail: `captured in ${where}: nothing is sent` };
    }
    case "smtp": {
      const trouble = await smtpServerTrouble(mailer.url);
      return trouble === null
        ? { verdict: "ok", detail: `the server takes mail from ${mailer.from}` }
        : { verdict: "fail", detail: `the server is not ready for mail: ${printable(trouble)}` };
    }
    case "http": {
      const { host } = new URL(mailer.url);
      const trouble = await httpProviderTrouble(mailer.url);
      if (trouble !== null) {
        return { verdict: "fail", detail: `${host} does not answer: ${printable(trouble)}` };
      }
      const detail = `${host} answers; whether it takes mail from ${mailer.from} shows the first one`;
      return { verdict: "ok", detail };
    }
    case "ses": {
      const { kind, detail } = await sesAccountState();
      return { verdict: SES_VERDICTS[kind], detail: printable(detail) };
    }
    default:
      return unreachable(mailer);
  }
}

async function runnerVerdict({ runner }: Config, env: Env): Promise<Verdict> {
  const trouble = await runnerTrouble(runner, env);
  if (trouble === null) return { verdict: "ok", detail: printable(runnerName(runner)) };
  return { verdict: trouble.verdict, detail: printable(trouble.detail) };
}

function scheduleVerdict({ reconcileMs, reconcileBudgetMs }: Config): Verdict {
  if (reconcileMs === 0) {
    const detail = "HOLDFAST_RECONCILE_MS is 0: passes come when holdfast reconcile asks for them";
    return { verdict: "warn", detail };
  }
  const detail = `a pass of at most ${reconcileBudgetMs} ms, ${reconcileMs} ms after the one before`;
  return { verdict: "ok", detail };
}
