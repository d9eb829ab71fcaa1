/** Faults of queries: admission, fences, the event log (protocols 4 and 5). */
import type { Mutant } from "./mutant.ts";

const ADMISSION = "src/services/query-admission.ts";
const ATTEMPT = "src/services/query-attempt.ts";
const WRITTEN = "src/services/query-written.ts";
const SCAN = "src/services/query-scan.ts";
const READING = "src/services/query-reading.ts";
const PARTS = "src/store/log-parts.ts";
const DRAFTS = "src/store/log-drafts.ts";

export const QUERY_MUTANTS: readonly Mutant[] = [
  {
    name: "interrupt-told-before-the-fence",
    file: ATTEMPT,
    text: "const until = await fences.hold(fenceId, place.jobId, rejection.until);",
    replacement:
      "const { until } = rejection;\n    setTimeout(() => fences.hold(fenceId, place.jobId, until).catch(() => {}), 60_000).unref();",
    law: "protocols 4.4: the session is held before the interruption can be seen",
    caughtBy: [{ tests: "services/queries-faults", named: "anywhere into an admission" }],
  },
  {
    name: "fence-read-before-the-status",
    file: ADMISSION,
    text: `  const isOver = root?.kind !== "live" || (await isLatestOver(parts, root, clientJobId));
  const heldUntil = heldQueries === "admit" ? null : await fences.heldUntil(fenceIdOf(sessionId));`,
    replacement: `  const heldUntil = heldQueries === "admit" ? null : await fences.heldUntil(fenceIdOf(sessionId));
  const isOver = root?.kind !== "live" || (await isLatestOver(parts, root, clientJobId));`,
    law: "protocols 4.4: an admission reads the fence after the status",
    caughtBy: [{ tests: "services/queries-faults", named: "anywhere into an admission" }],
  },
  {
    name: "fence-not-read-again-behind-the-start",
    file: "src/services/query-commands.ts",
    text: "if (until === null) return outcome;",
    replacement: "return outcome;",
    law: "protocols 4.3: a start reads the fence again before the provider",
    caughtBy: [{ tests: "services/queries-memory", named: "looks at the fence again" }],
  },
  {
    name: "running-job-superseded",
    file: "src/machines/queries/admission.ts",
    text: 'if (!isLatestOver) return { kind: "job_generation_active" };',
    replacement: "",
    law: "protocols 4.4: a generation becomes live only when the one before has ended",
    caughtBy: [{ simulation: "queries", seeds: 3 }, { tests: "machines/queries/admission" }],
  },
  {
    name: "another-request-answered-as-a-repeat",
    file: "src/machines/queries/admission.ts",
    text: "if (job.fingerprint !== fingerprint) {",
    replacement: "if (false) {",
    law: "G5: another request under the same id is a conflict, and told nothing",
    caughtBy: [{ tests: "machines/queries/admission" }],
  },
  {
    name: "gc-removes-what-may-be-admitted-yet",
    file: "src/services/query-gc.ts",
    text: "if ((stored?.version ?? null) !== base) return true;",
    replacement: "return true;",
    law: "protocols 4.4: the root is moved on before an orphan of its version is removed",
    caughtBy: [{ tests: "services/queries-memory", named: "an admission that slept through it" }],
  },
  {
    name: "part-of-an-unknown-admission-removed",
    file: ADMISSION,
    text: "if (isOutOfTheWay(fault)) await draft.remove();",
    replacement: "await draft.remove();",
    law: "protocols 4.2, step 7: after an unknown admission part 1 stays",
    caughtBy: [{ tests: "services/queries-faults", named: "is known by its job id" }],
  },
  {
    name: "next-free-number-taken",
    file: ATTEMPT,
    text: `  course.isRead = true;
  return null;
}

/** What a decision`,
    replacement: `  course.isRead = true;
  return tryAppend(parts, asked, { course, event, seen });
}

/** What a decision`,
    law: "protocols 5.5: after a taken number it is decided anew",
    caughtBy: [
      { simulation: "queries", seeds: 3 },
      { tests: "services/queries-faults", named: "a pass G1 killed anywhere" },
    ],
  },
  {
    name: "ghost-commit",
    file: WRITTEN,
    text: "const found = await afterWriting(() => roots.find(place));",
    replacement:
      "const found = await afterWriting(() => roots.find(place));\n  if (found === null) return;",
    law: "protocols 5.5: what is appended counts only while the root has the job",
    caughtBy: [{ tests: "services/queries-faults", named: "ghost commit" }],
  },
  {
    name: "parts-removed-before-the-root-is-marked",
    file: "src/services/query-retire.ts",
    text: "    async retire(stored) {\n",
    replacement: `    async retire(stored) {
      const early = rootCodec.load(stored);
      if (early.kind === "live" && markRetired(early, clock.now()).kind === "apply") {
        await removeLog(deps, early.jobId, after(clock.now(), deps.deadlineMs));
      }
`,
    law: "protocols 5.5: the root is marked before a part is removed",
    caughtBy: [{ tests: "services/queries-faults", named: "no part is removed before" }],
  },
  {
    name: "shown-without-the-root",
    file: READING,
    text: "    await roots.shown(place);\n    jobs.keep(place, known);",
    replacement: "    jobs.keep(place, known);",
    law: "protocols 5.5: a reader shows events only after the root",
    caughtBy: [{ tests: "services/queries-faults", named: "a retirement killed anywhere" }],
  },
  {
    name: "repeat-looked-for-behind-the-hint",
    file: SCAN,
    text: "return fold(place, place.log.readOn(Math.min(start, end)), base, mark);",
    replacement: "return fold(place, place.log.readOn(Math.max(start, end)), base, mark);",
    law: "protocols 5.5: a repeat is looked for from the smaller of position and hint",
    caughtBy: [
      { tests: "services/queries-memory", named: "is written once, however often it is repeated" },
    ],
  },
  {
    name: "position-believed",
    file: SCAN,
    text: "if (part === null || !isSamePart(part, position)) throw positionError();",
    replacement: "",
    law: "protocols 5.5: a position is believed only when its part was read",
    caughtBy: [{ tests: "services/queries-memory", named: "which no answer told" }],
  },
  {
    name: "hint-inside-a-part",
    file: "src/machines/queries/hint.ts",
    text: "    hint: head,\n",
    replacement: "    hint: { ...head, seq: Math.max(1, head.seq - 1) },\n",
    law: "protocols 5.5: a hint is the end of a part",
    caughtBy: [
      { tests: "services/queries-memory", named: "tells the root once somebody had to read far" },
    ],
  },
  {
    name: "cursor-taken-for-the-end-of-a-part",
    file: "src/store/log-reading.ts",
    text: '  assert(Number.isSafeInteger(cursor) && cursor >= 0, "no cursor of a log");\n',
    replacement: "  if (cursor > 0) return yield* readOn(place, cursor);\n",
    law: "protocols 5.5: a cursor may lie inside a part",
    caughtBy: [{ tests: "adapters/memory", named: "begins with the part that a cursor lies in" }],
  },
  {
    name: "hole-in-a-log-passed-over",
    file: "src/store/log-reading.ts",
    text: "  if (end >= listed) return;\n",
    replacement: "  if (end >= 0) return;\n",
    law: "protocols 5.3: an absence in front of a part that is listed is no end",
    caughtBy: [{ tests: "adapters/memory", named: "goes no further than the chain" }],
  },
  {
    name: "part-written-before-its-continuations",
    file: DRAFTS,
    text: `      if (first > 1) await writeContinuations(deadlineAt);
      const verdict = await send(first, deadlineAt);
      if (first === 1 && verdict === "created")`,
    replacement: `      const verdict = await send(first, deadlineAt);
      if (verdict === "created")`,
    law: "protocols 5.8: a part without its continuations cannot exist",
    caughtBy: [{ tests: "adapters/memory" }],
  },
  {
    name: "continuations-removed-after-an-unknown-answer",
    file: DRAFTS,
    text: "if (place === null) await removeContinuations();",
    replacement: "await removeContinuations();",
    law: "protocols 5.8: the continuations of a part that may be there stay",
    caughtBy: [{ tests: "adapters/memory" }, { tests: "services/queries-faults" }],
  },
  {
    name: "missing-continuation-judged-without-the-root",
    file: "src/store/log-reading.ts",
    text: 'return { ...part, kind: "incomplete", fault: new RecordCorruptError(key, reason) };',
    replacement: "throw new RecordCorruptError(key, reason);",
    law: "protocols 5.8: a missing continuation is judged after the root",
    caughtBy: [{ tests: "adapters/memory" }],
  },
  {
    name: "continuations-not-checked",
    file: PARTS,
    text: "if (sha256Hex(text) !== moved.sha256) {",
    replacement: "if (false) {",
    law: "protocols 5.8, step 4: the hash of the continuations is checked",
    caughtBy: [{ tests: "store/log-parts", named: "hold other items than it tells" }],
  },
  {
    name: "part-one-removed-first",
    file: "src/store/log-removal.ts",
    text: "const others = keys.filter((key) => key !== partOne);",
    replacement: "const others = keys;",
    law: "protocols 4.3: part 1 goes last, since it tells whose the rest is",
    caughtBy: [{ tests: "adapters/memory" }, { tests: "services/query-removal" }],
  },
  {
    name: "run-ended-by-a-stranger",
    file: "src/machines/queries/decide.ts",
    text: 'return isHolder ? null : refuse(query, "lease_lost");',
    replacement: "return null;",
    law: "protocols 5.2, step 3: only the token of the run writes",
    caughtBy: [{ tests: "machines/queries/runs" }, { tests: "machines/queries/transitions" }],
  },
  {
    name: "answer-canceled-while-it-is-committed",
    file: "src/machines/queries/endings.ts",
    text: 'if (head.status === "answer_ready") return refuse(query, "query_job_answer_committing");',
    replacement: "",
    law: "protocols 5.2, step 3: after `answer_ready` comes `completed` alone",
    caughtBy: [{ tests: "machines/queries/endings" }],
  },
];
