/** Storages by their names on the command line. */
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { program } from "../../adapters/runtime/cli/program.ts";
import { parseStorageName, storageText } from "../../adapters/runtime/cli/storage-name.ts";

const AS_THE_SDK = { region: null, endpoint: null };

describe("a storage's name", () => {
  it.each([
    ["folder:./data", { kind: "filesystem", directory: "./data", sharing: "exclusive" }],
    ["folder:/a b?c=d", { kind: "filesystem", directory: "/a b?c=d" }],
    ["dynamodb:jobs", { kind: "dynamodb", table: "jobs", dueShards: null, ...AS_THE_SDK }],
    [
      "dynamodb:arn:aws:dynamodb:eu-central-1:123456789012:table/jobs?region=eu-central-1",
      {
        table: "arn:aws:dynamodb:eu-central-1:123456789012:table/jobs",
        region: "eu-central-1",
      },
    ],
    ["dynamodb:jobs?endpoint=http://localhost:8000/", { endpoint: "http://localhost:8000" }],
    [
      "s3://my-jobs",
      { kind: "s3", bucket: "my-jobs", prefix: "", isPathStyle: false, ...AS_THE_SDK },
    ],
    ["s3:my-jobs", { bucket: "my-jobs", prefix: "" }],
    ["s3://my-jobs/", { prefix: "" }],
    ["s3://my-jobs/a/b", { bucket: "my-jobs", prefix: "a/b/" }],
    [
      "s3://my-jobs/a/?region=auto&endpoint=https%3A%2F%2Fr2.example&path-style=true",
      { prefix: "a/", region: "auto", endpoint: "https://r2.example", isPathStyle: true },
    ],
  ])("is %s", (name, expected) => {
    expect(parseStorageName(name)).toMatchObject(expected);
  });

  it.each([
    "folder:/srv/a b?c=d",
    "dynamodb:jobs",
    "dynamodb:jobs?region=eu-central-1&endpoint=http://localhost:8000",
    "s3://my-jobs/",
    "s3://my-jobs/a/b/?region=auto&endpoint=https://r2.example&path-style=true",
  ])("is told as it is written: %s", (name) => {
    expect(storageText(parseStorageName(name))).toBe(name);
  });

  it.each([
    ["", "It must be folder:<path>, dynamodb:<table>"],
    ["./data", "folder:./data?"],
    ["file:./data", "It must be folder:<path>"],
    ["folder:", "The path must be a path"],
    ["dynamodb:a b", "The table must be a table's name"],
    ["dynamodb:jobs?region=Frankfurt!", "Its region must be a region"],
    ["dynamodb:jobs?path-style=true", "It has region, endpoint, and no path-style"],
    ["s3:///a", "The bucket must be a bucket's name"],
    ["s3://my-jobs/a//b", "The prefix must be names"],
    ["s3://my-jobs?endpoint=minio:9000", "Its endpoint must be an http or https URL"],
    ["s3://my-jobs?path-style=yes", "Its path-style must be true or false"],
    ["s3://my-jobs?region=a&region=b", "It has region more than once"],
    ["memory:", "A memory is its own process's alone"],
    ["r2:jobs", "R2 is reached as s3, with its endpoint"],
  ])("is not %j, and it is said what it must be", (name, told) => {
    expect(() => parseStorageName(name)).toThrow(told);
  });

  it.each([
    "s3://ann:hunter2@jobs/x",
    "ann:hunter2@jobs",
    "hunter2?hunter2",
    "s3://jobs/x?secret-key=hunter2",
    "s3://jobs/x?hunter2",
    "s3://jobs/x?region=hunter2!",
    "s3://jobs/x?endpoint=http://ann:hunter2@127.0.0.1:1",
    "dynamodb:jobs?endpoint=http://ann:hunter2@127.0.0.1:1",
  ])("that may hold a secret is not repeated: %s", async (name) => {
    let written = "";
    const all = program({ HOLDFAST_STORAGE: "memory" });
    const copy = all.commands.find((command) => command.name() === "copy");
    copy?.configureOutput({ writeErr: (text) => (written += text) });
    const argv = ["copy", "--from", name, "--to", name];
    const error = await all.parseAsync(argv, { from: "user" }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(CommanderError);
    expect(written).toMatch(/^error: option --from is invalid\. /);
    expect(written + String(error)).not.toContain("hunter2");
  });
});
