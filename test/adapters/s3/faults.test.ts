/** What every answer of a store means, and the lack of one; over real sockets. */
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type LookupFunction } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { s3Storage } from "../../../adapters/storage/s3/index.ts";
import { key } from "../../../src/core/key.ts";
import type { Backend, PutVerdict, Version } from "../../../src/ports/backend.ts";
import {
  ContendedError,
  MisconfiguredError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../../src/ports/faults.ts";
import { errorAnswer, type FakeAnswer, type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { selfSigned } from "../mail/certificate.ts";
import { CREDENTIALS, clientOn, openOn, storageOn } from "./fixture.ts";

const NAME = key("emails/jobs/1");

let fake: FakeS3;
let backend: Backend;
beforeEach(async () => {
  fake = await fakeS3();
  backend = await openOn(storageOn(fake));
});
afterEach(async () => {
  await backend.close();
  await fake.close();
});

function put(expected: "absent" | Version = "absent", on = backend): Promise<PutVerdict> {
  return on.putIf(NAME, '{"a":1}', { expected, due: null, dueBefore: null });
}

/** What every request is answered from now on. */
function answer(given: FakeAnswer): void {
  fake.faultOf = () => ({ answer: given });
}

async function faultOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error("it succeeded");
    },
    (fault: unknown) => fault,
  );
}

describe("verdicts", () => {
  it("412 is a refusal, with the record unread", async () => {
    await put();
    expect(await put()).toEqual({ kind: "refused", current: "unread" });
    expect(await put('"stale"' as Version)).toEqual({ kind: "refused", current: "unread" });
  });

  it("404 for a condition on what is not there is a refusal, with nothing there", async () => {
    expect(await put('"gone"' as Version)).toEqual({ kind: "refused", current: null });
  });

  it("404 that a proxy without a store answers says nothing of the record", async () => {
    fake.plant(NAME, "{}");
    answer({ status: 404, body: "<html><p>no such site</html>" });
    expect(await faultOf(backend.get(NAME))).toBeInstanceOf(MisconfiguredError);
    expect(await faultOf(put('"some"' as Version))).toBeInstanceOf(MisconfiguredError);
  });

  it("404 for a creation is no refusal: nothing could have refused it", async () => {
    answer(errorAnswer(404, "NoSuchUpload"));
    expect(await faultOf(put())).toBeInstanceOf(MisconfiguredError);
  });

  it("404 without a word of the store's own, as of a gateway, says nothing of the record", async () => {
    fake.plant(NAME, "{}");
    answer({ status: 404 });
    for (const call of [
      () => backend.get(NAME),
      () => put('"some"' as Version),
      () => backend.remove(NAME),
    ]) {
      expect(await faultOf(call())).toMatchObject({ code: "unavailable", isNotWritten: false });
    }
  });

  it("409 with nothing changed is contention, not written, after one read", async () => {
    fake.faultOf = ({ operation }) =>
      operation === "put" ? { answer: errorAnswer(409, "ConditionalRequestConflict") } : null;
    expect(await faultOf(put())).toBeInstanceOf(ContendedError);
    fake.plant(NAME, "{}");
    const current = await backend.get(NAME);
    fake.counted();
    expect(await faultOf(put(current?.version ?? "absent"))).toBeInstanceOf(ContendedError);
    expect(fake.counted()).toEqual({ get: 1, put: 1, list: 0, delete: 0 });
  });

  it("409 to whoever loses a race is a refusal, with what won", async () => {
    fake.plant(NAME, '{"by":"another"}');
    answer409();
    const verdict = await put();
    expect(verdict).toMatchObject({ kind: "refused", current: { body: '{"by":"another"}' } });
  });

  it("409 that cannot be looked into is contention: it is not written all the same", async () => {
    answer(errorAnswer(409, "OperationAborted"));
    fake.faultOf = ({ operation }) => ({
      answer: errorAnswer(operation === "put" ? 409 : 403, "OperationAborted"),
    });
    expect(await faultOf(put())).toBeInstanceOf(ContendedError);
  });

  function answer409(): void {
    fake.faultOf = ({ operation }) =>
      operation === "put" ? { answer: errorAnswer(409, "OperationAborted") } : null;
  }
});

describe("an answer that is no verdict", () => {
  it.each([
    ["503 SlowDown", errorAnswer(503, "SlowDown"), 100],
    ["503 SlowDown with a time", errorAnswer(503, "SlowDown", { "retry-after": "3" }), 3_000],
    [
      "503 SlowDown with a time too long",
      errorAnswer(503, "SlowDown", { "retry-after": "3600" }),
      60_000,
    ],
    [
      "503 SlowDown with a time that is none",
      errorAnswer(503, "SlowDown", { "retry-after": "x" }),
      100,
    ],
    ["429", { status: 429, headers: { "retry-after": "1" } }, 1_000],
  ])("%s: throttled, and not written", async (_name, given, retryAfterMs) => {
    answer(given);
    const fault = await faultOf(put());
    expect(fault).toBeInstanceOf(StoreThrottledError);
    expect(fault).toMatchObject({ retryAfterMs });
    expect(fake.counted().put).toBe(1);
  });

  it.each([
    ["500 InternalError", errorAnswer(500, "InternalError")],
    ["502 with a page of a proxy", { status: 502, body: "<html><p>Bad gateway</html>" }],
    ["503 of a proxy", { status: 503, body: "no" }],
    ["503 ServiceUnavailable", errorAnswer(503, "ServiceUnavailable")],
    ["504 without a body", { status: 504 }],
    ["400 RequestTimeout", errorAnswer(400, "RequestTimeout")],
    ["200 without an ETag", { status: 200 }],
  ])("%s: may be written, and is never sent twice", async (_name, given) => {
    answer(given);
    const fault = await faultOf(put());
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(fault).toMatchObject({ isNotWritten: false });
    expect(fake.counted().put).toBe(1);
  });

  it("a clock that is wrong: not written, and to be tried again", async () => {
    answer(errorAnswer(403, "RequestTimeTooSkewed"));
    const fault = await faultOf(put());
    expect(fault).toMatchObject({ code: "unavailable", isNotWritten: true });
    expect(String(fault)).toContain("clock");
  });

  it.each([
    ["put", 501, "NotImplemented", /lacks conditional writes \(If-None-Match, If-Match\)/],
    ["list", 501, "NotImplemented", /lacks a part of S3/],
    ["put", 403, "AccessDenied", /s3:PutObject, and s3:GetObject/],
    ["get", 403, "AccessDenied", /s3:GetObject, and s3:ListBucket, without which a missing key/],
    ["list", 403, "AccessDenied", /need s3:ListBucket$/],
    ["remove", 403, "AccessDenied", /need s3:DeleteObject$/],
    ["put", 401, "Unauthorized", /credentials need/],
    ["put", 404, "NoSuchBucket", /no such bucket.*HOLDFAST_BUCKET/],
    ["get", 404, "NoSuchBucket", /no such bucket.*AWS_REGION/],
    ["remove", 404, "NoSuchBucket", /no such bucket.*HOLDFAST_ENDPOINT/],
    ["put", 301, "PermanentRedirect", /another region: set region \(AWS_REGION\)/],
    ["get", 400, "AuthorizationHeaderMalformed", /another region: set region \(AWS_REGION\)/],
    ["put", 403, "InvalidAccessKeyId", /AWS_ACCESS_KEY_ID/],
    ["put", 403, "SignatureDoesNotMatch", /AWS_SECRET_ACCESS_KEY/],
    ["get", 403, "InvalidObjectState", /lifecycle rule/],
    ["put", 405, "MethodNotAllowed", /405 MethodNotAllowed.*HOLDFAST_ENDPOINT/],
  ] as const)("a %s answered %i %s says what to do", async (operation, status, code, advice) => {
    answer(errorAnswer(status, code));
    const calls = {
      put: () => put(),
      get: () => backend.get(NAME),
      list: () => backend.list("emails/", null, 10),
      remove: () => backend.remove(NAME),
    };
    const fault = await faultOf(calls[operation]());
    expect(fault).toBeInstanceOf(MisconfiguredError);
    expect(String(fault)).toMatch(advice);
    expect(String(fault)).toContain("bucket jobs");
  });

  it.each([
    ["a page, 404", { status: 404, body: "<!DOCTYPE html><p>No such page</html>" }],
    ["a page, 501", { status: 501, body: "<!DOCTYPE html><p>Unsupported method</html>" }],
    ["nothing, 405", { status: 405 }],
    ["a redirect of a web server", { status: 301, body: "moved" }],
  ])("%s: it is no S3 that answers", async (_name, given) => {
    answer(given);
    const fault = await faultOf(put());
    expect(fault).toBeInstanceOf(MisconfiguredError);
    expect(String(fault)).toMatch(/not as S3 does: correct the endpoint \(HOLDFAST_ENDPOINT\)/);
  });

  it("an object without an ETag cannot be worked with", async () => {
    answer({ status: 200, body: "{}" });
    expect(await faultOf(backend.get(NAME))).toBeInstanceOf(MisconfiguredError);
  });

  it.each([
    ["the page of a proxy", { status: 200, body: "<html><body>please log in</body></html>" }],
    ["nothing", { status: 200 }],
    ["204", { status: 204 }],
  ])("%s in place of a listing is no empty one", async (_what, given) => {
    answer(given);
    expect(await faultOf(backend.list("emails/", null, 10))).toBeInstanceOf(StoreUnavailableError);
  });

  it("a store that does not know where a listing starts is told, and not asked for ever", async () => {
    for (const id of ["1", "2", "3"]) fake.plant(`emails/jobs/${id}`, "{}");
    const { cursor } = await backend.list("emails/", null, 2);
    const shown = ["1", "2"].map((id) => `<Contents><Key>emails/jobs/${id}</Key></Contents>`);
    const body = `<ListBucketResult><IsTruncated>true</IsTruncated>${shown.join("")}</ListBucketResult>`;
    answer({ status: 200, body });
    expect(await faultOf(backend.list("emails/", cursor, 2))).toBeInstanceOf(StoreUnavailableError);
    expect(await faultOf(backend.list("queries/", null, 2))).toBeInstanceOf(StoreUnavailableError);
  });

  it("a listing that goes on and does not tell where is no end", async () => {
    answer({
      status: 200,
      body: "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
    });
    expect(await faultOf(backend.list("emails/", null, 10))).toBeInstanceOf(StoreUnavailableError);
  });
});

describe("no answer", () => {
  for (const fault of ["apply_then_reset", "never"] as const) {
    it(`a connection that ends (${fault}): may be written, and is never sent twice`, async () => {
      fake.faultOf = () => fault;
      expect(await faultOf(put())).toMatchObject({ code: "unavailable", isNotWritten: false });
      expect(fake.counted().put).toBe(1);
    });
  }

  it("a client's retries do not apply to writes, and its time-outs do", async () => {
    const own = await openOn(
      s3Storage({ bucket: fake.bucket, client: clientOn(fake, { requestTimeout: 200 }) }),
    );
    for (const fault of ["apply_then_hang", "apply_then_500"] as const) {
      fake.faultOf = () => fault;
      expect(await faultOf(put("absent", own))).toMatchObject({ isNotWritten: false });
      expect(fake.counted().put).toBe(1);
    }
    await own.close();
  });

  it("what is never answered, or not to its end, is given up, also with a client that would wait for ever", async () => {
    const own = await openOn(s3Storage({ bucket: fake.bucket, client: clientOn(fake) }));
    const warn = vi.spyOn(console, "warn");
    fake.plant("emails/jobs/2", '{"a":1}');
    fake.faultOf = ({ operation }) => (operation === "get" ? "stall" : "apply_then_hang");
    const faults = await Promise.all([
      faultOf(put()),
      faultOf(put("absent", own)),
      faultOf(backend.get(key("emails/jobs/2"))),
    ]);
    for (const fault of faults) {
      expect(fault).toMatchObject({ code: "unavailable", isNotWritten: false });
    }
    expect(fake.counted()).toEqual({ get: 1, put: 2, list: 0, delete: 0 });
    // The SDK's way not to give up.
    expect(warn).not.toHaveBeenCalled();
    await own.close();
  });

  it("a region that can be none is told by its setting", async () => {
    const wrong = await openOn(storageOn(fake, { region: "us east" }));
    const fault = await faultOf(wrong.get(NAME));
    expect(fault).toBeInstanceOf(MisconfiguredError);
    expect(fault).toMatchObject({ message: expect.stringContaining("AWS_REGION") });
    await wrong.close();
  });

  it("credentials that never come end a call, and a write is surely not written", async () => {
    const hung = await openOn(storageOn(fake, { credentials: () => new Promise(() => {}) }));
    const faults = await Promise.all([faultOf(put("absent", hung)), faultOf(hung.get(NAME))]);
    expect(faults).toMatchObject([
      { code: "unavailable", isNotWritten: true },
      { code: "unavailable", isNotWritten: false },
    ]);
    await hung.close();
    expect(await faultOf(put("absent", hung))).toMatchObject({ isNotWritten: true });
    expect(fake.counted().put).toBe(0);
  });

  it("reads are repeated", async () => {
    fake.plant(NAME, "{}");
    let failures = 2;
    fake.faultOf = () => {
      failures -= 1;
      return failures < 0 ? null : "never";
    };
    expect(await backend.get(NAME)).toMatchObject({ body: "{}" });
    expect(fake.counted().get).toBe(3);
  });

  it("a record that breaks off is no record", async () => {
    fake.plant(NAME, '{"a":1,"b":2}');
    fake.faultOf = () => "cut";
    expect(await faultOf(backend.get(NAME))).toBeInstanceOf(StoreUnavailableError);
  });

  it.each([
    ["nobody listens", async () => `http://127.0.0.1:${await closedPort()}`],
    ["there is no such host", async () => "http://nowhere.invalid"],
  ])("where %s: surely not written", async (_what, endpointOf) => {
    const lost = await openOn(storageOn({ bucket: "jobs", endpoint: await endpointOf() }));
    expect(await faultOf(put("absent", lost))).toMatchObject({
      code: "unavailable",
      isNotWritten: true,
    });
    await lost.close();
  });

  it("where nobody listens at any of a host's addresses: surely not written", async () => {
    const addresses = [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    const lookup: LookupFunction = (_host, _options, found) => found(null, addresses);
    const endpoint = `http://several.invalid:${await closedPort()}`;
    const client = clientOn({ endpoint }, { httpAgent: { lookup } });
    const lost = await openOn(s3Storage({ bucket: "jobs", client }));
    const fault = await faultOf(put("absent", lost));
    expect(fault).toMatchObject({ code: "unavailable", isNotWritten: true });
    expect(String(fault)).toContain("ECONNREFUSED");
    await lost.close();
  });

  it("a write that waited in vain for a connection is surely not written", async () => {
    const one = { connectionTimeout: 500, requestTimeout: 1_500, httpAgent: { maxSockets: 1 } };
    const own = await openOn(s3Storage({ bucket: fake.bucket, client: clientOn(fake, one) }));
    fake.faultOf = () => "apply_then_hang";
    const faults = await Promise.all([faultOf(put("absent", own)), faultOf(put("absent", own))]);
    expect(faults).toMatchObject([{ isNotWritten: false }, { isNotWritten: true }]);
    expect(fake.counted().put).toBe(1);
    await own.close();
  });

  it.each([
    ["http://minio.invalid:9000", true],
    ["https://s3.eu-central-1.amazonaws.com", false],
  ])(
    "a host named after the bucket at %s that nobody knows asks for path style: %s",
    async (endpoint, isAsked) => {
      const lookup: LookupFunction = (hostname, _options, found) =>
        found(Object.assign(new Error("ENOTFOUND"), { syscall: "getaddrinfo", hostname }), []);
      const { S3Client } = await import("@aws-sdk/client-s3");
      const client = new S3Client({
        endpoint,
        region: "us-east-1",
        credentials: CREDENTIALS,
        maxAttempts: 1,
        requestHandler: { httpAgent: { lookup }, httpsAgent: { lookup } },
      });
      const lost = await openOn(s3Storage({ bucket: "jobs", client }));
      const fault = await faultOf(put("absent", lost));
      expect(fault).toMatchObject({ code: "unavailable", isNotWritten: true });
      expect(/forcePathStyle.*HOLDFAST_PATH_STYLE=true/.test(String(fault))).toBe(isAsked);
      await lost.close();
      client.destroy();
    },
  );

  it("an endpoint that does not speak TLS is told, and surely not written to", async () => {
    const endpoint = fake.endpoint.replace("http:", "https:");
    const lost = await openOn(storageOn({ bucket: "jobs", endpoint }));
    const fault = await faultOf(put("absent", lost));
    expect(fault).toBeInstanceOf(MisconfiguredError);
    expect(String(fault)).toContain("HOLDFAST_ENDPOINT");
    await lost.close();
  });

  it("a certificate that nobody vouches for is told, and nothing is sent", async () => {
    let requests = 0;
    const server = createSecureServer(selfSigned(), () => {
      requests += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const lost = await openOn(storageOn({ bucket: "jobs", endpoint: `https://127.0.0.1:${port}` }));
    const fault = await faultOf(put("absent", lost));
    expect(fault).toBeInstanceOf(MisconfiguredError);
    expect(String(fault)).toContain("NODE_EXTRA_CA_CERTS");
    expect(requests).toBe(0);
    await lost.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it("without credentials it says which variables to set", async () => {
    await withEnvironment(NOTHING_SET, async () => {
      const { bucket, endpoint } = fake;
      const lost = await openOn(s3Storage({ bucket, endpoint, region: "us-east-1" }));
      const fault = await faultOf(put("absent", lost));
      expect(fault).toBeInstanceOf(MisconfiguredError);
      expect(String(fault)).toContain("AWS_ACCESS_KEY_ID");
      await lost.close();
    });
  });

  it("without a region it says which variable to set", async () => {
    await withEnvironment(NOTHING_SET, async () => {
      const { bucket, endpoint } = fake;
      const lost = await openOn(s3Storage({ bucket, endpoint, credentials: CREDENTIALS }));
      const fault = await faultOf(put("absent", lost));
      expect(fault).toBeInstanceOf(MisconfiguredError);
      expect(String(fault)).toContain("AWS_REGION");
      await lost.close();
    });
  });
});

/** So that the SDK finds nothing, whatever this machine has. */
const NOTHING_SET: Readonly<Record<string, string | undefined>> = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_PROFILE: undefined,
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_CONFIG_FILE: "/nonexistent",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
  AWS_EC2_METADATA_DISABLED: "true",
};

async function withEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  run: () => Promise<void>,
): Promise<void> {
  const before = { ...process.env };
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  try {
    await run();
  } finally {
    process.env = before;
  }
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
