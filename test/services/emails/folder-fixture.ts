/** A fresh folder, for several instances of the library, shared in either way. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import type { Backend, Storage } from "../../../src/ports/backend.ts";
import type { EmailsFixture } from "./bench.ts";

export function folderFixture(
  sharing: "processes" | "exclusive",
): EmailsFixture & { readonly directory: string } {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-emails-"));
  const storage = filesystemStorage({ directory, sharing });
  return {
    directory,
    storage: sharing === "exclusive" ? singleOwner(storage) : storage,
    async plant(key, body) {
      const file = join(directory, fileOf(key));
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, body, { mode: 0o600 });
    },
    async destroy() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function fileOf(key: string): string {
  if (key.includes("/config/")) return "emails/config.json";
  return `${key.replace("receipts/records/", "receipts/")}.json`;
}

/** Several instances of the library on the one backend that an exclusive folder gives. */
function singleOwner(storage: Storage): Storage {
  let owner: Promise<Backend> | null = null;
  let users = 0;
  return {
    async open(context) {
      users += 1;
      owner ??= storage.open(context);
      const backend = await owner;
      return {
        ...backend,
        async close() {
          users -= 1;
          if (users > 0) return;
          owner = null;
          await backend.close();
        },
      };
    },
  };
}
