/**
 * Which file systems are refused: over a network a link can report failure though it worked, listings
 * lag, and a lock says nothing about a process elsewhere (cloud-facts H).
 */
import { readFileSync, realpathSync, statfsSync } from "node:fs";
import { MisconfiguredError } from "../../../src/ports/faults.ts";

/** `f_type` of statfs(2) on Linux. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x564c, "ncp"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x6b414653, "afs"],
  [0x73757245, "coda"],
  [0x01021997, "9p"],
  [0x0bd00bd0, "lustre"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x47504653, "gpfs"],
  [0x20030528, "orangefs"],
  [0x19830326, "beegfs"],
  [0xaad7aaea, "panfs"],
  [0x786f4256, "vboxsf"],
  [0xbacbacbc, "vmhgfs"],
]);

const FUSE_TYPE = 0x65735546;

/** What mounts over FUSE call themselves in /proc/self/mountinfo when their data is elsewhere. */
const NETWORK_FUSE: ReadonlySet<string> = new Set(
  [
    "sshfs s3fs rclone gcsfuse glusterfs goofys geesefs blobfuse blobfuse2 juicefs seaweedfs",
    "mountpoint-s3 cephfs ceph-fuse curlftpfs davfs davfs2 gvfsd-fuse moosefs mfs lizardfs",
    "beegfs hadoop hdfs fuse_dfs afpfs smbnetfs nfs nfs-ganesha onedrive google-drive-ocamlfuse",
    "gocryptfs-remote oxfs objectivefs cvmfs2 alluxio-fuse cunofs vmhgfs-fuse virtiofs",
  ].flatMap((line) => line.split(" ")),
);

/** The name of a refused file system, null when it may be used. `mountType`: as in mountinfo. */
export function refusedFileSystem(type: number, mountType: string | null): string | null {
  // Large values come out negative where the system keeps the type in 32 signed bits.
  const known = NETWORK_TYPES.get(type >>> 0);
  if (known !== undefined) return known;
  if (type >>> 0 !== FUSE_TYPE || mountType === null) return null;
  const inner = mountType.startsWith("fuse.") ? mountType.slice("fuse.".length) : mountType;
  return NETWORK_FUSE.has(inner) ? mountType : null;
}

/** The type of the mount that `path` (real, absolute) lies on, from the text of mountinfo. */
export function mountTypeOf(mountinfo: string, path: string): string | null {
  let best: { readonly length: number; readonly type: string } | null = null;
  for (const line of mountinfo.split("\n")) {
    const [before = "", behind = ""] = line.split(" - ");
    const point = unescapePath(before.split(" ")[4] ?? "");
    const type = behind.split(" ")[0] ?? "";
    if (point === "" || type === "" || !liesIn(path, point)) continue;
    // A later mount on the same point covers the earlier one.
    if (best === null || point.length >= best.length) best = { length: point.length, type };
  }
  return best === null ? null : best.type;
}

/** Throws MisconfiguredError when `directory`, which exists, is on a network file system. */
export function refuseNetwork(directory: string): void {
  const { type } = statfsSync(directory);
  // The numbers mean other things on other systems.
  if (process.platform !== "linux") return;
  const refused = refusedFileSystem(type, mountType(directory));
  if (refused === null) return;
  throw new MisconfiguredError(
    `${directory} is on a network file system (${refused}): the folder needs a local disk`,
  );
}

function mountType(directory: string): string | null {
  try {
    const mountinfo = readFileSync("/proc/self/mountinfo", "utf8");
    return mountTypeOf(mountinfo, realpathSync(directory));
  } catch {
    return null;
  }
}

function liesIn(path: string, point: string): boolean {
  return path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`);
}

/** Blanks and the like stand as octal numbers: `\040`. */
function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
