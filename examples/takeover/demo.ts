/**
 * `npm run demo`: a server on a fresh folder, a client, and two workers. The first worker is killed in
 * the middle of sending; the second takes the email over when the lease has run out. Then the server is
 * killed, too, and its successor knows everything.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, HoldfastError } from "../../src/client/client.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { newKey } from "../../src/http/keys.ts";
import { show, startServer, startWorker } from "./children.ts";

const KEY = "welcome:ann@example.com";

const directory = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
console.log(`\nHoldfast demo: one server, two workers, two kills. The folder is ${directory}\n`);

const { key, entry } = newKey("demo", randomBytes(32), { scopes: ["*"] });
const env = {
  HOLDFAST_DATA_DIR: directory,
  HOLDFAST_KEYS: JSON.stringify([entry]),
  HOLDFAST_LOG_LEVEL: "info",
};
const first = await startServer(env);
const { emails } = createClient({ url: first.url, key });

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

await first.child.end("SIGKILL");
show("server", "killed (SIGKILL)");
const second = await startServer(env);
const end = (await createClient({ url: second.url, key }).emails.read(KEY)).job;
show("you", `the email is ${end.state} after ${end.attempts} attempts`);
await second.child.end("SIGTERM");
show("server", "stopped");

const file = join(directory, "emails", "jobs", `${sha256Hex(KEY)}.json`);
console.log(`\n${file}:\n${readFileSync(file, "utf8")}`);
console.log(`Look at it again with:  HOLDFAST_DATA_DIR=${directory} npm start`);
console.log("and open http://127.0.0.1:8787/docs, or: curl http://127.0.0.1:8787/v1/emails");
if (late !== "lease_lost" || end.state !== "sent" || end.attempts !== 2) {
  console.error("The demo did not show what it should.");
  process.exitCode = 1;
}
