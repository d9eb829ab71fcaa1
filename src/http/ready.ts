/** Whether the storage answers: asked at most once a second, however often that is wanted. */
import { after, type EpochMs, seconds } from "../core/time.ts";
import type { Services } from "../services/services.ts";
import type { Answer } from "./route.ts";

const KEPT_MS = seconds(1);
const PATIENCE_MS = seconds(3);

const READY: Answer = { status: 200, body: { status: "ready" } };
const NOT_READY: Answer = {
  problem: { code: "unavailable", detail: "the storage does not answer" },
};

export function readiness(services: Services): () => Promise<Answer> {
  let kept: { readonly answer: Promise<Answer>; readonly until: EpochMs } | null = null;
  return () => {
    const now = services.clock.now();
    if (kept === null || kept.until <= now)
      kept = { answer: asked(services), until: after(now, KEPT_MS) };
    return kept.answer;
  };
}

async function asked({ touch, clock }: Services): Promise<Answer> {
  const done = new AbortController();
  const touched = touch().then(
    () => READY,
    () => NOT_READY,
  );
  const late = clock.sleep(PATIENCE_MS, done.signal).then(() => NOT_READY);
  const answer = await Promise.race([touched, late]);
  done.abort();
  return answer;
}
