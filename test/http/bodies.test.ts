/** What comes in: bodies that are not as they should be. */
import { describe, expect, it } from "vitest";
import {
  created,
  expectProblem,
  KEY,
  MESSAGE,
  pathOf,
  ready,
  type Served,
  serve,
  type Told,
} from "./fixture.ts";

const JSON_TYPE = { "content-type": "application/json" };
const MIB = 1_048_576;
const ITEM = { logicalKey: KEY, payload: MESSAGE };

/** The request is refused, and no write was tried. */
async function refusedUnwritten(
  served: Served,
  told: Promise<Told>,
  status: number,
  code: string,
): Promise<Told> {
  const before = served.storage.putCount();
  const answer = await told;
  expectProblem(answer, status, code);
  expect(served.storage.putCount()).toBe(before);
  return answer;
}

function chunks(bytes: number, size: number, onPull: () => void): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream(
    {
      pull(controller) {
        onPull();
        if (sent >= bytes) return controller.close();
        const chunk = new Uint8Array(Math.min(size, bytes - sent)).fill(32);
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A valid body of exactly so many bytes. */
function padded(body: object, bytes: number): string {
  return JSON.stringify(body).padEnd(bytes, " ");
}

describe("the size of a body", () => {
  const LIMITS = [
    ["POST", "/v1/emails", MIB, ITEM],
    ["POST", "/v1/email-batches", 4 * MIB, { jobs: [ITEM] }],
  ] as const;

  it.each(LIMITS)("%s %s takes %d bytes and not one more", async (method, path, bytes, body) => {
    const served = await serve();
    const raw = padded(body, bytes + 1);
    const announced = { ...JSON_TYPE, "content-length": String(bytes + 1) };
    for (const headers of [JSON_TYPE, announced]) {
      const told = served.ask(method, path, { raw, headers });
      await refusedUnwritten(served, told, 413, "body_too_large");
    }
    const most = await served.ask(method, path, { raw: raw.slice(0, -1), headers: JSON_TYPE });
    expect([200, 201]).toContain(most.status);
  });

  it("is not read further than the limit when nobody announced it", async () => {
    const served = await serve();
    let pulls = 0;
    const raw = chunks(64 * MIB, 65_536, () => {
      pulls += 1;
    });
    const told = served.ask("POST", "/v1/emails", { raw, headers: JSON_TYPE });
    await refusedUnwritten(served, told, 413, "body_too_large");
    expect(pulls).toBeLessThanOrEqual(MIB / 65_536 + 2);
  });

  it("is not read at all when it is announced as too large, nor without a key", async () => {
    const served = await serve();
    let pulls = 0;
    const pulled = (): void => {
      pulls += 1;
    };
    const raw = () => chunks(MIB, 65_536, pulled);
    const headers = { ...JSON_TYPE, "content-length": String(2 * MIB) };
    await served.ask("POST", "/v1/emails", { raw: raw(), headers });
    await served.ask("POST", "/v1/emails", { raw: raw(), headers: JSON_TYPE, key: null });
    expect(pulls).toBe(0);
  });
});

describe("the text of a body", () => {
  it.each([
    ["half an object", "{"],
    ["two values", "{}{}"],
    ["a trailing comma", '{"logicalKey":"a",}'],
    ["NaN", '{"logicalKey":NaN}'],
    ["a comment", "{} // why"],
    ["single quotes", "{'a':1}"],
    ["white space only", "   "],
    ["a property twice", '{"logicalKey":"a","logicalKey":"b"}'],
    ["a property twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["a property twice, deep inside", '{"payload":{"x":[{"a":1,"a":1}]}}'],
    ["__proto__ twice", '{"__proto__":1,"__proto__":2}'],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a surrogate in UTF-8", new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
  ])("%s is 400 malformed_json, which repeats nothing of it", async (_, raw) => {
    const served = await serve();
    const told = served.ask("POST", "/v1/emails", { raw, headers: JSON_TYPE });
    const { text } = await refusedUnwritten(served, told, 400, "malformed_json");
    expect(text).not.toMatch(/why|NaN|position|Unexpected/);
  });

  it.each([
    "9007199254740993",
    "-9007199254740993",
    '[1,{"a":12345678901234567891}]',
    "9007199254740993.0",
    "9.007199254740993e15",
    "-9007199254740993E0",
    "90071992547409930e-1",
    "0.00000000009007199254740993E26",
    "1.00000000000000000001e300",
    "1".padEnd(309, "0").concat("1"),
    "1".padEnd(400, "0"),
  ])("G5 an integer that would be read as another one is refused: %s", async (payload) => {
    const served = await serve();
    const raw = `{"operationId":"o","payload":${payload}}`;
    const told = served.ask("POST", "/v1/receipts", { raw, headers: JSON_TYPE });
    const { text } = await refusedUnwritten(served, told, 422, "invalid_request");
    expect(text).toContain("send it as a string");
  });

  it.each([
    "9007199254740992",
    "-9007199254740994",
    "123456789012345680000",
    "10000000000000000000000",
    "1.2345678901234567891",
    "0.10000000000000000555",
    "1e300",
    "1.2345678901234568e20",
    "9007199254740992.000",
    "9007199254740994e000000000000000",
    "0e99999999999999999999",
    "9007199254740993e-99999999999999999999",
    "-0",
    '"9007199254740993"',
    '{"9007199254740993":1}',
  ])("a number that a double keeps, a fraction and a text are taken: %s", async (payload) => {
    const served = await serve();
    const raw = `{"operationId":"o","payload":${payload}}`;
    const told = await served.ask("POST", "/v1/receipts", { raw, headers: JSON_TYPE });
    expect(told.status).toBe(201);
  });

  it("colons, quotes and backslashes inside of strings are no properties", async () => {
    const served = await serve();
    const text = '{"a":1,"a":2} \\" : \\\\" : ": \\';
    const payload = { ...MESSAGE, text, headers: { "x-a": ':":' } };
    expect(await created(served, KEY, { payload })).toMatchObject({ text });
  });

  it("a byte order mark is passed over", async () => {
    const served = await serve();
    const raw = `\ufeff${JSON.stringify(ITEM)}`;
    expect((await served.ask("POST", "/v1/emails", { raw, headers: JSON_TYPE })).status).toBe(201);
  });

  it.each(["[]", "null", "7", '"text"', "true"])("%s is JSON, but no request", async (raw) => {
    const served = await serve();
    const told = served.ask("POST", "/v1/emails", { raw, headers: JSON_TYPE });
    await refusedUnwritten(served, told, 422, "invalid_request");
  });

  it("`an empty body equals {}`, whatever its type", async () => {
    const served = await serve();
    expect((await served.ask("PUT", "/v1/email-config")).status).toBe(201);
    const headers = { "content-type": "text/plain" };
    expect((await served.ask("PUT", "/v1/email-config", { raw: "", headers })).status).toBe(200);
    const told = served.ask("POST", "/v1/emails");
    await refusedUnwritten(served, told, 422, "invalid_request");
  });

  it.each([
    ["application/json", 201],
    ["application/json; charset=utf-8", 201],
    ['APPLICATION/JSON;charset="UTF-8"', 201],
    ["application/json; charset=latin1", 415],
    ["application/problem+json", 415],
    ["application/jsonx", 415],
    ["text/json", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    [null, 415],
  ])("content type %s: %d", async (type, status) => {
    const served = await serve();
    const raw = new TextEncoder().encode(JSON.stringify(ITEM));
    const headers: Record<string, string> = type === null ? {} : { "content-type": type };
    expect((await served.ask("POST", "/v1/emails", { raw, headers })).status).toBe(status);
    expect(served.storage.putCount()).toBe(status === 201 ? 1 : 0);
  });
});

describe("the values of a body", () => {
  it.each([
    ["1e400", '{"durationMs":1e400}'],
    ["-1e400", '{"durationMs":-1e400}'],
    ["2^53+1", '{"durationMs":9007199254740993}'],
    ["a number as a string", '{"durationMs":"60000"}'],
    ["a fraction", '{"durationMs":1.5}'],
    ["true", '{"durationMs":true}'],
    ["null", '{"durationMs":null}'],
    ["null for an optional one", '{"durationMs":1,"requestId":null}'],
    ["an unknown property", '{"durationMs":1,"leaseMs":1}'],
    ["__proto__", '{"durationMs":1,"__proto__":{"requestId":"x"}}'],
    ["constructor", '{"durationMs":1,"constructor":{}}'],
    ["nothing", "{}"],
  ])("%s is 422 invalid_request", async (_, raw) => {
    const served = await serve();
    await ready(served);
    const told = served.ask("POST", pathOf(KEY, "/leases"), { raw, headers: JSON_TYPE });
    await refusedUnwritten(served, told, 422, "invalid_request");
  });

  it.each([
    ["half a surrogate pair", "\ud800"],
    ["a NUL", "a\u0000b"],
  ])("%s in a key or a payload is 422", async (_, text) => {
    const served = await serve();
    for (const wrong of [{ logicalKey: text }, { payload: { ...MESSAGE, text } }]) {
      const told = served.ask("POST", "/v1/emails", { body: { ...ITEM, ...wrong } });
      await refusedUnwritten(served, told, 422, "invalid_request");
    }
  });

  it("a body nested as deep as it is long is 422, and soon", async () => {
    const served = await serve();
    const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
    const raw = `{"logicalKey":"a","payload":{"type":"message","x":${deep}}}`;
    const told = served.ask("POST", "/v1/emails", { raw, headers: JSON_TYPE });
    await refusedUnwritten(served, told, 422, "invalid_request");
  });

  it("more values than a body can need are 422 before they are parsed", async () => {
    const served = await serve();
    const names = Array.from({ length: 60_000 }, (_, n) => `"p${n}":1`).join();
    for (const [path, raw] of [
      ["/v1/email-batches", `{"jobs":[{${names}}]}`],
      ["/v1/email-batches", `{"jobs":[${"[],".repeat(60_000)}[]]}`],
      ["/v1/emails", `{"logicalKey":"a",${names}}`],
    ] as const) {
      const told = await refusedUnwritten(
        served,
        served.ask("POST", path, { raw, headers: JSON_TYPE }),
        422,
        "invalid_request",
      );
      expect(JSON.stringify(told.body["errors"])).toContain("values");
    }
  });

  it("a body in pieces of one byte is the same body", async () => {
    const served = await serve();
    const bytes = new TextEncoder().encode(JSON.stringify(ITEM));
    const raw = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect((await served.ask("POST", "/v1/emails", { raw, headers: JSON_TYPE })).status).toBe(201);
  });

  it("as many wrong values as fit are 422 with at most 20 of them named, and soon", async () => {
    const served = await serve();
    const begun = performance.now();
    const many = `[${"1,".repeat(500_000)}1]`;
    const names = Array.from({ length: 90_000 }, (_, n) => `"p${n}":1`).join();
    for (const raw of [`{"from":${many},"to":"ready"}`, `{"from":[],${names}}`]) {
      const told = await refusedUnwritten(
        served,
        served.ask("POST", pathOf(KEY, "/transitions"), { raw, headers: JSON_TYPE }),
        422,
        "invalid_request",
      );
      expect(Array.isArray(told.body["errors"]) ? told.body["errors"].length : 21).toBeLessThan(21);
      expect(told.text.length).toBeLessThan(10_000);
    }
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
