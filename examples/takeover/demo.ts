/**
 * `npm run demo`: an email is leased by one process, which is killed in the middle; another process
 * takes the email over when the lease has run out, and settles it. The killed one's lease is worth
 * nothing any more.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { createHoldfast } from "../../src/holdfast.ts";

interface Told {
  readonly did: string;
  readonly attempts?: number;
  readonly leaseToken?: string;
  readonly leaseUntil?: string;
}

const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
const KEY = "welcome:ann@example.com";

const begun = Date.now();
function show(who: string, what: string): void {
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1).padStart(5);
  console.log(`${seconds} s  ${who.padEnd(9)} ${what}`);
}

function start(name: string, directory: string, sendSeconds: number) {
  const child = spawn(process.execPath, [WORKER, directory, String(sendSeconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: Told[] = [];
  let heard = (): void => {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    const one: Told = JSON.parse(line);
    told.push(one);
    const lease = one.leaseUntil === undefined ? "" : ` until ${one.leaseUntil.slice(11, 23)}`;
    show(
      name,
      `${one.did}${lease}${one.attempts === undefined ? "" : `, attempt ${one.attempts}`}`,
    );
    heard();
  });
  show(name, `started, pid ${child.pid}`);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const hears = async (did: string): Promise<Told> => {
    for (;;) {
      const found = told.find((one) => one.did === did);
      if (found !== undefined) return found;
      if (hasEnded(child)) throw new Error(`${name} ended before it "${did}"`);
      await Promise.race([new Promise<void>((resolve) => (heard = resolve)), ended]);
    }
  };
  return { child, ended, hears };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

const directory = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
console.log(`\nHoldfast demo: two processes, one folder, one kill. The folder is ${directory}\n`);

const holdfast = await createHoldfast({
  storage: filesystemStorage({ directory, sharing: "processes" }),
});
const { emails } = holdfast;
const payload = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Good to have you here.",
};
const { job } = await emails.enqueue(KEY, payload);
show("you", `enqueued ${KEY}: ${job.state}`);
const again = await emails.enqueue(KEY, payload);
show("you", `enqueued it again: created is ${again.created}, one email stays one email`);
await emails.transition(job, ["pending"], "ready");
show("you", "made it ready");

const first = start("worker A", directory, 60);
const lease = await first.hears("leased");
await new Promise((resolve) => setTimeout(resolve, 700));
first.child.kill("SIGKILL");
await first.ended;
show("worker A", "killed in the middle of sending (SIGKILL)");

const second = start("worker B", directory, 0.5);
await second.hears("settled as sent");
await second.ended;

const late = await emails.transitionSending(KEY, lease.leaseToken ?? "", "failed");
show("worker A", `its lease, used after all: ${late === null ? "refused" : "ACCEPTED"}`);
const end = await emails.readJob(KEY);
show("you", `the email is ${end?.state} after ${end?.attempts} attempts`);
await holdfast.close();

const file = join(directory, "emails", "jobs", `${sha256Hex(KEY)}.json`);
console.log(`\n${file}:\n${readFileSync(file, "utf8")}`);
if (late !== null || end?.state !== "sent" || end.attempts !== 2) {
  console.error("The demo did not show what it should.");
  process.exitCode = 1;
}
