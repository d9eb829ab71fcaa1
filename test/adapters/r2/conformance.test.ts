import { afterAll } from "vitest";
import { r2Storage } from "../../../adapters/storage/r2.ts";
import { describeStore } from "../../conformance/store.ts";
import { openR2 } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

describeStore("R2", async () => {
  const { bucket, prefix, destroy } = r2.place();
  const storage = r2Storage({ bucket, prefix });
  return { open: (context) => storage.open(context), destroy };
});
