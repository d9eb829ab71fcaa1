/** Where a soak's records stand: a folder that several processes share, or a table or a bucket of this machine. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPlace } from "../drill/cloud-places.ts";

export const STORAGES = ["folder", "dynamodb", "s3"] as const;

export type StorageName = (typeof STORAGES)[number];

export interface Place {
  /** For `holdfast serve`, and for a library beside it. */
  readonly env: Readonly<Record<string, string>>;
  /** What it has grown to, in words. */
  size(): string;
  close(): Promise<void>;
}

export async function placeOf(storage: StorageName): Promise<Place> {
  if (storage === "folder") return folderPlace();
  // No storage loses a reply here: that is the drill's.
  const never = (): number => 1;
  const place = await openPlace(storage, never);
  return {
    env: place.env,
    size: () => `${place.requests()} requests`,
    close: () => place.close(),
  };
}

function folderPlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-soak-"));
  return {
    env: {
      HOLDFAST_STORAGE: "filesystem",
      HOLDFAST_DATA_DIR: directory,
      HOLDFAST_FOLDER_SHARING: "processes",
    },
    size() {
      const { files, bytes } = sizeOf(directory);
      return `${files} files of ${(bytes / 2 ** 20).toFixed(1)} MiB`;
    },
    async close() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Files may go while they are counted. */
function sizeOf(directory: string): { readonly files: number; readonly bytes: number } {
  let [files, bytes] = [0, 0];
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const stat = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    files += 1;
    bytes += stat?.size ?? 0;
  }
  return { files, bytes };
}
