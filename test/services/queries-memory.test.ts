import { memoryStorage } from "../../adapters/storage/memory.ts";
import { describeQueries } from "./queries-suite.ts";

for (const dueIndex of ["native", "markers"] as const) {
  describeQueries(`memory (due index: ${dueIndex})`, async () => {
    const storage = memoryStorage({ dueIndex });
    return {
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    };
  });
}
