/** What the thread that writes is asked, and what it answers: plain data, that can be sent. */
import type { Key } from "../../../src/core/key.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import type { Version } from "../../../src/ports/backend.ts";
import type { OwnedVerdict } from "./folder-writes.ts";
import type { MarkerChange, WriteVerdict } from "./key-writes.ts";
import type { LayoutOptions } from "./layout.ts";
import type { ProcessMark } from "./lock-file.ts";
import type { FolderMarks } from "./presence.ts";

export interface Calls {
  /** One attempt in a folder that processes share. */
  readonly writeShared: { readonly input: SharedTask; readonly output: SharedAnswer };
  /** One attempt of the folder's exclusive owner. */
  readonly writeOwned: {
    readonly input: OwnedTask;
    readonly output: OwnedVerdict | FailedWrite | GoneFolder;
  };
  /** Takes the key's lock, draws the fence, reads. */
  readonly beginMend: {
    readonly input: AttemptInput;
    readonly output: {
      readonly found: "busy" | { readonly bytes: Uint8Array | null };
      readonly isTakeOver: boolean;
    };
  };
  /** Removes the marker, if one is named, and lets the lock go. */
  readonly endMend: {
    readonly input: AttemptInput & { readonly marker: string | null };
    readonly output: null;
  };
  /** Files as they are, null where there is none: for the rebuild of a due index. */
  readonly read: {
    readonly input: readonly Key[];
    readonly output: readonly (Uint8Array | Trouble | null)[];
  };
  /** Makes the record durable as it was found. */
  readonly settle: { readonly input: Key; readonly output: null };
  /** `folderU`: null in a folder that processes share. */
  readonly remove: {
    readonly input: { readonly key: Key; readonly folderU: string | null };
    readonly output: "removed" | "folder" | "lost";
  };
}

export interface AttemptInput {
  readonly key: Key;
  readonly u: string;
  /** The wall clock that the age of a lock is measured by. */
  readonly now: EpochMs;
}

export interface SharedTask extends AttemptInput {
  readonly expected: "absent" | Version;
  readonly body: string;
  readonly marker: MarkerChange;
}

export interface SharedAnswer {
  readonly verdict: WriteVerdict | FailedWrite | GoneFolder;
  readonly isTakeOver: boolean;
}

/** The system refused; not published as far as is known. */
export interface FailedWrite {
  readonly kind: "failed";
  readonly error: unknown;
}

/** The folder is not the one that was opened: see Presence. Nothing was written. */
export interface GoneFolder {
  readonly kind: "gone";
}

export interface OwnedTask {
  readonly folderU: string;
  readonly key: Key;
  readonly u: string;
  readonly expected: "absent" | Version;
  readonly body: string;
}

/** What a thread is told when it starts. */
export interface ThreadData {
  readonly layout: LayoutOptions;
  readonly marks: FolderMarks;
  readonly self: ProcessMark;
}

export type CallKind = keyof Calls;

export interface Request {
  /** Names the request in its reply. */
  readonly id: number;
  readonly kind: CallKind;
  readonly input: Calls[CallKind]["input"];
}

/** An error as data: sending one loses its `code`. */
export interface Trouble {
  readonly message: string;
  readonly code: string | null;
  /** A broken assertion, which no caller may take for the storage's fault. */
  readonly isBug: boolean;
}

export type Reply = { readonly id: number } & (
  | { readonly output: Calls[CallKind]["output"]; readonly trouble: null }
  | { readonly output: null; readonly trouble: Trouble }
);
