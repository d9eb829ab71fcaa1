/**
 * Loaded before anything else into every thread of a process that is to be recorded: from then on each
 * call of `node:fs` that changes something in the recorded directory, or makes it durable, is written
 * down when it is through. A call that would change something and is not known here throws, so that no
 * later change of the adapter can go unnoticed.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, relative } from "node:path";
import { type DiskOperation, RECORDING_VARIABLE, ROOT_VARIABLE } from "./operations.ts";

type Call = (...args: unknown[]) => unknown;
type Calls = Record<string, Call>;

const root = process.env[ROOT_VARIABLE] ?? "";
const { openSync, writeSync } = fs;
const recording = openSync(process.env[RECORDING_VARIABLE] ?? "", "a");

/** Files of the recorded directory that this thread has open through the calls below. */
const open = new Set<unknown>();
let syncs = 0;

// Lines of all threads go to one file in their order: appending is atomic.
function note(operation: DiskOperation): void {
  writeSync(recording, `${JSON.stringify(operation)}\n`);
}

function isInside(path: unknown): path is string {
  return typeof path === "string" && (path === root || path.startsWith(`${root}/`));
}

const inside = (path: unknown): string => relative(root, String(path));

/** Replaces a call by one that does the same and then notes it. */
function noting(calls: Calls, name: string, after: (args: unknown[], result: unknown) => void) {
  const real = calls[name];
  if (real === undefined) throw new Error(`there is no call ${name} to record`);
  calls[name] = (...args) => {
    const result = real(...args);
    if (!(result instanceof Promise)) {
      after(args, result);
      return result;
    }
    return result.then((value: unknown) => {
      after(args, value);
      return value;
    });
  };
}

/** What a thread numbers is numbered by the others too; a descriptor belongs to one of them. */
function nextSync(fd: number): number {
  syncs += 1;
  return syncs * 65_536 + fd;
}

const sync = fs as unknown as Calls;
const promises = fs.promises as unknown as Calls;

noting(sync, "openSync", ([path, flags], fd) => {
  if (!isInside(path)) return;
  const { O_CREAT, O_DIRECTORY, O_WRONLY, O_RDWR } = fs.constants;
  const creates = typeof flags === "number" ? (flags & O_CREAT) !== 0 : /[aw]/.test(String(flags));
  const isNoted = typeof flags === "number" && (flags & (O_DIRECTORY | O_WRONLY | O_RDWR)) !== 0;
  if (!creates && !isNoted) return;
  open.add(fd);
  note({ op: "open", path: inside(path), fd: Number(fd), creates });
});
noting(sync, "closeSync", ([fd]) => {
  if (open.delete(fd)) note({ op: "close", fd: Number(fd) });
});
noting(sync, "writeSync", ([fd, bytes, offset = 0], count) => {
  if (!open.has(fd)) return;
  if (!(bytes instanceof Uint8Array)) throw new Error("a text was written: this is not recorded");
  const from = bytes.byteOffset + Number(offset);
  const base64 = Buffer.from(bytes.buffer, from, Number(count)).toString("base64");
  note({ op: "write", fd: Number(fd), base64 });
});
noting(sync, "ftruncateSync", ([fd, size = 0]) => {
  if (open.has(fd)) note({ op: "truncate", fd: Number(fd), size: Number(size) });
});
for (const [name, op] of [
  ["linkSync", "link"],
  ["renameSync", "rename"],
] as const) {
  noting(sync, name, ([from, to]) => {
    if (isInside(to)) note({ op, from: inside(from), to: inside(to) });
  });
}
for (const [calls, name, op] of [
  [sync, "unlinkSync", "unlink"],
  [sync, "rmdirSync", "rmdir"],
  [promises, "unlink", "unlink"],
  [promises, "rmdir", "rmdir"],
] as const) {
  noting(calls, name, ([path]) => {
    if (isInside(path)) note({ op, path: inside(path) });
  });
}
noting(sync, "mkdirSync", ([path, options], first) => {
  if (!isInside(path)) return;
  const isRecursive = typeof options === "object" && options !== null && "recursive" in options;
  if (isRecursive && first === undefined) return;
  const made = [path];
  for (let above = path; isRecursive && above !== first; ) {
    above = dirname(above);
    made.unshift(above);
  }
  for (const one of made) note({ op: "mkdir", path: inside(one) });
});

const { fsyncSync, fsync } = fs;
sync["fsyncSync"] = (fd) => {
  if (!open.has(fd)) return fsyncSync(Number(fd));
  const n = nextSync(Number(fd));
  note({ op: "sync", fd: Number(fd), n });
  fsyncSync(Number(fd));
  note({ op: "synced", n });
};
sync["fsync"] = (fd, done) => {
  const callback = done as (error: NodeJS.ErrnoException | null) => void;
  if (!open.has(fd)) return fsync(Number(fd), callback);
  const n = nextSync(Number(fd));
  note({ op: "sync", fd: Number(fd), n });
  fsync(Number(fd), (error) => {
    if (error === null) note({ op: "synced", n });
    callback(error);
  });
};

/** Calls that would change a folder, and that nobody uses there. */
const BY_PATH = [
  ...["appendFile", "copyFile", "cp", "link", "mkdir", "mkdtemp", "rename", "rm", "rmdir"],
  ...["symlink", "truncate", "unlink", "writeFile", "createWriteStream"],
];
const BY_DESCRIPTOR = ["fdatasync", "ftruncate", "write", "writev"];
const RECORDED = new Set([
  ...["ftruncateSync", "linkSync", "mkdirSync", "renameSync", "rmdirSync", "unlinkSync"],
  "writeSync",
]);

function refusing(calls: Calls, name: string, isOurs: (args: unknown[]) => boolean): void {
  const real = calls[name];
  if (real === undefined) return;
  calls[name] = (...args) => {
    if (isOurs(args)) throw new Error(`${name} is not recorded: teach test/power-loss/record.ts`);
    return real(...args);
  };
}

const isWriting = (flags: unknown): boolean =>
  typeof flags === "number" ? (flags & 3) !== 0 : /[aw+]/.test(String(flags ?? "r"));

for (const name of BY_PATH) {
  const isOurs = (args: unknown[]) => args.some(isInside);
  refusing(sync, name, isOurs);
  if (!RECORDED.has(`${name}Sync`)) refusing(sync, `${name}Sync`, isOurs);
  if (name !== "unlink" && name !== "rmdir") refusing(promises, name, isOurs);
}
for (const calls of [sync, promises]) {
  refusing(calls, "open", ([path, flags]) => isInside(path) && isWriting(flags));
}
for (const name of BY_DESCRIPTOR) {
  const isOurs = ([fd]: unknown[]) => open.has(fd);
  refusing(sync, name, isOurs);
  if (!RECORDED.has(`${name}Sync`)) refusing(sync, `${name}Sync`, isOurs);
}
syncBuiltinESMExports();
