import { describeStore } from "../../conformance/store.ts";
import { sharedFront, storageOn } from "./given.ts";

const front = sharedFront();

for (const kind of ["without the record in refusals", "with the record in refusals"] as const) {
  describeStore(`DynamoDB ${kind}`, async () => {
    const { endpoint, plainEndpoint } = front();
    const shown = kind.startsWith("with ") ? endpoint : plainEndpoint;
    const storage = storageOn(shown, await front().createTable());
    return { open: (context) => storage.open(context), destroy: async () => {} };
  });
}
