import { memoryStorage } from "../../adapters/storage/memory.ts";
import { describeStore } from "../conformance/store.ts";

for (const dueIndex of ["native", "markers"] as const) {
  describeStore(`memory (due index: ${dueIndex})`, async () => {
    const storage = memoryStorage({ dueIndex });
    return { open: (context) => storage.open(context), destroy: async () => {} };
  });
}
