/** The reference model at length, where calls cost next to nothing. */
import { describe, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { openBench } from "./emails/bench.ts";
import { checkAgainstModel } from "./emails/model-property.ts";

describe.each(["native", "markers"] as const)(
  "emails against a model (due index: %s)",
  (dueIndex) => {
    it("80 random sequences of up to 60 calls are answered as the model says", async () => {
      const storage = memoryStorage({ dueIndex });
      const bench = await openBench({
        storage,
        plant: async (key, body) => storage.plant(key, body),
        destroy: async () => {},
      });
      await checkAgainstModel(bench, 80);
      await bench.close();
    });
  },
);
