/** `npm run soak -- --minutes 60 --storage folder` (or `dynamodb`, `s3`); `--plant leak` (or `loss`) to see it fail. */
import { parseArgs } from "node:util";
import { STORAGES } from "./place.ts";
import { reportText } from "./report.ts";
import { soak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    storage: { type: "string", default: "folder" },
    plant: { type: "string", multiple: true, default: [] },
  },
});

const minutes = Number(values.minutes);
const storage = STORAGES.find((one) => one === values.storage);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0");
if (storage === undefined) throw new Error(`--storage must be one of ${STORAGES.join(", ")}`);
const plants = values.plant.map((one) => {
  if (one !== "leak" && one !== "loss") throw new Error("--plant must be leak or loss");
  return one;
});

const report = await soak({ minutes, storage, plants, progress: (text) => console.error(text) });
console.log(reportText(report));
process.exitCode = report.broken.length === 0 ? 0 : 1;
