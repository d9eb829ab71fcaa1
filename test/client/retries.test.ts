/** What is tried again, when, and what it ends with: faults between the client and the real service. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Client, ClientOptions, Fetch } from "../../src/client/client.ts";
import { type ManualTime, manualTime } from "./manual-time.ts";
import { html, message, problem, readyJob, service } from "./service.ts";

const KEY = "welcome:ann@example.com";

interface Sent {
  readonly at: number;
  readonly requestId: string;
  readonly body: string;
}

interface Faulty {
  readonly time: ManualTime;
  readonly client: Client;
  readonly sent: readonly Sent[];
}

/** One fault for each request, in order; after them the service is reached. */
type Fault = (reach: () => Promise<Response>, signal: AbortSignal) => Response | Promise<Response>;

async function faulty(
  faults: readonly Fault[],
  options: Partial<ClientOptions> = {},
  chance = 0,
): Promise<Faulty> {
  const time = manualTime();
  const real = await service({ clock: time.clock });
  await readyJob(real.client({ deps: time.deps }), KEY);
  const deps = { ...time.deps, random: () => chance };
  const sent: Sent[] = [];
  const rest = [...faults];
  const fetch: Fetch = (url, init) => {
    const requestId = new Headers(init.headers).get("x-request-id") ?? "";
    sent.push({ at: time.now(), requestId, body: String(init.body) });
    const reach = async () => real.fetch(url, init);
    const { signal } = init;
    return rest.shift()?.(reach, signal ?? new AbortController().signal) ?? reach();
  };
  return { time, sent, client: real.client({ fetch, deps, ...options }) };
}

const drops: Fault = () => {
  throw new TypeError(`fetch failed: http://localhost/v1/emails/${encodeURIComponent(KEY)}`, {
    cause: Object.assign(new Error(KEY), { code: "ECONNREFUSED" }),
  });
};
const losesTheReply: Fault = async (reach) => {
  await reach();
  throw new TypeError("terminated");
};
const hangs: Fault = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
const hangsAndIsDeaf: Fault = () => new Promise(() => {});
const slowBody: Fault = () =>
  new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
const unavailable: Fault = () => problem(503, "unavailable", { retryAfterMs: 1_000 });
const times = (count: number, fault: Fault): Fault[] => Array.from({ length: count }, () => fault);

describe("a call", () => {
  it("is tried again after a dropped connection, waiting longer each time", async () => {
    const { client, sent, time } = await faulty(times(4, drops));
    expect((await time.until(client.emails.read(KEY))).job.logicalKey).toBe(KEY);
    expect(sent.map(({ at }) => at)).toEqual([0, 100, 300, 700, 1_500]);
  });

  it("keeps its request id over all tries, and has another than the next call", async () => {
    const { client, sent, time } = await faulty([drops, unavailable]);
    await time.until(client.emails.read(KEY));
    await time.until(client.emails.read(KEY));
    const ids = sent.map(({ requestId }) => requestId);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("ends after five tries with the last failure", async () => {
    const { client, sent, time } = await faulty(times(9, drops));
    const call = time.until(client.emails.read(KEY));
    await expect(call).rejects.toMatchObject({
      code: "network",
      status: null,
      message: "no whole answer came: ECONNREFUSED (network)",
    });
    expect(sent).toHaveLength(5);
  });

  it("gets the lease that an earlier try was given, when the answer to it was lost", async () => {
    const { client, sent, time } = await faulty([losesTheReply]);
    const { job } = await time.until(client.emails.lease(KEY, { durationMs: 60_000 }));
    expect(job.state).toBe("sending");
    expect(sent).toHaveLength(2);
    expect(sent[0]?.body).toBe(sent[1]?.body);
  });

  it("settles once, when the answer to it was lost", async () => {
    const { client, time } = await faulty([(reach) => reach(), losesTheReply]);
    const { job } = await time.until(client.emails.lease(KEY, { durationMs: 60_000 }));
    const body = { leaseToken: job.leaseToken ?? "", to: "sent" as const };
    expect((await time.until(client.emails.settle(KEY, body))).job.state).toBe("sent");
  });

  it.each([
    ["of the problem", () => problem(503, "unavailable", { retryAfterMs: 1_500 }), 1_500],
    ["of a throttled one", () => problem(429, "throttled", { retryAfterMs: 700 }), 700],
    ["of the header", () => html(503, { "retry-after": "2" }), 2_000],
    [
      "of a header with a date",
      () =>
        html(503, {
          date: "Thu, 01 Jan 2026 00:00:00 GMT",
          "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT",
        }),
      3_000,
    ],
    ["of nobody", () => html(502), 0],
    [
      "of the header, where the problem's is no number",
      () => problem(503, "unavailable", { retryAfterMs: "900000" }, { "retry-after": "2" }),
      2_000,
    ],
    ["of nobody, in words", () => problem(503, "unavailable", { retryAfterMs: "soon" }), 0],
    ["of nobody, before now", () => problem(503, "unavailable", { retryAfterMs: -1e12 }), 0],
    ["of nobody, in a list", () => problem(503, "unavailable", { retryAfterMs: [5] }), 0],
    ["of nobody, for ever", () => html(503, { "retry-after": "9".repeat(400) }), 0],
    ["of nobody, from a gateway out of time", () => html(504), 0],
    ["of a header that is neither", () => html(503, { "retry-after": "soon" }), 0],
  ])("waits as long as is asked, and a little more: %s", async (_, fault, askedMs) => {
    const { client, sent, time } = await faulty([fault]);
    await time.until(client.emails.read(KEY));
    expect(sent.map(({ at }) => at)).toEqual([0, askedMs + 100]);
  });

  it("spreads its waits by chance", async () => {
    const { client, sent, time } = await faulty([unavailable], {}, 0.5);
    await time.until(client.emails.read(KEY));
    expect(sent[1]?.at).toBe(1_150);
  });

  it("is not tried again where the wait would take longer than the call may", async () => {
    const { client, sent, time } = await faulty([() => html(503, { "retry-after": "3600" })]);
    const call = time.until(client.emails.read(KEY));
    await expect(call).rejects.toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(sent).toHaveLength(1);
    expect(time.now()).toBe(0);
  });

  it.each([
    ["misconfigured", () => problem(503, "misconfigured", { retryAfterMs: 1_000 })],
    ["internal_error", () => problem(500, "internal_error")],
    ["record_corrupt", () => problem(500, "record_corrupt")],
    ["job_not_found", () => problem(404, "job_not_found")],
    ["lease_lost", () => problem(409, "lease_lost")],
    ["a_code_of_later", () => problem(422, "a_code_of_later")],
    ["unexpected_answer", () => html(200)],
    ["unexpected_answer", () => html(404)],
    ["unexpected_answer", () => html(500)],
    ["unexpected_answer", () => new Response("", { status: 200 })],
    ["unexpected_answer", () => new Response("null")],
    ["unexpected_answer", () => new Response('{"job":')],
    ["unexpected_answer", () => Response.json({ message: "Forbidden" }, { status: 403 })],
  ])("is not tried again for %s", async (code, fault) => {
    const { client, sent, time } = await faulty([fault]);
    await expect(time.until(client.emails.read(KEY))).rejects.toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["a word", "z", ""],
    ["an object", { length: 1 }, ""],
    ["nothing in a list", [null], ""],
    ["issues that are none", [{ path: { toString: 1 }, message: "no" }, 5], ""],
    ["an issue beside them", [null, { path: "to", message: "no" }], "; to: no"],
  ])("is not tried again where the issues of a problem are %s", async (_, errors, told) => {
    const { client, sent, time } = await faulty([() => problem(422, "x_of_later", { errors })]);
    const call = time.until(client.emails.read(KEY));
    await expect(call).rejects.toMatchObject({
      code: "x_of_later",
      status: 422,
      message: `it is so${told} (x_of_later)`,
    });
    expect(sent).toHaveLength(1);
  });

  it("reads no more than 32 MiB of an answer, and ends its connection", async () => {
    let given = 0;
    let isCancelled = false;
    const endless: Fault = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            given += 1;
            controller.enqueue(new Uint8Array(1_048_576).fill(32));
          },
          cancel() {
            isCancelled = true;
          },
        }),
      );
    const { client, time, sent } = await faulty([endless]);
    const call = time.until(client.emails.read(KEY));
    await expect(call).rejects.toMatchObject({ code: "unexpected_answer", status: 200 });
    expect([sent.length, isCancelled]).toEqual([1, true]);
    expect(given).toBeLessThan(36);
  });

  it("reads an answer that is cut within a character, and one of a fetch without streams", async () => {
    const text = JSON.stringify({ job: { logicalKey: "grüße 🐋" } });
    const cut: Fault = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of new TextEncoder().encode(text)) {
              controller.enqueue(new Uint8Array([byte]));
            }
            controller.close();
          },
        }),
      );
    const whole: Fault = () => Object.defineProperty(new Response(text), "body", { value: null });
    const { client, time } = await faulty([cut, whole]);
    for (const _ of [cut, whole]) {
      const { job } = await time.until(client.emails.read(KEY));
      expect(job.logicalKey).toBe("grüße 🐋");
    }
  });

  it("does not follow a redirect, which would make a read of a write", async () => {
    const moved = (): Response =>
      new Response(null, { status: 301, headers: { location: "https://example.com/" } });
    const { client, time } = await faulty([moved]);
    const call = time.until(client.emails.enqueue(message("b")));
    await expect(call).rejects.toMatchObject({
      code: "unexpected_answer",
      status: 301,
      detail: expect.stringContaining("a redirect"),
    });
  });

  it.each([
    ["hangs", hangs],
    ["hangs in a fetch that does not listen", hangsAndIsDeaf],
    ["comes without an end", slowBody],
  ])("is tried again after 20 s when an answer %s", async (_, fault) => {
    const { client, sent, time } = await faulty([fault]);
    await time.until(client.emails.read(KEY));
    expect(sent.map(({ at }) => at)).toEqual([0, 20_100]);
  });

  it("ends with its deadline, and its own time counts before the client's", async () => {
    const { client, time } = await faulty(times(9, hangs));
    const call = time.until(client.emails.read(KEY));
    await expect(call).rejects.toMatchObject({ code: "timeout", status: null });
    expect(time.now()).toBe(60_000);
    const short = time.until(client.emails.read(KEY, { timeoutMs: 500 }));
    await expect(short).rejects.toMatchObject({ code: "timeout" });
    expect(time.now()).toBe(60_500);
  });

  it("keeps to other bounds", async () => {
    const retry = { attempts: 2, deadlineMs: 5_000, attemptMs: 1_000 };
    const { client, sent, time } = await faulty(times(9, hangs), { retry });
    await expect(time.until(client.emails.read(KEY))).rejects.toMatchObject({ code: "timeout" });
    expect(sent.map(({ at }) => at)).toEqual([0, 1_100]);
    const once = time.until(client.emails.read(KEY, { attempts: 1 }));
    await expect(once).rejects.toMatchObject({ code: "timeout" });
    expect(sent).toHaveLength(3);
  });
});

describe("a pass", () => {
  it.each([
    ["longer than any other call may", {}, 61_000],
    ["as long as its budget and five seconds", { budgetMs: 300_000 }, 305_000],
    ["as long as any budget", {}, 3_605_000],
  ])("may take %s", async (_, body, ms) => {
    const world = await faulty([
      async (reach, signal) => {
        await world.time.deps.sleep(ms, signal);
        return reach();
      },
    ]);
    const { client, time, sent } = world;
    const report = await time.until(client.reconcile(body));
    expect(report).toMatchObject({ emails: { sent: 0 }, failures: [] });
    expect([time.now(), sent.length]).toEqual([ms, 1]);
    expect(sent[0]?.body).toBe(JSON.stringify(body));
  });

  it("is given up when its time is long over, and not asked for again", async () => {
    const { client, time, sent } = await faulty([hangs]);
    const pass = time.until(client.reconcile({ budgetMs: 1_000 }));
    await expect(pass).rejects.toMatchObject({ code: "timeout" });
    expect([time.now(), sent.length]).toEqual([31_000, 1]);
    const short = time.until(client.reconcile({}, { timeoutMs: 500 }));
    await expect(short).resolves.toMatchObject({ failures: [] });
  });
});

describe("an abort", () => {
  const reason = new Error("enough");

  it.each([
    ["a request", hangs],
    ["a request whose fetch does not listen", hangsAndIsDeaf],
    ["a body", slowBody],
    ["a wait", unavailable],
  ])("ends %s at once, with its reason", async (_, fault) => {
    const { client, time, sent } = await faulty([fault]);
    const abort = new AbortController();
    const call = client.emails.read(KEY, { signal: abort.signal });
    const ended = expect(call).rejects.toBe(reason);
    await time.advance(500);
    abort.abort(reason);
    await ended;
    expect(time.now()).toBe(500);
    expect(sent).toHaveLength(1);
  });

  it("that came before sends nothing", async () => {
    const { client, sent } = await faulty([]);
    const call = client.emails.read(KEY, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(sent).toHaveLength(0);
  });

  it("leaves nothing behind that waits or listens, nor does an answer", async () => {
    const { client, time } = await faulty([drops]);
    const { signal } = new AbortController();
    await time.until(client.emails.read(KEY, { signal }));
    expect(time.sleeping()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("no error shows a logical key", () => {
  it.each([
    ["a refusal", (real: () => Promise<Response>) => real()],
    ["a dropped connection", drops],
    ["a lost reply", losesTheReply],
    ["an answer of another", () => html(404)],
    ["a hanging answer", hangs],
  ])("in %s", async (_, fault) => {
    const { client, time } = await faulty(times(9, fault));
    const error: unknown = await time
      .until(client.emails.claim(KEY, { claimant: "writer@example.com" }))
      .catch((thrown: unknown) => thrown);
    const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), String(error)].join();
    expect(shown).toContain("HoldfastError");
    expect(shown).not.toMatch(/welcome|ann(@|%40)example/);
  });

  it("nor does a line of the service's log", async () => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const { emails } = (await service({ http: { open: true, log } })).client();
    await emails.enqueue(message(KEY));
    await emails.read(KEY, { requestId: "r-1" });
    await expect(emails.settle(KEY, { leaseToken: "t", to: "sent" })).rejects.toThrow();
    expect(JSON.stringify(lines)).toContain("r-1");
    expect(JSON.stringify(lines)).not.toMatch(/welcome|ann(@|%40)example/);
  });
});
