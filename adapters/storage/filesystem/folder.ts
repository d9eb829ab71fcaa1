/** What everything that works in one opened folder shares. */
import { lstat } from "node:fs/promises";
import { uuid } from "../../../src/core/ids.ts";
import type { StorageContext } from "../../../src/ports/backend.ts";
import type { Observe } from "../../../src/ports/observe.ts";
import { makeDurableDirectory, type NodeDisk } from "./disk.ts";
import type { LayoutOptions, RootPlace } from "./layout.ts";
import { sweepRecordLeftovers } from "./leftovers.ts";
import type { SeeNames } from "./list.ts";
import type { ProcessMark } from "./lock-file.ts";
import { quietly } from "./temp-file.ts";

/** How the command line reaches the process that has a folder to itself. */
export interface OwnerContact {
  /** Where it serves HTTP: an http or https URL. */
  readonly address: string;
  /**
   * What it lets in there: 32 to 256 visible ASCII characters, fresh for every start. Stands in
   * `folder.lock` of the data directory (0600), and in no message.
   */
  readonly secret: string;
}

export interface Folder {
  readonly context: StorageContext;
  readonly layout: LayoutOptions;
  readonly self: ProcessMark;
  /** Null when it serves nobody. */
  readonly owner: OwnerContact | null;
  /** For the few steps that this thread does itself. */
  readonly disk: NodeDisk;
  readonly see: SeeNames;
  /** A UUID that nobody had before. */
  newId(): string;
}

export function createFolder(
  context: StorageContext,
  layout: LayoutOptions,
  by: Pick<Folder, "self" | "owner" | "disk">,
): Folder {
  const { clock, random } = context;
  const observe: Observe = (name, count) => quietly(() => context.observe(name, count));
  return {
    context: { ...context, observe },
    layout,
    ...by,
    see: (level, names) => sweepRecordLeftovers(level, names, { now: clock.now(), observe }),
    newId: () => uuid(random.bytes(16)),
  };
}

export function makeRootDirectories({ disk }: Folder, root: RootPlace): void {
  // `holdfast.json` is written after this, so where it stands the root's own name is durable.
  makeDurableDirectory(root.directory, !disk.exists(root.state));
  for (const path of [root.locks, root.temps, root.due]) makeDurableDirectory(path);
}

export async function isDirectory(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
