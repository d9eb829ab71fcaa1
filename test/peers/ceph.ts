/**
 * Ceph's object gateway on a cluster of one monitor and one disk in memory: a store that shares no line
 * with AWS's emulators. Its programs are Debian's: `apt-get install radosgw ceph-mon ceph-osd ceph-common`.
 */
import { execFile, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CREDENTIALS } from "../adapters/s3/fixture.ts";
import { answering, freePort, type Server, startServer, type Witness } from "./server.ts";

export function isCephInstalled(): boolean {
  try {
    execFileSync("radosgw", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function startCeph(): Promise<Witness> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-ceph-"));
  const [monitorPort, port] = [await freePort(), await freePort()];
  const cluster = randomUUID();
  const keyring = join(directory, "keyring");
  const map = join(directory, "monmap");
  const env = { ...process.env, CEPH_CONF: join(directory, "ceph.conf") };
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(command, args, { env, timeout: 60_000 });
  const started: Server[] = [];
  const start = (command: string, ...args: string[]): void => {
    started.push(startServer({ command, args: [...args, "-f"], env }));
  };
  const stop = async (): Promise<void> => {
    for (const one of started.reverse()) await one.stop();
    rmSync(directory, { recursive: true, force: true });
  };

  for (const name of ["mon", "osd"]) mkdirSync(join(directory, name));
  writeFileSync(join(directory, "ceph.conf"), configuration(directory, cluster, monitorPort, port));
  const allowed = {
    "mon.": ["mon"],
    "client.admin": ["mon", "osd"],
    "client.rgw": ["mon", "osd"],
    "osd.0": ["mon", "osd"],
  };
  await run("ceph-authtool", keyring, "--create-keyring");
  for (const [name, parts] of Object.entries(allowed)) {
    const caps = parts.flatMap((part) => ["--cap", part, "allow *"]);
    await run("ceph-authtool", keyring, "--gen-key", "-n", name, ...caps);
  }
  const address = `[v2:127.0.0.1:${monitorPort}]`;
  await run("monmaptool", "--create", "--fsid", cluster, "--addv", "a", address, map);
  await run("ceph-mon", "--mkfs", "-i", "a", "--monmap", map, "--keyring", keyring);
  try {
    start("ceph-mon", "-i", "a");
    const disk = randomUUID();
    await run("ceph", "osd", "new", disk);
    await run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", disk);
    start("ceph-osd", "-i", "0");
    start("radosgw", "-n", "client.rgw");
    const endpoint = `http://127.0.0.1:${port}`;
    await answering(endpoint, started);
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const user = ["--uid", "holdfast", "--display-name", "Holdfast", "--max-buckets", "0"];
    const keys = ["--access-key", accessKeyId, "--secret", secretAccessKey];
    await run("radosgw-admin", "user", "create", ...user, ...keys);
    return { endpoint, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration(
  directory: string,
  cluster: string,
  monitorPort: number,
  port: number,
): string {
  return `[global]
fsid = ${cluster}
mon host = [v2:127.0.0.1:${monitorPort}]
mon initial members = a
public addr = 127.0.0.1
keyring = ${directory}/keyring
run dir = ${directory}
admin socket = ${directory}/$name.asok
log file = ${directory}/$name.log
mon data = ${directory}/mon
osd data = ${directory}/osd
osd objectstore = memstore
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw data = ${directory}
`;
}
