/**
 * Loaded before anything else into every thread of a worker that is to be killed at a boundary: right
 * behind the call that is asked for, the process kills itself as nobody can prevent.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import {
  BOUNDARIES,
  BOUNDARY_VARIABLE,
  type BoundaryCall,
  type BoundaryName,
  PASSES_VARIABLE,
} from "./boundaries.ts";

type Call = (...args: unknown[]) => unknown;

const boundary = BOUNDARIES[(process.env[BOUNDARY_VARIABLE] ?? "") as BoundaryName];
let passes = Number(process.env[PASSES_VARIABLE] ?? 0);

const calls = fs as unknown as Record<string, Call>;
const open = new Map<unknown, unknown>();

function passed(call: BoundaryCall, path: unknown): void {
  if (boundary.call !== call || !boundary.path.test(String(path))) return;
  if (passes === 0) process.kill(process.pid, "SIGKILL");
  passes -= 1;
}

function behind(name: string, then: (args: unknown[], result: unknown) => void): void {
  const real = calls[name];
  if (real === undefined) throw new Error(`there is no call ${name}`);
  calls[name] = (...args) => {
    const result = real(...args);
    then(args, result);
    return result;
  };
}

behind("openSync", ([path, flags], fd) => {
  open.set(fd, path);
  const isCreating = typeof flags === "number" && (flags & fs.constants.O_CREAT) !== 0;
  if (isCreating) passed("open", path);
});
behind("writeSync", ([fd]) => passed("write", open.get(fd)));
behind("fsyncSync", ([fd]) => passed("sync", open.get(fd)));
behind("linkSync", ([, to]) => passed("link", to));
behind("renameSync", ([, to]) => passed("rename", to));
behind("unlinkSync", ([path]) => passed("unlink", path));

const { fsync } = fs;
calls["fsync"] = (fd, done) =>
  fsync(Number(fd), (error) => {
    passed("sync", open.get(fd));
    (done as (error: NodeJS.ErrnoException | null) => void)(error);
  });
syncBuiltinESMExports();
