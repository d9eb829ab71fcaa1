import { memoryStorage } from "../../adapters/storage/memory.ts";
import { describeEmails } from "./emails-suite.ts";

for (const dueIndex of ["native", "markers"] as const) {
  describeEmails(`memory (due index: ${dueIndex})`, async () => {
    const storage = memoryStorage({ dueIndex });
    return {
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    };
  });
}
