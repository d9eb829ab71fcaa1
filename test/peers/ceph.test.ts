import type { S3Client } from "@aws-sdk/client-s3";
import { afterAll, describe, expect, it } from "vitest";
import { isCephInstalled, startCeph } from "./ceph.ts";
import { failedChecks } from "./probe.ts";
import { bucketsOf } from "./s3.ts";
import { describePeer } from "./suite.ts";

describe.runIf(isCephInstalled())("Ceph", async () => {
  if (!isCephInstalled()) return;
  const ceph = await startCeph();
  afterAll(() => ceph.stop());

  it("of release 16 compares If-Match with its quotes, and is refused for that by name", async () => {
    expect(failedChecks(await bucketsOf(ceph).probe())).toEqual([
      "replacement",
      "race of 8 replacements",
    ]);
  });

  describePeer("S3 by Ceph, asked without quotes", bucketsOf(ceph, withoutQuotes));
});

function withoutQuotes(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      const wanted = headers["if-match"];
      if (wanted !== undefined) headers["if-match"] = wanted.replaceAll('"', "");
      return next(args);
    },
    { step: "build" },
  );
}
