/** Whoever enqueues emails, and workers that send them and may die at it. */
import { type Client, type Job, worker } from "../../src/client/client.ts";
import { BAD } from "./facts.ts";
import { again, type Part, slotOf, told } from "./role.ts";

const ENQUEUE_MS = 400;
const LEASE_MS = 4_000;

/** One job in so many can never be sent; one in so many waits for a pass to make it ready. */
const BAD_ONE_IN = 50;
const PENDING_ONE_IN = 5;

function letterOf(key: string) {
  const recipient = "soak@example.com";
  return { type: "message", recipient, subject: key, text: "Good day.".repeat(20) } as const;
}

/** Two of them enqueue the same jobs, each job under one key. */
export async function enqueuer(part: Part): Promise<void> {
  let losesNext = part.losesOne;
  await again(part, ENQUEUE_MS, async () => {
    const slot = slotOf(ENQUEUE_MS);
    const key = `${slot % BAD_ONE_IN === 0 ? BAD : "mail-"}${slot}`;
    if (losesNext) {
      losesNext = false;
      await part.tell({ kind: "enqueued", key: "mail-lost", created: true });
      return;
    }
    const { emails } = part.client;
    const { created } = await emails.enqueue({ logicalKey: key, payload: letterOf(key) });
    await part.tell({ kind: "enqueued", key, created });
    if (slot % PENDING_ONE_IN === 0) return;
    await emails.transition(key, { from: ["pending"], to: "ready" });
  });
}

export async function sender(part: Part): Promise<void> {
  const options = {
    leaseMs: LEASE_MS,
    concurrency: 4,
    pollMs: 300,
    idleMs: 1_000,
    onError: (error: unknown) => void told(part, error),
  };
  const started = worker(watched(part), (job) => sent(part, job), options);
  part.stopping.addEventListener("abort", () => void started.stop());
  await started.stopped;
}

async function sent(part: Part, { logicalKey: key, leaseToken, attempts }: Job) {
  const token = leaseToken ?? "";
  await part.tell({ kind: "leased", key, token, attempt: attempts });
  if (key.startsWith(BAD)) return { to: "failed", lastError: "no such address" } as const;
  part.mayDie(120);
  await part.tell({ kind: "mailed", key, token });
  part.mayDie(120);
  return "sent" as const;
}

/** The client of a worker, whose acknowledged settlements are told. */
function watched({ client, tell }: Part): { readonly emails: Pick<Client["emails"], Used> } {
  const { leaseDue, extend, settle } = client.emails;
  return {
    emails: {
      leaseDue,
      extend,
      async settle(key, body, options) {
        const answer = await settle(key, body, options);
        await tell({ kind: "settled", key, token: body.leaseToken, to: body.to });
        return answer;
      },
    },
  };
}

type Used = "leaseDue" | "extend" | "settle";
