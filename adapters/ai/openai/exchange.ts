/** One request and its answer, ended from outside or by the provider's silence. */
import { fieldOf } from "../../../src/core/foreign.ts";
import type { DurationMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { RunnerError } from "../../../src/ports/runner.ts";
import { runnerError } from "../../../src/ports/runner-failures.ts";

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly silenceMs: DurationMs;
}

export interface ExchangeRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `send` and `read` reject with RunnerError: `run_stopped`, `provider_timeout` or `provider_unavailable`. */
export interface Exchange {
  /** Once, and first. Resolves when the head of the answer is there. */
  send(fetcher: typeof fetch, url: string, request: ExchangeRequest): Promise<Response>;
  /** The next bytes of the answer; null at its end. */
  read(): Promise<Uint8Array | null>;
  /** Ends whatever is left of it. */
  close(): void;
}

export function openExchange({ signal, clock, silenceMs }: ExchangeOptions): Exchange {
  const request = new AbortController();
  const end = (): void => request.abort();
  signal.addEventListener("abort", end, { once: true });
  let body: ReadableStreamDefaultReader<Uint8Array> | null = null;

  async function heard<T>(step: () => Promise<T>): Promise<T> {
    const answered = new AbortController();
    let isSilent = false;
    void clock.sleep(silenceMs, answered.signal).then(() => {
      if (answered.signal.aborted) return;
      isSilent = true;
      end();
    });
    try {
      return await step();
    } catch (cause) {
      throw faultOf(cause, isSilent);
    } finally {
      answered.abort();
    }
  }

  function faultOf(cause: unknown, isSilent: boolean): RunnerError {
    if (signal.aborted) return runnerError("run_stopped", "the run was stopped", { cause });
    if (isSilent) {
      const message = `the provider sent nothing for ${silenceMs} ms`;
      return runnerError("provider_timeout", message, { cause });
    }
    const message = `the connection to the provider failed${codeOf(cause)}`;
    return runnerError("provider_unavailable", message, { cause });
  }

  return {
    async send(fetcher, url, { method, headers, body: content }) {
      const init: RequestInit = { method, headers, body: content, signal: request.signal };
      // The prompt and the key are for this address alone.
      init.redirect = "manual";
      const response = await heard(() => fetcher(url, init));
      body = response.body?.getReader() ?? null;
      return response;
    },

    async read() {
      const reader = body;
      if (reader === null) return null;
      const { value } = await heard(() => reader.read());
      return value ?? null;
    },

    close() {
      signal.removeEventListener("abort", end);
      end();
    },
  };
}

/** The system's code, such as ECONNREFUSED: whatever else `fetch` says may repeat the address. */
function codeOf(error: unknown): string {
  const code = fieldOf(fieldOf(error, "cause"), "code");
  return typeof code === "string" && /^[A-Z_]{2,40}$/.test(code) ? `: ${code}` : "";
}
