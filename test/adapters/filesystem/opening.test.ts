/** What is refused before anything is read or written (design 5; http-api, Folder). */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  mountTypeOf,
  refusedFileSystem,
} from "../../../adapters/storage/filesystem/file-systems.ts";
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { recordFault, writeFault } from "../../../adapters/storage/filesystem/trouble.ts";
import { key } from "../../../src/core/key.ts";
import { RecordCorruptError } from "../../../src/ports/faults.ts";
import { folderBench, job, newDirectory, store, tree } from "./fixture.ts";

describe("network file systems", () => {
  it.each([
    ["nfs", 0x6969],
    ["smb", 0x517b],
    ["cifs", 0xff534d42],
    ["smb2", 0xfe534d42],
    ["ceph", 0x00c36400],
    ["afs", 0x5346414f],
    ["9p", 0x01021997],
    ["lustre", 0x0bd00bd0],
    ["gfs2", 0x01161970],
    ["ocfs2", 0x7461636f],
  ])("%s is refused by name", (name, type) => {
    expect(refusedFileSystem(type, null)).toBe(name);
  });

  it("are recognised where the type is a negative number", () => {
    expect(refusedFileSystem(0xff534d42 | 0, "cifs")).toBe("cifs");
  });

  it.each(["fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs"])(
    "%s is refused by the name of its mount",
    (mountType) => expect(refusedFileSystem(0x65735546, mountType)).toBe(mountType),
  );

  it("local ones may be used, also over FUSE", () => {
    expect(refusedFileSystem(0xef53, "ext4")).toBeNull();
    expect(refusedFileSystem(0x01021994, "tmpfs")).toBeNull();
    expect(refusedFileSystem(0x794c7630, "overlay")).toBeNull();
    expect(refusedFileSystem(0x65735546, "fuseblk")).toBeNull();
    expect(refusedFileSystem(0x65735546, "fuse.encfs")).toBeNull();
    expect(refusedFileSystem(0x65735546, null)).toBeNull();
  });

  it("are found by the longest mount point above a path, the latest one on top", () => {
    const mountinfo = [
      "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
      "40 22 0:40 / /data rw shared:1 - fuse.sshfs host:/x rw",
      "41 40 0:41 / /data/my\\040files rw - xfs /dev/vdb rw",
      "42 22 0:42 / /twice rw - ext4 /dev/vdc rw",
      "43 22 0:43 / /twice rw - nfs4 host:/y rw",
    ].join("\n");
    expect(mountTypeOf(mountinfo, "/var/lib")).toBe("ext4");
    expect(mountTypeOf(mountinfo, "/data")).toBe("fuse.sshfs");
    expect(mountTypeOf(mountinfo, "/database")).toBe("ext4");
    expect(mountTypeOf(mountinfo, "/data/my files/deep")).toBe("xfs");
    expect(mountTypeOf(mountinfo, "/twice/x")).toBe("nfs4");
    expect(mountTypeOf("", "/data")).toBeNull();
  });
});

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`a folder (${sharing})`, () => {
    it.each([
      ["holdfast.json", 2],
      ["emails/holdfast.json", 7],
      ["tenants/acme/receipts/holdfast.json", 2],
    ])("with a newer format in %s is refused, naming file and format", async (name, format) => {
      const bench = folderBench();
      const file = join(bench.directory, name);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, JSON.stringify({ format }));
      await expect(bench.open({ sharing })).rejects.toMatchObject({
        code: "misconfigured",
        message: expect.stringMatching(new RegExp(`${name}.*format ${format}`)),
      });
      expect(readFileSync(file, "utf8")).toBe(JSON.stringify({ format }));
      expect(tree(bench.directory)).not.toContain("folder.lock");
    });

    it("that cannot be made is refused, naming it and the system's reason", async () => {
      const parent = newDirectory();
      writeFileSync(join(parent, "file"), "");
      const bench = folderBench(join(parent, "file", "data"));
      await expect(bench.open({ sharing })).rejects.toMatchObject({
        code: "misconfigured",
        message: expect.stringMatching(/file\/data.*ENOTDIR/),
      });
    });

    it("notes its format", async () => {
      const bench = folderBench();
      await bench.open({ sharing });
      const text = readFileSync(join(bench.directory, "holdfast.json"), "utf8");
      expect(JSON.parse(text)).toEqual({ format: 1 });
    });
  });
}

describe("closing twice", () => {
  it("closes no file of anybody else", async () => {
    const bench = folderBench();
    const backend = await bench.open({ sharing: "exclusive" });
    await backend.close();
    const own = openSync(join(bench.directory, "holdfast.json"), "r");
    await backend.close();
    expect(fstatSync(own).isFile()).toBe(true);
    closeSync(own);
  });
});

describe("a write to a folder that was closed", () => {
  it.each(["processes", "exclusive"] as const)(
    "is told at once not to be written: %s",
    async (sharing) => {
      const bench = folderBench();
      const backend = await bench.open({ sharing });
      await backend.close();
      await expect(store(backend, job("a"), { text: "late" })).rejects.toMatchObject({
        code: "unavailable",
        isNotWritten: true,
      });
    },
  );
});

describe("one record that cannot be read", () => {
  it("is corrupt, so that it stops nobody; what cannot be written is the storage's fault", () => {
    const denied = Object.assign(new Error("denied"), { code: "EACCES" });
    const name = key("emails/jobs/a");
    expect(recordFault(name, "a.json", denied)).toBeInstanceOf(RecordCorruptError);
    expect(writeFault(name, "a.json", denied)).toMatchObject({
      code: "unavailable",
      isNotWritten: true,
    });
    const doubtful = Object.assign(new Error("i/o error"), { code: "EIO" });
    expect(writeFault(name, "a.json", doubtful)).toMatchObject({ isNotWritten: false });
  });
});

describe("options", () => {
  it("that are misspelt are refused, and do not mean the default", () => {
    const misspelt: { directory: string } = Object.assign({ directory: "x" }, { sharin: "both" });
    expect(() => filesystemStorage(misspelt)).toThrow("unknown option sharin");
    const wrong = JSON.parse('{"directory":"x","sharing":"Exclusive"}');
    expect(() => filesystemStorage(wrong)).toThrow('sharing must be "processes" or "exclusive"');
  });

  it("that name an emails directory which is missing, or part of another folder, are refused", async () => {
    const bench = folderBench();
    const missing = { emailsDirectory: join(newDirectory(), "missing") };
    await expect(bench.open(missing)).rejects.toThrow("does not exist");
    const other = folderBench();
    await store(await other.open(), job("a"), { text: "one" });
    const nested = { emailsDirectory: join(other.directory, "emails") };
    await expect(bench.open(nested)).rejects.toThrow("open that as the directory");
  });

  it.each([
    ["in the directory", { receiptsDirectory: "/data/old" }],
    ["deep in it", { emailsDirectory: "/data/tenants/acme/emails" }],
    ["where another root lies", { receiptsDirectory: "/data/emails" }],
    ["around the directory", { emailsDirectory: "/" }],
    ["in one another", { emailsDirectory: "/old", receiptsDirectory: "/old/receipts" }],
  ])("that put a root %s are refused at once", (_, roots) => {
    const open = () => filesystemStorage({ directory: "/data", ...roots });
    expect(open).toThrow("name a folder outside of it");
    expect(open).toThrow(expect.objectContaining({ code: "misconfigured" }));
  });

  it("that put both roots into one place are refused at once", () => {
    const roots = { emailsDirectory: "/old", receiptsDirectory: "/old/" };
    expect(() => filesystemStorage({ directory: "/data", ...roots })).toThrow("must be different");
  });

  it("that put roots beside the directory by a similar name, or where they lie anyway, are taken", async () => {
    filesystemStorage({ directory: "/data", emailsDirectory: "/data-old" });
    filesystemStorage({ directory: "/data", emailsDirectory: "/..old" });
    const bench = folderBench();
    const [emailsDirectory, receiptsDirectory] = ["emails", "receipts"].map((name) =>
      join(bench.directory, name),
    ) as [string, string];
    for (let times = 0; times < 2; times += 1) {
      const backend = await bench.open({
        sharing: "exclusive",
        emailsDirectory,
        receiptsDirectory,
      });
      await store(backend, job(`a-${times}`), { text: "one" });
      await backend.close();
    }
    const plain = await bench.open({ sharing: "exclusive" });
    expect(await plain.get(key(job("a-0")))).not.toBeNull();
    expect(tree(bench.directory)).not.toContain("receipts/folder.lock");
  });

  it("that cannot be meant are refused at once", () => {
    expect(() => filesystemStorage({ directory: "" })).toThrow("directory");
    expect(() => filesystemStorage({ directory: "x", emailsDirectory: "" })).toThrow(
      "emailsDirectory",
    );
  });
});
