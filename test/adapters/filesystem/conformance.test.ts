/** The conformance suite over folders, shared in both ways. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import type { Backend } from "../../../src/ports/backend.ts";
import type { Fixture } from "../../conformance/fixture.ts";
import { describeStore } from "../../conformance/store.ts";

describeStore("filesystem, shared by processes", async () => folderFixture("processes"));
describeStore("filesystem, one owner", async () => folderFixture("exclusive"));

function folderFixture(sharing: "processes" | "exclusive"): Fixture {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-"));
  const storage = filesystemStorage({ directory, sharing });
  let owner: Promise<Backend> | null = null;
  return {
    async open(context) {
      if (sharing === "processes") return storage.open(context);
      owner ??= storage.open(context);
      return owner;
    },
    async destroy() {
      rmSync(directory, { recursive: true });
    },
  };
}
