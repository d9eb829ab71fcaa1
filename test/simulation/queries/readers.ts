/** Readers: they go on where they were, from whichever process, and compare all that is shown with the log. */
import { epochMs, isoTime } from "../../../src/core/time.ts";
import type { ShownEvent } from "../../../src/machines/queries/public-event.ts";
import { attempt } from "../machine.ts";
import { isTerminal } from "./log.ts";
import { checkFound, codeOf, type Phone, type QueryStage } from "./stage.ts";

export async function read(stage: QueryStage): Promise<void> {
  const { world, process, clients, prefix } = stage;
  const { chance } = world;
  for (;;) {
    await process.pause(chance.between(300, stage.isHealing() ? 20_000 : 4_000));
    const phone = clients.phones.find(
      (one) => one.prefix === prefix && !one.isDone && one.reader?.isAlive() !== true,
    );
    if (phone === undefined) continue;
    phone.reader = process;
    // Behind the others, so that each has its turn.
    clients.phones.splice(clients.phones.indexOf(phone), 1);
    clients.phones.push(phone);
    if (chance.happens(0.5)) await page(stage, phone);
    else await follow(stage, phone);
    phone.reader = null;
  }
}

async function page(stage: QueryStage, phone: Phone): Promise<void> {
  const { world, holdfast } = stage;
  const { jobId, generation, cursor } = phone;
  const limit = world.chance.between(1, 6);
  const verdict = await attempt(() =>
    holdfast.queries.replay(jobId, generation, cursor, { limit }),
  );
  checkAnswer(stage, phone, verdict);
  if (verdict.kind !== "answer") return;
  if (verdict.value.gap !== null) stage.truth.blame(`${jobId}: said to be behind ${cursor}`);
  for (const event of verdict.value.events) show(stage, phone, event);
}

/** Listens for a while. */
async function follow(stage: QueryStage, phone: Phone): Promise<void> {
  const { world, process, holdfast } = stage;
  const { jobId, generation, cursor } = phone;
  const waiting: ShownEvent[] = [];
  let isShown = false;
  const listen = (event: ShownEvent): void => {
    if (isShown) show(stage, phone, event);
    else waiting.push(event);
  };
  const verdict = await attempt(() =>
    holdfast.queries.subscribe(jobId, generation, cursor, listen),
  );
  checkAnswer(stage, phone, verdict);
  if (verdict.kind !== "answer") return;
  const { events, unsubscribe, ended } = verdict.value;
  for (const event of [...events, ...waiting]) show(stage, phone, event);
  isShown = true;
  await Promise.race([process.pause(world.chance.between(500, 60_000)), ended.catch(() => {})]);
  unsubscribe();
}

function checkAnswer(stage: QueryStage, phone: Phone, verdict: Parameters<typeof codeOf>[0]): void {
  checkFound(stage, phone.jobId, verdict);
  if (codeOf(verdict) === "query_job_not_found") phone.isDone = true;
}

/** In order, each once, and never before it is stored (G4, QUERY-38, QUERY-61). */
function show({ history, prefix, truth }: QueryStage, phone: Phone, event: ShownEvent): void {
  const { jobId } = phone;
  const { eventSeq, type, at, data, status } = event;
  if (eventSeq !== phone.cursor + 1) truth.blame(`${jobId}: ${eventSeq} behind ${phone.cursor}`);
  phone.cursor = eventSeq;
  const stored = history.log(prefix, jobId)?.events[eventSeq - 1];
  if (stored === undefined) {
    truth.blame(`${jobId}: ${eventSeq} shown before it was stored`);
    return;
  }
  const isSame =
    type === (stored.type === "linkage" ? "running" : stored.type) &&
    at === isoTime(epochMs(stored.at)) &&
    status === stored.status &&
    (type !== "chunk" || data["text"] === stored.fields["delta"]);
  if (!isSame) truth.blame(`${jobId}: ${eventSeq} is shown otherwise than it is stored`);
  if (event.jobId !== jobId) truth.blame(`${jobId}: an event of ${event.jobId} was shown`);
  if (isTerminal(status) && type === "acknowledged") phone.isDone = true;
}
