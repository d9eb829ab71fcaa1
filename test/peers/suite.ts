/** What a witness must show: a probe without findings, and all that every storage must do. */
import { describe, expect, it } from "vitest";
import type { ProbeFinding } from "../../src/store/probe.ts";
import { describeStore } from "../conformance/store.ts";
import type { EmailsFixture } from "../services/emails/bench.ts";
import { describeEmails } from "../services/emails-suite.ts";
import { failedChecks } from "./probe.ts";

export interface Peer {
  fixture(): Promise<EmailsFixture>;
  probe(): Promise<readonly ProbeFinding[]>;
}

export function describePeer(name: string, peer: Peer): void {
  describe(`the probe on ${name}`, () => {
    it("finds nothing that keeps it from being used", async () => {
      const findings = await peer.probe();
      expect(findings.length).toBeGreaterThan(5);
      expect(failedChecks(findings)).toEqual([]);
    });
  });
  describeStore(name, async () => {
    const { storage, destroy } = await peer.fixture();
    return { open: (context) => storage.open(context), destroy };
  });
  describeEmails(name, () => peer.fixture());
}
