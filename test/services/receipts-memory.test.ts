import { memoryStorage } from "../../adapters/storage/memory.ts";
import { describeReceipts } from "./receipts-suite.ts";

for (const dueIndex of ["native", "markers"] as const) {
  describeReceipts(`memory (due index: ${dueIndex})`, async () => {
    const storage = memoryStorage({ dueIndex });
    return {
      storage,
      plant: async (key, body) => storage.plant(key, body),
      destroy: async () => {},
    };
  });
}
