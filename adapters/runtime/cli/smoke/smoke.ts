/**
 * `holdfast smoke`: whether a deployed service does what it must, over HTTP as its callers see it. Touches
 * no record but its own, whose names begin with the run's prefix, and has nothing sent.
 */
import { randomBytes } from "node:crypto";
import { createClient, HoldfastError } from "../../../../src/client/client.ts";
import { MisconfiguredError } from "../../../../src/ports/faults.ts";
import type { Config } from "../../config.ts";
import { type Output, oneLine } from "../print.ts";
import { seeEmails } from "./emails.ts";
import { AbsentError, asking, type Patience, type Smoke, SmokeError } from "./looking.ts";
import { seeQueries } from "./queries.ts";
import { seeReceipts } from "./receipts.ts";
import { seeOperations, seeRefusals, seeService } from "./service.ts";
import { seeTenants } from "./tenants.ts";

/** One thing that was looked at. */
export interface Step {
  readonly area: string;
  readonly step: string;
  readonly verdict: "ok" | "skip" | "fail";
  /** What was seen instead, or why there was nothing to see; else how long it took. */
  readonly detail: string;
}

/** In their order; what follows the first needs it. One that fails keeps no other from being looked at. */
const AREAS: readonly (readonly [string, (smoke: Smoke) => Promise<void>])[] = [
  ["service", seeService],
  ["refusals", seeRefusals],
  ["emails", seeEmails],
  ["receipts", seeReceipts],
  ["queries", seeQueries],
  ["tenants", seeTenants],
  ["operations", seeOperations],
];

/** An index lags by seconds at most, and a pass goes on for half a minute. */
const PATIENCE: Patience = { lookMs: 60_000, streamMs: 120_000 };

/** Whether nothing failed. Throws MisconfiguredError where there is no service to look at. */
export async function smoke(
  { url, key, secondKey }: Pick<Config, "url" | "key" | "secondKey">,
  out: Output,
  patience = PATIENCE,
): Promise<boolean> {
  if (url === null) {
    throw new MisconfiguredError(
      "smoke looks at a service over HTTP: name it by --url, or HOLDFAST_URL, such as HOLDFAST_URL=https://jobs.example.com",
    );
  }
  const steps: Step[] = [];
  const tell = (step: Step): void => {
    steps.push(step);
    if (!out.isJson) out.lines(lineOf(step));
  };
  const as = (one: string | null) => createClient({ url, ...(one === null ? {} : { key: one }) });
  const day = new Date().toISOString().slice(0, 10);
  const prefix = `smoke-${day}-${randomBytes(6).toString("hex")}`;
  const given = {
    ...{ key, as, prefix, patience },
    client: as(key),
    second: secondKey === null ? null : as(secondKey),
    ask: asking(url),
  };
  for (const [area, see] of AREAS) {
    const isSeen = await seen(area, see, given, tell);
    if (!isSeen && area === "service") break;
  }
  const failed = steps.filter(({ verdict }) => verdict === "fail").length;
  if (out.isJson) out.json({ prefix, steps });
  else {
    out.note(
      `${failed === 0 ? "all is well" : `${failed} failed`}; records of this run: ${prefix}…`,
    );
  }
  return failed === 0;
}

type Given = Omit<Smoke, "step" | "optional">;

/** Whether all of an area is as it must be. */
async function seen(
  area: string,
  see: (smoke: Smoke) => Promise<void>,
  given: Given,
  tell: (step: Step) => void,
): Promise<boolean> {
  let current = "";
  const smoke: Smoke = {
    ...given,
    async step(name, look) {
      current = name;
      const begun = performance.now();
      const found = await look();
      const detail = `${Math.round(performance.now() - begun)} ms`;
      tell({ area, step: name, verdict: "ok", detail });
      return found;
    },
    async optional(name, look) {
      try {
        return await smoke.step(name, look);
      } catch (error) {
        if (!(error instanceof AbsentError)) throw error;
        tell({ area, step: name, verdict: "skip", detail: oneLine(error.message) });
        return null;
      }
    },
  };
  try {
    await see(smoke);
    return true;
  } catch (error) {
    tell({ area, step: current, verdict: "fail", detail: failureText(error) });
    return false;
  }
}

/** Any other error is a bug, and has its stack told. */
function failureText(error: unknown): string {
  if (error instanceof SmokeError || error instanceof HoldfastError) return oneLine(error.message);
  // Of an answer that lacks what the client's types say it has.
  if (error instanceof TypeError) return `the answer is of another kind: ${oneLine(error.message)}`;
  throw error;
}

function lineOf({ verdict, area, step, detail }: Step): string {
  const told = verdict === "ok" ? `${step} (${detail})` : `${step}: ${detail}`;
  return `${verdict.padEnd(4)}  ${area.padEnd(10)}  ${told}`;
}
