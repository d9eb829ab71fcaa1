/** Clients of queries: they ask, call off, acknowledge, and have their jobs erased. */
import type { Admitted } from "../../../src/services/queries.ts";
import { attempt, type Verdict } from "../machine.ts";
import { START_MS } from "../world.ts";
import { SKEW_MS } from "./history.ts";
import { isTerminal } from "./log.ts";
import { checkFound, codeOf, type QueryStage, requestOf, someClientJob } from "./stage.ts";

interface Asked {
  readonly clientJobId: string;
  readonly generation: number;
  readonly isOther: boolean;
  readonly begunAt: number;
  /** Whether the latest generation lived when the call began. */
  readonly wasBusy: boolean;
}

/** The same identity again and again, the next generation, and sometimes another question under the old one. */
export async function ask(stage: QueryStage): Promise<void> {
  const { world, process, clients, prefix, holdfast, coordinator } = stage;
  const { chance } = world;
  while (!stage.isHealing()) {
    await process.pause(chance.between(500, 7_000));
    const clientJobId = someClientJob(stage);
    const last = clients.asked.get(prefix + clientJobId) ?? 1;
    const generation = chance.happens(0.4) ? last + chance.between(1, 2) : last;
    const isOther = chance.happens(0.08);
    const begunAt = world.now();
    const asked = {
      clientJobId,
      generation,
      isOther,
      begunAt,
      wasBusy: isBusy(stage, clientJobId),
    };
    const request = requestOf(clientJobId, generation, isOther);
    const isHere = coordinator !== null && chance.happens(0.6);
    const verdict = await attempt(() =>
      isHere ? coordinator.submit(request) : holdfast.queries.admit(request),
    ).catch(endedAlready);
    checkAdmission(stage, asked, verdict);
    world.note(`${process.name} asks ${clientJobId.slice(-3)}.${generation} ${told(verdict)}`);
    if (verdict.kind === "answer") begun(stage, asked, verdict.value);
  }
}

/** A coordinator that is being closed takes no more. */
function endedAlready(error: unknown): Verdict<never> {
  if (error instanceof Error && error.name === "CoordinatorClosedError") {
    return { kind: "not_applied" };
  }
  throw error;
}

function told<T>(verdict: Verdict<T>): string {
  return codeOf(verdict) ?? verdict.kind;
}

function begun({ clients, prefix }: QueryStage, { clientJobId }: Asked, { job }: Admitted): void {
  const name = prefix + clientJobId;
  const { jobId, generation } = job;
  clients.asked.set(name, Math.max(generation, clients.asked.get(name) ?? 1));
  const isKnown = clients.phones.some((phone) => phone.prefix === prefix && phone.jobId === jobId);
  if (isKnown) return;
  clients.phones.push({ prefix, jobId, generation, cursor: 0, isDone: false, reader: null });
}

function isBusy({ history, prefix }: QueryStage, clientJobId: string): boolean {
  const root = history.root(prefix, clientJobId);
  const status = history.log(prefix, String(root?.["jobId"]))?.status ?? "none";
  return status !== "none" && !isTerminal(status);
}

function checkAdmission(stage: QueryStage, asked: Asked, verdict: Verdict<Admitted>): void {
  const { history, prefix, truth, clients } = stage;
  const { clientJobId, generation } = asked;
  const name = `${prefix}${clientJobId} ${generation}`;
  const live = history.generation(prefix, clientJobId, generation);
  if (verdict.kind === "answer") {
    const { created, job } = verdict.value;
    if (job.jobId !== live?.jobId) truth.blame(`${name}: told of a job that never lived`);
    const count = (clients.creations.get(name) ?? 0) + (created ? 1 : 0);
    clients.creations.set(name, count);
    if (count > 1) truth.blame(`${name}: told to be created twice`);
    if (isOtherThanStored(stage, asked)) truth.blame(`${name}: another question's job was told`);
    return;
  }
  checkRefusal(stage, asked, codeOf(verdict));
}

function isOtherThanStored({ history, prefix }: QueryStage, asked: Asked): boolean {
  const { clientJobId, generation, isOther } = asked;
  const live = history.generation(prefix, clientJobId, generation);
  const request = history.log(prefix, live?.jobId ?? "")?.events[0]?.fields["request"];
  const own = requestOf(clientJobId, generation, isOther);
  return (request as { readonly query?: string } | undefined)?.query !== own.query;
}

function checkRefusal(stage: QueryStage, asked: Asked, code: string | null): void {
  const { history, prefix, truth } = stage;
  const { clientJobId, generation, begunAt } = asked;
  const name = `${prefix}${clientJobId} ${generation}`;
  const root = history.root(prefix, clientJobId);
  const expect = (isSo: boolean, message: string): void => {
    if (!isSo) truth.blame(`${name}: ${message}`);
  };
  switch (code) {
    case null:
      return;
    case "job_identity_conflict":
      expect(isOtherThanStored(stage, asked), "a false conflict");
      return;
    case "job_generation_active": {
      // One that ended before the call began is not active, unless another was admitted meanwhile.
      const latest = history.generation(prefix, clientJobId, Number(root?.["gen"]));
      expect(asked.wasBusy || (latest?.at ?? 0) >= begunAt, "said to be active, and it is not");
      return;
    }
    case "job_generation_out_of_order":
      expect(Number(root?.["gen"]) >= generation, "said to be out of order, and it is not");
      return;
    case "provider_orphan_fence": {
      const { sessionId } = requestOf(clientJobId, generation, false);
      const isHeld = history
        .holds(prefix, sessionId)
        .some(({ until }) => until > START_MS + begunAt - SKEW_MS);
      expect(isHeld || history.wasHeld(prefix, sessionId, begunAt), "said to be held");
      return;
    }
    case "erased":
      expect(root?.["clientJobId"] === null, "said to be erased, and it is not");
      return;
    default:
      truth.blame(`${name}: refused as ${code}`);
      return;
  }
}

/** Calls jobs off, acknowledges their ends, and has some of them erased. */
export async function end(stage: QueryStage): Promise<void> {
  const { world, process, clients, prefix } = stage;
  const { chance } = world;
  for (;;) {
    await process.pause(chance.between(1_500, 15_000));
    const own = clients.phones.filter((phone) => phone.prefix === prefix);
    const [first, ...others] = own.slice(-12);
    if (first === undefined) continue;
    const { jobId, generation } = chance.pick([first, ...others]);
    if (stage.isHealing()) await acknowledge(stage, jobId, generation);
    else if (chance.happens(0.3)) await cancel(stage, jobId, generation);
    else if (chance.happens(0.5)) await acknowledge(stage, jobId, generation);
    else if (chance.happens(0.2)) await erase(stage, someClientJob(stage));
    else await interrupt(stage, jobId);
  }
}

async function cancel(stage: QueryStage, jobId: string, generation: number): Promise<void> {
  const { holdfast, coordinator, world, history, prefix, truth } = stage;
  const by = coordinator !== null && world.chance.happens(0.5) ? coordinator : holdfast.queries;
  const verdict = await attempt(() => by.cancel(jobId, generation));
  const status = history.log(prefix, jobId)?.status ?? "none";
  world.note(`${stage.process.name} cancels ${jobId} ${told(verdict)}`);
  checkFound(stage, jobId, verdict);
  if (verdict.kind === "answer" && verdict.value.applied && status !== "canceled") {
    truth.blame(`${jobId}: told to be canceled, and is ${status}`);
  }
  if (verdict.kind === "answer" && !verdict.value.applied && !isTerminal(status)) {
    truth.blame(`${jobId}: said to have ended, and is ${status}`);
  }
  const wasReady = has(stage, jobId, "answer_ready");
  if (codeOf(verdict) === "query_job_answer_committing" && !wasReady) {
    truth.blame(`${jobId}: said to be committing`);
  }
}

async function acknowledge(stage: QueryStage, jobId: string, generation: number): Promise<void> {
  const { holdfast, truth, history, prefix } = stage;
  const wasOver = isTerminal(history.log(prefix, jobId)?.status ?? "none");
  const verdict = await attempt(() => holdfast.queries.acknowledge(jobId, generation));
  checkFound(stage, jobId, verdict);
  if (verdict.kind === "answer" && !has(stage, jobId, "acknowledged")) {
    truth.blame(`${jobId}: told to be acknowledged, and is not`);
  }
  if (codeOf(verdict) === "query_job_not_terminal" && wasOver) {
    truth.blame(`${jobId}: said not to have ended, and it had`);
  }
}

async function interrupt(stage: QueryStage, jobId: string): Promise<void> {
  const verdict = await attempt(() => stage.holdfast.queries.interrupt(jobId, "an operator"));
  checkFound(stage, jobId, verdict);
  if (verdict.kind === "answer" && verdict.value.applied && !has(stage, jobId, "interrupted")) {
    // It completes a job whose answer is committed (QUERY-30).
    if (!has(stage, jobId, "completed")) stage.truth.blame(`${jobId}: a false interruption`);
  }
}

async function erase(stage: QueryStage, clientJobId: string): Promise<void> {
  const { holdfast, history, prefix, truth } = stage;
  const verdict = await attempt(() => holdfast.queries.erase(clientJobId));
  if (verdict.kind !== "answer") return;
  const root = history.root(prefix, clientJobId);
  if (root?.["clientJobId"] !== null) truth.blame(`${clientJobId}: told to be erased, and is not`);
}

export function has({ history, prefix }: QueryStage, jobId: string, type: string): boolean {
  return history.log(prefix, jobId)?.events.some((event) => event.type === type) === true;
}

/** An operator's walk for logs that nothing names, beside all other traffic. */
export async function collect(stage: QueryStage): Promise<void> {
  const { world, process, holdfast, truth } = stage;
  for (;;) {
    await process.pause(world.chance.between(10_000, 60_000));
    const page = await attempt(() => holdfast.queries.gc(world.chance.between(3, 40)));
    if (page.kind === "answer" && page.value.corrupt > 0) truth.blame("gc found a corrupt log");
  }
}
