/** The probe, on storages that break one promise each. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { epochMs } from "../../src/core/time.ts";
import type {
  Backend,
  Cursor,
  PutVerdict,
  Storage,
  StorageContext,
  Version,
} from "../../src/ports/backend.ts";
import type { Clock } from "../../src/ports/clock.ts";
import {
  ContendedError,
  MisconfiguredError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { type ProbeFinding, probe } from "../../src/store/probe.ts";
import { probed } from "../../src/store/probed.ts";

const clock: Clock = {
  now: () => epochMs(1_700_000_000_000),
  elapsed: () => 0,
  sleep: async () => {},
};

const CONTEXT: StorageContext = {
  clock,
  random: systemRandom(),
  observe: () => {},
  dueOf: () => null,
};

/** Puts that come before those of the race. */
const RECORD_PUTS = 5;

const REFUSED: PutVerdict = { kind: "refused", current: "unread" };
const STORED: PutVerdict = { kind: "stored", version: "another" as Version };

/** The first ones of the race are told `verdicts`, where one is given, whatever became of them. */
function withRacers(
  putIf: Backend["putIf"],
  verdicts: readonly (PutVerdict | null)[],
): Backend["putIf"] {
  let puts = 0;
  return async (...request) => {
    puts += 1;
    const told = verdicts[puts - RECORD_PUTS - 1] ?? null;
    const verdict = await putIf(...request);
    return told ?? verdict;
  };
}

/** A storage with its promises as `change` breaks them. */
function broken(change: (whole: Backend) => Partial<Backend>): Storage {
  const storage = memoryStorage({ dueIndex: "markers" });
  return {
    async open(context) {
      const backend = await storage.open(context);
      return { ...backend, ...change(backend) };
    },
  };
}

async function findingsOf(storage: Storage): Promise<readonly ProbeFinding[]> {
  return probe(await storage.open(CONTEXT), CONTEXT);
}

async function failuresOf(storage: Storage): Promise<string[]> {
  const findings = await findingsOf(storage);
  return findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
}

describe("the probe", () => {
  for (const dueIndex of ["native", "markers"] as const) {
    it(`finds nothing wrong with memory (due index: ${dueIndex}), and leaves nothing in it`, async () => {
      const storage = memoryStorage({ dueIndex });
      const findings = await findingsOf(storage);
      expect(findings.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
      expect(findings.map(({ check }) => check)).toEqual([
        "read after write",
        "second create of a key",
        "replacement",
        "stale replacement",
        "replacement of a missing key",
        "race of 8 creates",
        "race of 8 replacements",
        "listing after write",
        "clock",
        ...(dueIndex === "native" ? ["due index"] : []),
        "removal",
      ]);
      expect(storage.bodies().size).toBe(0);
    });
  }

  it("keeps to its place, whose names are never used again", async () => {
    const keys = new Set<string>();
    const storage = broken(({ putIf }) => ({
      putIf: (name, ...rest) => {
        keys.add(name);
        return putIf(name, ...rest);
      },
    }));
    await findingsOf(storage);
    await findingsOf(storage);
    expect([...keys].filter((name) => !/^probe\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/.test(name))).toEqual(
      [],
    );
    expect(keys.size).toBe(12);
  });

  it.each<[string, string, (whole: Backend) => Partial<Backend>]>([
    ["shows what was there before a write", "read after write", () => ({ get: async () => null })],
    [
      "keeps the version of a record that is replaced",
      "replacement",
      ({ putIf }) => ({
        async putIf(name, body, condition) {
          const verdict = await putIf(name, body, condition);
          const isReplaced = verdict.kind === "stored" && condition.expected !== "absent";
          return isReplaced ? { ...verdict, version: condition.expected } : verdict;
        },
      }),
    ],
    [
      "refuses to replace",
      "replacement",
      ({ putIf }) => ({
        putIf: async (name, body, condition) =>
          condition.expected === "absent" ? putIf(name, body, condition) : REFUSED,
      }),
    ],
    [
      "lists nothing",
      "listing after write",
      () => ({ list: async () => ({ entries: [], cursor: null }) }),
    ],
    [
      "lists in another order",
      "listing after write",
      ({ list }) => ({
        async list(...request) {
          const { entries, cursor } = await list(...request);
          return { entries: entries.toReversed(), cursor };
        },
      }),
    ],
    [
      "tells two racers that theirs was stored",
      "race of 8 creates",
      ({ putIf }) => ({ putIf: withRacers(putIf, [null, STORED]) }),
    ],
    [
      "tells a racer that its own was stored, and keeps another's",
      "race of 8 creates",
      ({ putIf }) => ({ putIf: withRacers(putIf, [REFUSED, STORED]) }),
    ],
    [
      "looks at a condition before it begins to replace, and not again",
      "race of 8 replacements",
      ({ get, putIf }) => ({
        async putIf(name, body, condition) {
          if (condition.expected === "absent") return putIf(name, body, condition);
          const before = (await get(name))?.version ?? null;
          if (before !== condition.expected) return REFUSED;
          await new Promise((resolve) => setImmediate(resolve));
          const expected = (await get(name))?.version ?? "absent";
          return putIf(name, body, { ...condition, expected });
        },
      }),
    ],
    [
      "lists what was made first, first",
      "listing after write",
      ({ putIf, list }) => {
        const made: string[] = [];
        return {
          async putIf(name, ...rest) {
            if (!made.includes(name)) made.push(name);
            return putIf(name, ...rest);
          },
          async list(prefix) {
            const { entries } = await list(prefix, null, 100);
            const age = (name: string): number => made.indexOf(name);
            return { entries: entries.toSorted((a, b) => age(a.key) - age(b.key)), cursor: null };
          },
        };
      },
    ],
    [
      "begins a listing anew for every page",
      "listing after write",
      ({ list }) => ({ list: (prefix, _cursor, limit) => list(prefix, null, limit) }),
    ],
    ["removes nothing", "removal", () => ({ remove: async () => {} })],
  ])("names a storage that %s", async (_what, check, change) => {
    expect(await failuresOf(broken(change))).toContain(check);
  });

  it("names an index of the storage's own that cannot be read, and why", async () => {
    const unreadable = broken(() => ({
      due: {
        page: async () => {
          throw new MisconfiguredError("there is no index");
        },
        mend: async () => {},
      },
    }));
    const findings = await findingsOf(unreadable);
    expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([
      { check: "due index", verdict: "fail", detail: "there is no index" },
    ]);
  });

  it("an index of the storage's own leaves it free to list in any order", async () => {
    const native = broken(({ list }) => ({
      due: { page: async () => ({ entries: [], cursor: null }), mend: async () => {} },
      async list(...request) {
        const { entries, cursor } = await list(...request);
        return { entries: entries.toReversed(), cursor };
      },
    }));
    expect(await failuresOf(native)).toEqual([]);
  });

  it("follows a listing through short and empty pages to its end", async () => {
    const storage = broken(({ list }) => ({
      async list(prefix, cursor, limit) {
        // The first page is empty, and goes on.
        if (cursor === null) return { entries: [], cursor: "begin" as Cursor };
        return list(prefix, cursor === "begin" ? null : cursor, Math.min(limit, 1));
      },
    }));
    expect(await failuresOf(storage)).toEqual([]);
  });

  it("a race that all are turned away from is decided by one more", async () => {
    let puts = 0;
    const storage = broken(({ putIf }) => ({
      async putIf(...request) {
        puts += 1;
        if (puts > RECORD_PUTS && puts <= RECORD_PUTS + 8) throw new ContendedError("others write");
        return putIf(...request);
      },
    }));
    expect(await failuresOf(storage)).toEqual([]);
  });

  it("a race whose winner is told nothing is decided by what stands there", async () => {
    let puts = 0;
    const storage = broken(({ putIf }) => ({
      async putIf(...request) {
        puts += 1;
        const verdict = await putIf(...request);
        if (puts > RECORD_PUTS && verdict.kind === "stored" && puts <= RECORD_PUTS + 8) {
          throw new StoreUnavailableError("internal error");
        }
        return verdict;
      },
    }));
    expect(await failuresOf(storage)).toEqual([]);
  });

  it("tells what failed, whatever the storage cannot do besides", async () => {
    const storage = broken(({ putIf }) => ({
      putIf: withRacers(putIf, [null, STORED]),
      list: async () => {
        throw new StoreUnavailableError("internal error");
      },
    }));
    expect(await failuresOf(storage)).toEqual(["race of 8 creates"]);
  });

  it("says nothing of a clock that the storage does not tell", async () => {
    const storage = broken(({ list }) => ({
      async list(...request) {
        const { entries, cursor } = await list(...request);
        return { entries: entries.map((entry) => ({ ...entry, writtenAt: null })), cursor };
      },
    }));
    expect((await findingsOf(storage)).map(({ check }) => check)).not.toContain("clock");
  });

  it.each([
    [-61_000, "fail", /61 s ahead of the storage's/],
    [-60_000, "warn", /60 s ahead of the storage's/],
    [-5_001, "warn", /5 s ahead of the storage's/],
    [-5_000, "ok", /as the storage's/],
    [5_000, "ok", /as the storage's/],
    [60_000, "warn", /60 s behind the storage's/],
    [60_001, "fail", /60 s behind the storage's/],
  ])("a storage's clock that is %i ms after ours: %s", async (offset, verdict, detail) => {
    const storage = broken(({ list }) => ({
      async list(...request) {
        const { entries, cursor } = await list(...request);
        const writtenAt = epochMs(clock.now() + offset);
        return { entries: entries.map((entry) => ({ ...entry, writtenAt })), cursor };
      },
    }));
    const found = (await findingsOf(storage)).find(({ check }) => check === "clock");
    expect(found).toMatchObject({ verdict, detail: expect.stringMatching(detail) });
  });

  it("throws what keeps it from telling, and cleans up all the same", async () => {
    const removed: string[] = [];
    const storage = broken(() => ({
      list: async () => {
        throw new StoreUnavailableError("no answer");
      },
      remove: async (name) => void removed.push(name),
    }));
    await expect(findingsOf(storage)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(removed).toHaveLength(6);
  });
});

describe("a probed storage", () => {
  it("opens as it would have, and tells what should be looked at", async () => {
    const warnings: ProbeFinding[] = [];
    const storage = broken(({ list }) => ({
      async list(...request) {
        const { entries, cursor } = await list(...request);
        const writtenAt = epochMs(clock.now() - 7_000);
        return { entries: entries.map((entry) => ({ ...entry, writtenAt })), cursor };
      },
    }));
    const backend = await probed(storage, (finding) => void warnings.push(finding)).open(CONTEXT);
    expect(warnings.map(({ check }) => check)).toEqual(["clock"]);
    expect((await backend.list("", null, 10)).entries).toEqual([]);
  });

  it("opens although replies get lost, since a lost one tells nothing about it", async () => {
    let lost = 0;
    const storage = broken(({ putIf }) => ({
      async putIf(...request) {
        const verdict = await putIf(...request);
        if (lost >= 4) return verdict;
        lost += 1;
        throw new StoreUnavailableError("no answer");
      },
    }));
    await (await probed(storage).open(CONTEXT)).close();
    expect(lost).toBe(4);
  });

  it.each([
    ["gives no answer, five times", new StoreUnavailableError("no answer"), 5],
    [
      "cannot be reached, once",
      new StoreUnavailableError("no connection", { isNotWritten: true }),
      1,
    ],
    ["is wrong, once", new MisconfiguredError("no permission"), 1],
  ])("that %s is closed, and its fault is thrown", async (_, fault, probes) => {
    let [puts, closed] = [0, 0];
    const storage = broken(() => ({
      async putIf() {
        puts += 1;
        throw fault;
      },
      async close() {
        closed += 1;
      },
    }));
    await expect(probed(storage).open(CONTEXT)).rejects.toBe(fault);
    expect({ puts, closed }).toEqual({ puts: probes, closed: 1 });
  });

  it("that fails is closed, and refused with every check that failed", async () => {
    let isClosed = false;
    const storage = broken(() => ({
      remove: async () => {},
      list: async () => ({ entries: [], cursor: null }),
      close: async () => {
        isClosed = true;
      },
    }));
    const opening = probed(storage).open(CONTEXT);
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(
      /listing after write: does not.*; removal: a removed key/,
    );
    expect(isClosed).toBe(true);
  });
});
