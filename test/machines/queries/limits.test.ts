import { expect, it } from "vitest";
import * as limits from "../../../src/machines/queries/limits.ts";

it("the limits are those of semantics C6, the lease that of http-api, the history that of protocols 4.1", () => {
  expect({ ...limits }).toEqual({
    QUERY_CHARS_MAX: 48_000,
    ANSWER_CHARS_MAX: 128_000,
    DELTA_CHARS_MAX: 16_000,
    NOTICE_CHARS_MAX: 2_000,
    ACTIVITIES_MAX: 64,
    ATTACHMENTS_MAX: 5,
    SESSION_ID_CHARS_MAX: 128,
    RESOLVED_MODEL_CHARS_MAX: 64,
    LINKAGE_ID_CHARS_MAX: 256,
    IMAGES_MAX: 1_000,
    ORPHAN_FENCE_MS: 1_260_000,
    RETENTION_MS: 604_800_000,
    RUN_LEASE_MS: 60_000,
    HISTORY_MAX: 64,
  });
});
