/** What goes over the line, and what is made of what comes. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Key } from "../../../src/core/key.ts";
import { key } from "../../../src/core/key.ts";
import type { Backend, Cursor, PutVerdict, Version } from "../../../src/ports/backend.ts";
import { type FakeRequest, type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { openOn, storageOn } from "./fixture.ts";

const NAME = key("emails/jobs/1");

let fake: FakeS3;
let backend: Backend;
beforeEach(async () => {
  fake = await fakeS3();
  backend = await openOn(storageOn(fake, { prefix: "holdfast/" }));
});
afterEach(async () => {
  await backend.close();
  await fake.close();
});

function put(name: Key, body: string, expected: "absent" | Version): Promise<PutVerdict> {
  return backend.putIf(name, body, { expected, due: null, dueBefore: null });
}

async function stored(name: Key, body: string): Promise<Version> {
  const verdict = await put(name, body, "absent");
  if (verdict.kind !== "stored") throw new Error("not stored");
  return verdict.version;
}

function lastRequest(): FakeRequest {
  const request = fake.requests.at(-1);
  if (request === undefined) throw new Error("nothing was sent");
  return request;
}

describe("requests", () => {
  it("a creation says If-None-Match: *, in path style, below the prefix", async () => {
    await stored(NAME, '{"a":1}');
    const { url, headers } = lastRequest();
    expect(url).toBe("/jobs/holdfast/emails/jobs/1?x-id=PutObject");
    expect(headers).toMatchObject({ "if-none-match": "*", "content-type": "application/json" });
    expect(headers).not.toHaveProperty("if-match");
  });

  it("a replacement says If-Match with the ETag in its quotes, and the version is the ETag", async () => {
    const version = await stored(NAME, '{"a":1}');
    expect(version).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await put(NAME, '{"a":2}', version)).kind).toBe("stored");
    expect(lastRequest().headers).toMatchObject({ "if-match": version });
    expect(lastRequest().headers).not.toHaveProperty("if-none-match");
  });

  it("a version that no store tells is sent as an ETag too, and refused", async () => {
    await stored(NAME, '{"a":1}');
    const verdict = await put(NAME, '{"a":2}', "superseded" as Version);
    expect(verdict).toEqual({ kind: "refused", current: "unread" });
    expect(lastRequest().headers["if-match"]).toBe('"superseded"');
  });

  it("cloud-facts B2 none has what other stores refuse: checksums, chunks, trailers", async () => {
    const warn = vi.spyOn(console, "warn");
    const version = await stored(NAME, '{"text":"é 漢字"}');
    await put(NAME, "", version);
    await backend.get(NAME);
    await backend.list("emails/", null, 10);
    await backend.remove(NAME);
    expect(fake.requests).toHaveLength(5);
    for (const { headers } of fake.requests) {
      const foreign = Object.keys(headers).filter((name) =>
        /checksum|crc32|trailer|transfer-encoding|content-encoding/.test(name),
      );
      expect(foreign).toEqual([]);
      expect(headers["x-amz-content-sha256"]).toMatch(/^[0-9a-f]{64}$/);
    }
    const lengths = fake.requests.slice(0, 2).map(({ headers }) => headers["content-length"]);
    expect(lengths).toEqual(["20", "0"]);
    expect(warn).not.toHaveBeenCalled();
  });

  it("a key of the greatest length fits behind a prefix of the greatest length", async () => {
    const prefix = `${"p".repeat(255)}/${"q".repeat(255)}/`;
    const long = await openOn(storageOn(fake, { prefix }));
    const name = key(
      `things/${"x".repeat(128)}/${"y".repeat(128)}/${"z".repeat(128)}/${"w".repeat(118)}`,
    );
    expect(name).toHaveLength(512);
    const condition = { expected: "absent", due: null, dueBefore: null } as const;
    expect((await long.putIf(name, "{}", condition)).kind).toBe("stored");
    expect([...fake.objects.keys()].map((one) => one.length)).toEqual([1_024]);
    await long.close();
  });
});

describe("listings", () => {
  it("tell keys without the prefix, and when each was written", async () => {
    fake.now = () => 1_700_000_000_000;
    await stored(NAME, "{}");
    fake.plant("other/emails/jobs/2", "{}");
    const page = await backend.list("emails/", null, 10);
    expect(page).toEqual({
      entries: [{ key: NAME, found: null, writtenAt: 1_700_000_000_000 }],
      cursor: null,
    });
  });

  it("go on after the last key, whatever became of the store's own token", async () => {
    for (const id of ["a", "b", "c"]) await stored(key(`emails/jobs/${id}`), "{}");
    const first = await backend.list("emails/", null, 2);
    expect(first.cursor).toBe("emails/jobs/b");
    const second = await backend.list("emails/", first.cursor, 2);
    expect(second.entries.map((entry) => entry.key)).toEqual(["emails/jobs/c"]);
    expect(second.cursor).toBeNull();
    expect(lastRequest().url).toContain("start-after=holdfast%2Femails%2Fjobs%2Fb");
    expect(lastRequest().url).not.toContain("continuation-token");
  });

  it("go on through a page that shows nothing and is not the last", async () => {
    await stored(NAME, "{}");
    fake.faultOf = ({ url }) => {
      if (url.includes("continuation-token=next")) return null;
      const xml =
        "<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>";
      return { answer: { status: 200, body: `<ListBucketResult>${xml}</ListBucketResult>` } };
    };
    const empty = await backend.list("emails/", null, 10);
    expect(empty.entries).toEqual([]);
    expect(empty.cursor).not.toBeNull();
    fake.faultOf = () => null;
    await backend.list("emails/", empty.cursor, 10);
    expect(lastRequest().url).toContain("continuation-token=next");
  });

  it("begin anew for a cursor of another listing", async () => {
    await stored(NAME, "{}");
    const page = await backend.list("emails/", "receipts/9" as Cursor, 10);
    expect(page.entries).toHaveLength(1);
  });

  it("show names that XML cannot carry, and leave out the folders that consoles make", async () => {
    fake.plant("holdfast/emails/", "");
    fake.plant("holdfast/emails/jobs/", "");
    fake.plant("holdfast/emails/jobs/a b+c\u0001&", "{}");
    const page = await backend.list("emails/", null, 10);
    expect(page.entries.map((entry) => entry.key)).toEqual(["emails/jobs/a b+c\u0001&"]);
    expect(lastRequest().url).toContain("encoding-type=url");
    const short = await backend.list("emails/", null, 1);
    expect(short).toEqual({ entries: [], cursor: "emails/" });
  });

  it("of a store that does not encode names take them as they are", async () => {
    const contents = "<Contents><Key>holdfast/emails/a%20b+c</Key></Contents>";
    fake.faultOf = () => ({
      answer: {
        status: 200,
        body: `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`,
      },
    });
    const page = await backend.list("emails/", null, 10);
    expect(page.entries).toEqual([{ key: "emails/a%20b+c", found: null, writtenAt: null }]);
  });
});

describe("closing", () => {
  it("waits for what is in flight", async () => {
    let isStored = false;
    const storing = stored(NAME, "{}").then(() => {
      isStored = true;
    });
    await backend.close();
    expect(isStored).toBe(true);
    await storing;
  });
});
