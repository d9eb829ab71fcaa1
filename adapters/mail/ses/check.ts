/** Whether the account may send. Nothing is sent. */
import { GetAccountCommand } from "@aws-sdk/client-sesv2";
import { fieldOf } from "../../../src/core/foreign.ts";
import { durationMs } from "../../../src/core/time.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { ask, newClient, type SesPlace } from "./client.ts";
import { toldOf } from "./outcome.ts";

export interface SesState {
  readonly kind: "ready" | "limited" | "failing";
  /** For a person. */
  readonly detail: string;
}

/** Takes `ms` at most. Credentials that may send and not look (ses:GetAccount) are `limited`. */
export async function sesState(place: SesPlace, ms: number): Promise<SesState> {
  const client = newClient(place);
  try {
    const { signal } = new AbortController();
    const bounds = { ms: durationMs(ms), clock: systemClock(), signal };
    const reply = await ask(client, new GetAccountCommand({}), bounds);
    if (reply.kind === "failed") {
      if (/^AccessDenied/.test(String(fieldOf(reply.error, "name")))) {
        return {
          kind: "limited",
          detail: "SES lets nobody look (ses:GetAccount), so whether it takes mail is not known",
        };
      }
      const why = reply.ended === null ? toldOf(reply.error) : `no answer within ${ms} ms`;
      return { kind: "failing", detail: why };
    }
    const { SendingEnabled, ProductionAccessEnabled } = reply.output;
    if (SendingEnabled !== true) {
      return { kind: "failing", detail: "the account's sending is paused" };
    }
    return ProductionAccessEnabled === true
      ? { kind: "ready", detail: "SES takes mail" }
      : {
          kind: "limited",
          detail: "the account is in the sandbox: SES takes mail to verified addresses alone",
        };
  } finally {
    client.destroy();
  }
}
