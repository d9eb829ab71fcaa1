/** Requests go where the configuration says, and nowhere that a request, a record or an answer names. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAiRunner } from "../../adapters/ai/openai/index.ts";
import { captureMailer } from "../../adapters/mail/capture.ts";
import { httpMailer } from "../../adapters/mail/http/index.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";

let servers: Server[];
/** What came to the address that nobody configured. */
let strays: string[];
let stray: string;

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  servers = [];
  strays = [];
  const server = createServer((request, response) => {
    strays.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end("{}");
  });
  server.on("connection", () => strays.push("a connection"));
  stray = await listening(server);
});
afterEach(() => {
  for (const server of servers) server.close();
});

describe.each([301, 302, 303, 307, 308])("an answer %d", (status) => {
  let url: string;
  beforeEach(async () => {
    url = await listening(
      createServer((_request, response) => {
        response.writeHead(status, { location: `${stray}/else` }).end();
      }),
    );
  });

  it("leads no mailer to another address, with its key", async () => {
    const mailer = httpMailer({ url, headers: { authorization: "Bearer key" }, body: {} });
    const mail = {
      ...{ from: "jobs@example.com", to: "ann@example.com", subject: "Hi", text: "Hello." },
      ...{ html: null, replyTo: null, headers: {} },
    };
    const signal = AbortSignal.timeout(50_000);
    const result = await mailer.send(mail, { idempotencyKey: "mail-1", signal });
    // "See other" is what a server may say of a mail that it has sent.
    expect(result.kind).toBe(status === 303 ? "unknown" : "retry");
    expect(strays).toEqual([]);
  });

  it("leads no provider's client to another address, with its key and the prompt", async () => {
    const runner = openAiRunner({ baseUrl: url, model: "model-1", key: "key-1" });
    const holdfast = await createHoldfast({ storage: memoryStorage() });
    const coordinator = holdfast.coordinate({ runner });
    const { job } = await coordinator.submit({
      clientJobId: crypto.randomUUID(),
      generation: 1,
      query: "Why does ice float?",
    });
    await coordinator.idle();
    const { status: end, error } = await holdfast.queries.getSnapshot(job.jobId);
    expect([end, error?.code]).toEqual(["failed", "provider_protocol"]);
    await holdfast.close();
    expect(strays).toEqual([]);
  });
});

it("addresses in what is stored are never asked for", async () => {
  const mailer = captureMailer();
  const holdfast = await createHoldfast({
    storage: memoryStorage(),
    mail: { mailer, from: "jobs@example.com" },
  });
  const { emails, receipts, queries, reconcile } = holdfast;
  const link = `${stray}/image.png`;
  await emails.enqueue(link, {
    type: "message",
    recipient: "ann@example.com",
    subject: link,
    text: link,
    html: `<img src="${link}"><link rel="stylesheet" href="${link}">`,
    headers: { "list-unsubscribe": `<${link}>` },
  });
  await receipts.once({ workspaceId: link, operationId: "a" }, { url: link }, () => ({ link }));
  const { job } = await queries.admit({
    clientJobId: crypto.randomUUID(),
    generation: 1,
    sessionId: "session-1",
    query: link,
    reference: { query: link, response: link },
    attachmentRefs: [{ url: link, href: link }],
  });
  await queries.markStarting(job.jobId);
  await queries.complete(job.jobId, { text: link });
  const first = await reconcile();
  const second = await reconcile();
  expect(first.emails.sent + second.emails.sent).toBe(1);
  await holdfast.close();
  expect(strays).toEqual([]);
});
