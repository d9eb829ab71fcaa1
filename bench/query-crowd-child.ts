/** A process of its own, so that its memory is that of the crowd alone. */
import { crowdReport } from "./query-crowd.ts";

const [, , crowd = "{}"] = process.argv;

process.send?.(await crowdReport(JSON.parse(crowd)));
process.disconnect?.();
