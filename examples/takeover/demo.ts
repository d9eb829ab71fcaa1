/**
 * `npm run demo`: a server on a fresh folder, a client, workers and callers. The first worker is killed in
 * the middle of sending; the second takes the email over when the lease has run out. A caller is killed
 * after it paid, before it told so. Then a third worker and the server are killed at once: the next server
 * knows everything, finds by itself what an application wants sent, delivers all of it over SMTP, and
 * lets a person say what came of the payment, which is never made again. Meanwhile a phone reads an
 * answer, drops and comes back without losing a character; another answer is broken off by the kill.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { simpleParser } from "mailparser";
import { type Client, createClient, HoldfastError, type Job } from "../../src/client/client.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { newKey } from "../../src/http/keys.ts";
import { startSink } from "../../test/adapters/mail/sink.ts";
import { beginAnswer, dropAndResume, findInterrupted, RUNNER_COMMAND } from "./answer.ts";
import { show, startServer, startWorker } from "./children.ts";
import { interruptPayment, MARGIN_MS, resolvePayment, startProvider } from "./payment.ts";

const KEY = "welcome:ann@example.com";
const LAST = "goodbye:ann@example.com";

/** The one that worker C left, and a first view and a first import that the application has. */
const MAILS = 3;
const APP = fileURLToPath(new URL("../recordings/app.js", import.meta.url));

/** The job once it is settled: the mail is there a moment before that is known. */
async function settledJob(client: Client, key: string): Promise<Job | null> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { job } = await client.emails.read(key);
    if (job.state === "sent") return job;
    await sleep(50);
  }
  return null;
}

const directory = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
console.log(
  `\nHoldfast demo: two servers, three workers, four callers, four kills. The folder is ${directory}`,
);
console.log(
  "A worker sends emails that are due. A caller pays for an order, always the same one. A phone asks.\n",
);

const { key, entry } = newKey("demo", randomBytes(32), { scopes: ["*"] });
const env = {
  HOLDFAST_DATA_DIR: directory,
  HOLDFAST_KEYS: JSON.stringify([entry]),
  HOLDFAST_LOG_LEVEL: "info",
  HOLDFAST_DISPATCH_MARGIN_MS: MARGIN_MS,
  HOLDFAST_RUNNER_COMMAND: RUNNER_COMMAND,
};
const first = await startServer({ ...env, HOLDFAST_RECONCILE_MS: "0" });
const asked = createClient({ url: first.url, key });
const { emails } = asked;

const text = "Good to have you here.";
const payload = { type: "message", recipient: "ann@example.com", subject: "Welcome", text };
const { job } = await emails.enqueue({ logicalKey: KEY, payload });
show("you", `enqueued ${KEY}: ${job.state}`);
const again = await emails.enqueue({ logicalKey: KEY, payload });
show("you", `enqueued it again: created is ${again.created}, one email stays one email`);
await emails.transition(KEY, { from: ["pending"], to: "ready" });
show("you", "made it ready");

const workerA = startWorker("worker A", first.url, key, 60);
const lease = await workerA.hears("leased");
await sleep(700);
await workerA.end("SIGKILL");
show("worker A", "killed in the middle of sending (SIGKILL)");

const workerB = startWorker("worker B", first.url, key, 0.5);
await workerB.hears("sent");
await workerB.end("SIGTERM");

const late = await emails
  .settle(KEY, { leaseToken: lease.leaseToken ?? "", to: "failed" })
  .then(() => "ACCEPTED")
  .catch((error: unknown) => (error instanceof HoldfastError ? error.code : String(error)));
show("worker A", `its lease, used after all: refused with ${late}`);

const isWhole = await dropAndResume(asked);

const provider = await startProvider();
const interrupted = await interruptPayment({ url: first.url, key, provider: provider.url });

await emails.enqueue({ logicalKey: LAST, payload: { ...payload, subject: "Goodbye" } });
await emails.transition(LAST, { from: ["pending"], to: "ready" });
const workerC = startWorker("worker C", first.url, key, 60);
await workerC.hears("leased");
const broken = await beginAnswer(asked);
await Promise.all([workerC.end("SIGKILL"), first.child.end("SIGKILL")]);
show("worker C", "killed in the middle of sending, and the server with it (SIGKILL)");

const sink = await startSink();
const second = await startServer({
  ...env,
  HOLDFAST_RECONCILE_MS: "300",
  HOLDFAST_APP: APP,
  HOLDFAST_MAILER: `smtp://127.0.0.1:${sink.port}`,
  HOLDFAST_MAIL_FROM: "Demo <demo@example.com>",
});
const client = createClient({ url: second.url, key });
const end = (await client.emails.read(KEY)).job;
show("you", `the email is ${end.state} after ${end.attempts} attempts`);
const subjects: string[] = [];
for (let waited = 0; subjects.length < MAILS && waited < 20_000; waited += 50) {
  await sleep(50);
  for (const { raw, to } of sink.received.slice(subjects.length)) {
    const { subject = "?" } = await simpleParser(raw);
    subjects.push(subject);
    show("SMTP", `a mail for ${to.join()}: ${subject}`);
  }
}
const last = (await settledJob(client, LAST)) ?? end;
show("you", `worker C's email is ${last.state} after ${last.attempts} attempts`);
const till = { url: second.url, key, provider: provider.url };
const { charges } = provider;
const isInterrupted = await findInterrupted(client, broken);
const isResolved = await resolvePayment(client, till, { ...interrupted, charges });
await second.child.end("SIGTERM");
await sink.close();
provider.close();
show("server", "stopped");

const { id } = interrupted;
const jobFile = join(directory, "emails", "jobs", `${sha256Hex(KEY)}.json`);
const receiptFile = join(directory, "receipts", `${id}.json`);
for (const file of [jobFile, receiptFile]) console.log(`\n${file}:\n${readFileSync(file, "utf8")}`);
console.log(`Look at it again with:  HOLDFAST_DATA_DIR=${directory} npm start`);
console.log("and open http://127.0.0.1:8787/docs, or: curl http://127.0.0.1:8787/v1/emails");
console.log("and curl http://127.0.0.1:8787/v1/receipts; or without a server:");
console.log(`HOLDFAST_DATA_DIR=${directory} npx holdfast receipts show ${id}`);
const isTakenOver = late === "lease_lost" && end.state === "sent" && end.attempts === 2;
const isDelivered = last.state === "sent" && last.attempts === 2 && subjects.length === MAILS;
if (!isTakenOver || !isDelivered || !isResolved || !isWhole || !isInterrupted) {
  console.error("The demo did not show what it should.");
  process.exitCode = 1;
}
