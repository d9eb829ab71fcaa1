/** Whether a mail server takes us: connection, encryption and log-in, and nothing sent. */
import { connect } from "./connection.ts";
import { toldOf } from "./outcome.ts";
import type { SmtpServer } from "./url.ts";

/** Null when it does; else why not, without the credentials. Takes `ms` at most, and a goodbye. */
export async function smtpTrouble(server: SmtpServer, ms: number): Promise<string | null> {
  const times = { connectMs: ms, greetingMs: ms, socketMs: ms };
  const late = AbortSignal.timeout(ms);
  try {
    const connection = await connect({ server, times, ca: null, name: null }, late);
    await connection.quit();
    return null;
  } catch (error) {
    const isError = error instanceof Error && !late.aborted;
    return toldOf(isError ? error : new Error(`not ready within ${ms} ms`), server.credentials);
  }
}
