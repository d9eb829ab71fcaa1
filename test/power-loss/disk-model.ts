/**
 * A file system that loses its power: what POSIX promises, and no more. Bytes of a file are durable from
 * the end of an fsync of the file that began after they were written; a name that was entered, replaced or
 * removed from the end of such an fsync of its directory. Of everything else any part may have happened:
 * of a rename the new name alone, never the loss of the old one alone; and of a file nothing, all, a part,
 * or its length without its bytes.
 */
import { assert } from "../../src/core/assert.ts";
import type { DiskOperation } from "./operations.ts";

interface FileNode {
  readonly kind: "file";
  readonly inode: number;
  durable: Uint8Array;
  now: Uint8Array;
}

interface DirectoryNode {
  readonly kind: "directory";
  readonly durable: Map<string, Node>;
  readonly now: Map<string, Node>;
  /** In their order; of those that are durable the first are in `durable` already. */
  pending: NameChange[];
}

type Node = FileNode | DirectoryNode;

/** `node`: null for a removal. */
interface NameChange {
  readonly id: number;
  readonly name: string;
  readonly node: Node | null;
  /** The other half of a rename, without which this one cannot have happened. */
  readonly needs: NameChange | null;
  isDurable: boolean;
}

/** Which of what was not synced the disk has after all. The same question has the same answer. */
export interface Survival {
  /** For reports. */
  readonly name: string;
  keepsName(change: number): boolean;
  /** Of a file whose bytes `durable` are safe, while the system had made it `now`. */
  bytesOf(inode: number, durable: Uint8Array, now: Uint8Array): Uint8Array;
}

export interface ImageFile {
  readonly inode: number;
  readonly bytes: Uint8Array;
}

/** What is found after a reboot, by path; null: a directory. Directories come before what is in them. */
export type Image = ReadonlyMap<string, ImageFile | null>;

export interface ModelDisk {
  apply(operation: DiskOperation): void;
  /** What a cut of the power at this moment leaves. */
  image(survival: Survival): Image;
}

/** `first`: what lay there, and is durable. */
export function modelDisk(first: Image = new Map()): ModelDisk {
  const root = directory();
  const open = new Map<number, Node>();
  const syncs = new Map<number, () => void>();
  let inodes = 0;
  let changes = 0;

  function directory(): DirectoryNode {
    return { kind: "directory", durable: new Map(), now: new Map(), pending: [] };
  }

  function file(): FileNode {
    inodes += 1;
    return { kind: "file", inode: inodes, durable: new Uint8Array(), now: new Uint8Array() };
  }

  function find(path: string): Node | undefined {
    let node: Node | undefined = root;
    for (const name of path === "" ? [] : path.split("/")) {
      if (node?.kind !== "directory") return undefined;
      node = node.now.get(name);
    }
    return node;
  }

  function place(path: string): { readonly parent: DirectoryNode; readonly name: string } {
    const cut = path.lastIndexOf("/");
    const parent = find(path.slice(0, Math.max(cut, 0)));
    assert(parent?.kind === "directory", `a recorded call needs the directory of ${path}`);
    return { parent, name: path.slice(cut + 1) };
  }

  function change(path: string, node: Node | null, needs: NameChange | null = null): NameChange {
    const { parent, name } = place(path);
    changes += 1;
    const made = { id: changes, name, node, needs, isDurable: false };
    parent.pending.push(made);
    if (node === null) parent.now.delete(name);
    else parent.now.set(name, node);
    return made;
  }

  function rename(from: string, to: string): void {
    const node = find(from);
    assert(node !== undefined, `a recorded rename needs ${from}`);
    // Of two names of one file the system leaves both.
    if (find(to) === node) return;
    change(from, null, change(to, node));
  }

  /** What an fsync that begins now makes durable once it is through. */
  function syncOf(node: Node): () => void {
    if (node.kind === "file") {
      const bytes = node.now;
      return () => {
        node.durable = bytes;
      };
    }
    const covered = [...node.pending];
    return () => {
      for (const one of covered) settle(one);
      while (node.pending[0]?.isDurable === true) {
        const [first] = node.pending.splice(0, 1);
        if (first !== undefined) enter(node.durable, first);
      }
    };
  }

  function settle(one: NameChange): void {
    one.isDurable = true;
    if (one.needs !== null) settle(one.needs);
  }

  function opened(fd: number): Node {
    const node = open.get(fd);
    assert(node !== undefined, `descriptor ${fd} is not open`);
    return node;
  }

  function openPath(path: string, creates: boolean): Node | undefined {
    const found = find(path);
    if (found !== undefined || !creates) return found;
    const made = file();
    change(path, made);
    return made;
  }

  for (const [path, found] of first) {
    const { parent, name } = place(path);
    const node = found === null ? directory() : Object.assign(file(), contentOf(found));
    parent.durable.set(name, node);
    parent.now.set(name, node);
  }

  return {
    apply(operation) {
      switch (operation.op) {
        case "open": {
          const node = openPath(operation.path, operation.creates);
          if (node === undefined) open.delete(operation.fd);
          else open.set(operation.fd, node);
          return;
        }
        case "write": {
          const node = opened(operation.fd);
          assert(node.kind === "file", "bytes are written to files");
          node.now = Buffer.concat([node.now, Buffer.from(operation.base64, "base64")]);
          return;
        }
        case "truncate": {
          const node = opened(operation.fd);
          assert(node.kind === "file", "files have a size");
          node.now = node.now.subarray(0, operation.size);
          return;
        }
        case "sync":
          syncs.set(operation.n, syncOf(opened(operation.fd)));
          return;
        case "synced":
          syncs.get(operation.n)?.();
          syncs.delete(operation.n);
          return;
        case "close":
          open.delete(operation.fd);
          return;
        case "link":
          change(operation.to, find(operation.from) ?? null);
          return;
        case "rename":
          rename(operation.from, operation.to);
          return;
        case "mkdir":
          change(operation.path, directory());
          return;
        case "rmdir":
        case "unlink":
          change(operation.path, null);
          return;
        default:
          operation satisfies never;
      }
    },
    image(survival) {
      const found = new Map<string, ImageFile | null>();
      const bytes = new Map<number, Uint8Array>();
      walk(root, "");
      return found;

      function walk(from: DirectoryNode, prefix: string): void {
        for (const [name, node] of namesOf(from, survival)) {
          const path = prefix + name;
          if (node.kind === "directory") {
            found.set(path, null);
            walk(node, `${path}/`);
          } else found.set(path, { inode: node.inode, bytes: bytesOf(node) });
        }
      }

      function bytesOf({ inode, durable, now }: FileNode): Uint8Array {
        const known = bytes.get(inode) ?? survival.bytesOf(inode, durable, now);
        bytes.set(inode, known);
        return known;
      }
    },
  };
}

function contentOf({ bytes }: ImageFile): Pick<FileNode, "durable" | "now"> {
  return { durable: bytes, now: bytes };
}

function namesOf(from: DirectoryNode, survival: Survival): ReadonlyMap<string, Node> {
  if (from.pending.length === 0) return from.durable;
  const names = new Map(from.durable);
  for (const one of from.pending) if (survives(one, survival)) enter(names, one);
  return names;
}

function survives({ isDurable, id, needs }: NameChange, survival: Survival): boolean {
  if (isDurable) return true;
  return survival.keepsName(id) && (needs === null || survives(needs, survival));
}

function enter(names: Map<string, Node>, { name, node }: NameChange): void {
  if (node === null) names.delete(name);
  else names.set(name, node);
}
