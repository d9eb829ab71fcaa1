/** What is known of a write whose earlier copy was not answered (protocols 1.1, 1.3). */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { key } from "../../src/core/key.ts";
import { durationMs, epochMs } from "../../src/core/time.ts";
import {
  ContendedError,
  OutcomeUnknownError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { sendUntilSettled } from "../../src/store/sending.ts";

/** What becomes of a creation whose first sends throw these, none of which was carried out. */
async function sentWith(faults: readonly Error[]): Promise<string> {
  const clock = { now: () => epochMs(0), elapsed: () => 0, sleep: async () => {} };
  const deps = { clock, random: systemRandom(), observe: () => {} };
  const memory = await memoryStorage().open({ ...deps, dueOf: () => null });
  const left = [...faults];
  const backend: typeof memory = {
    ...memory,
    async putIf(...order) {
      const fault = left.shift();
      if (fault !== undefined) throw fault;
      return memory.putIf(...order);
    },
  };
  return sendUntilSettled<string>(
    { ...deps, backend },
    {
      key: key("things/records/a"),
      text: "{}",
      condition: { expected: "absent", due: null, dueBefore: null },
      deadlineAt: epochMs(1_000_000),
      onStored: () => "stored",
      judge: (found) => (found === null ? "not_landed" : "stored"),
    },
  );
}

const unanswered = () => new StoreUnavailableError("no answer");

/** Those that say of the send they are thrown for: not written. */
const TURNED_AWAY = [
  new StoreUnavailableError("cannot be reached", { isNotWritten: true }),
  new RecordTooLargeError("too large"),
];

describe("a write", () => {
  it("is sent again until it is answered", async () => {
    const busy = new StoreThrottledError("slow down", durationMs(1));
    expect(await sentWith([unanswered(), busy, new ContendedError("busy")])).toBe("stored");
  });

  it.each(TURNED_AWAY)("that is turned away ($name) is told as that", async (fault) => {
    await expect(sentWith([fault])).rejects.toBe(fault);
  });

  it.each(TURNED_AWAY)(
    "whose resend is turned away ($name) may be there: the copy before it was not answered",
    async (fault) => {
      await expect(sentWith([unanswered(), fault])).rejects.toBeInstanceOf(OutcomeUnknownError);
    },
  );
});
