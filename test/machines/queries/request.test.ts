import { describe, expect, it } from "vitest";
import { attachmentRefsOf } from "../../../src/machines/queries/attachments.ts";
import { fingerprintOf } from "../../../src/machines/queries/fingerprint.ts";
import { parseQueryRequest } from "../../../src/machines/queries/request.ts";
import { CLIENT_JOB_ID, RAW, request } from "./given.ts";

const ID = `m_${"a".repeat(24)}`;
const REF = {
  id: ID,
  kind: "user_photo",
  mime: "image/png",
  width: 1,
  height: 65_535,
  createdAt: "2026-07-01T00:00:00Z",
};

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `m_${String(index).padStart(24, "0")}`);

describe("the golden vectors (semantics E)", () => {
  it("QUERY-14 the request is parsed to what the original hashes, keys in order", () => {
    const { attachmentIds, attachmentRefs, activityToolMode, ...rest } = request();
    expect(JSON.stringify({ activityToolMode, attachmentIds, attachmentRefs, ...rest })).toBe(
      '{"activityToolMode":"preview","attachmentIds":[],"attachmentRefs":[],"clientJobId":"11111111-1111-4111-8111-111111111111","generation":1,"query":"durable prompt","sessionId":"session-durable-1"}',
    );
  });

  it("QUERY-14 its fingerprint is the original's, in whatever order the keys stand", () => {
    const golden = "903edb7e78be9d35a4e8a883331693543d765e961d2bb5cabe00869bb2b635d9";
    expect(fingerprintOf(request())).toBe(golden);
    const turned = Object.fromEntries(Object.entries(request()).reverse());
    expect(fingerprintOf({ ...request(), ...turned })).toBe(golden);
    const parsed = parseQueryRequest(Object.fromEntries(Object.entries(RAW).reverse()));
    expect(parsed.ok && fingerprintOf(parsed.request)).toBe(golden);
  });

  it("orders the keys of nested objects, too", () => {
    const one = request({ reference: { query: "q", response: "r" } });
    const other = { ...one, reference: { response: "r", query: "q" } };
    expect(fingerprintOf(other)).toBe(fingerprintOf(one));
  });
});

describe("the identity of a request", () => {
  it.each([
    ["query", { query: "another" }],
    ["sessionId", { sessionId: "another" }],
    ["generation", { generation: 2 }],
    ["model", { model: "m" }],
    ["effort", { effort: "e" }],
    ["messageEra", { messageEra: "e" }],
    ["handoffCode", { handoffCode: "h" }],
    ["clientQueueItemId", { clientQueueItemId: "i" }],
    ["globalMsgNum", { globalMsgNum: 1 }],
    ["reference", { reference: { query: "q", response: "r" } }],
    ["handoffLatest", { handoffLatest: true }],
    ["attachmentIds", { attachmentIds: [ID] }],
    ["attachmentRefs", { attachmentRefs: [REF] }],
    ["activityToolMode", { activityToolMode: "off" }],
  ])("QUERY-4 is another when its %s is another", (_name, fields) => {
    expect(fingerprintOf(request(fields))).not.toBe(fingerprintOf(request()));
  });

  it("QUERY-4 is the same with keys that are not known, or are absent in other words", () => {
    const fields = { unknown: 1, origin: {}, model: null, effort: "", handoffLatest: "true" };
    expect(request(fields)).toEqual(request());
  });

  it("QUERY-15 is the same whatever the case of its client job id, and spaces around it", () => {
    const clientJobId = "ABCDEFAB-1111-4111-8111-111111111111";
    expect(request({ clientJobId: `\u0001 ${clientJobId}\n` })).toEqual(
      request({ clientJobId: clientJobId.toLowerCase() }),
    );
  });
});

describe("a request without a field that it needs", () => {
  it.each([
    "clientJobId",
    "generation",
    "query",
    "sessionId",
    "reference.query",
    "reference.response",
  ])("is told that %s is missing, under the code of one that is not valid", (path) => {
    const raw = structuredClone({ ...RAW, reference: { query: "q", response: "r" } });
    const [name, inner] = path.split(".");
    const fields: object = inner === undefined ? raw : raw.reference;
    Reflect.deleteProperty(fields, inner ?? name ?? "");
    const missing = parseQueryRequest(raw);
    Reflect.set(fields, inner ?? name ?? "", {});
    const other = parseQueryRequest(raw);
    if (missing.ok || other.ok) throw new TypeError("both are to be refused");
    expect(missing.problem).toEqual({ ...other.problem, message: "is missing" });
    expect(other.problem.message).not.toBe("is missing");
  });
});

describe("a request that does not fit", () => {
  const long = (chars: number): string => "x".repeat(chars);
  const reference = (fields: object) => ({ reference: { query: "q", response: "r", ...fields } });
  it.each([
    [
      "invalid_client_job_id",
      "a UUID of another version",
      { clientJobId: CLIENT_JOB_ID.replace("-4", "-1") },
    ],
    [
      "invalid_client_job_id",
      "a UUID of another variant",
      { clientJobId: CLIENT_JOB_ID.replace("-8", "-c") },
    ],
    ["invalid_client_job_id", "more than a UUID", { clientJobId: `${CLIENT_JOB_ID}1` }],
    ["invalid_client_job_id", "no client job id", { clientJobId: undefined }],
    ["invalid_client_job_id", "a number", { clientJobId: 1 }],
    ["invalid_generation", "generation 0", { generation: 0 }],
    ["invalid_generation", "generation 1.5", { generation: 1.5 }],
    ["invalid_generation", "generation 1e20", { generation: 1e20 }],
    ["invalid_generation", "generation 2^53", { generation: 2 ** 53 }],
    ["invalid_generation", "generation NaN", { generation: "three" }],
    ["invalid_generation", "generation false", { generation: false }],
    ["invalid_generation", "generation null", { generation: null }],
    ["invalid_generation", "a generation in an array", { generation: [3] }],
    ["invalid_generation", "an object for a number", { generation: { valueOf: () => 3 } }],
    ["invalid_query", "no query", { query: undefined }],
    ["invalid_query", "a number for a text", { query: 1 }],
    ["invalid_query", "half a surrogate pair", { query: "a\ud83d" }],
    ["query_too_large", "48,001 characters", { query: long(48_001) }],
    [
      "query_too_large",
      "48,001 characters that would be stripped",
      { query: "\u0000".repeat(48_001) },
    ],
    ["query_or_attachment_required", "a blank query", { query: " \n\t" }],
    ["query_or_attachment_required", "a query of control characters", { query: "\u0000\u007f" }],
    ["invalid_session_id", "no session", { sessionId: undefined }],
    ["invalid_session_id", "an empty session", { sessionId: " " }],
    ["invalid_session_id", "a session of 129 characters", { sessionId: long(129) }],
    ["invalid_session_id", "a session that begins with a dot", { sessionId: ".a" }],
    ["invalid_session_id", "a session with a space", { sessionId: "a b" }],
    ["invalid_session_id", "a session with a line end within", { sessionId: "a\nb" }],
    ["invalid_model", "a model of 65 characters", { model: long(65) }],
    ["invalid_model", "a blank model", { model: " " }],
    ["invalid_model", "half a pair in a model", { model: "\udc00" }],
    ["invalid_effort", "an effort of 33 characters", { effort: long(33) }],
    ["invalid_message_era", "an era of 81 characters", { messageEra: long(81) }],
    ["invalid_handoff_code", "a code of 129 characters", { handoffCode: long(129) }],
    ["invalid_client_queue_item_id", "an id of 121 characters", { clientQueueItemId: long(121) }],
    ["invalid_effort", "a number for an effort", { effort: 3 }],
    ["invalid_global_msg_num", "number 0", { globalMsgNum: 0 }],
    ["invalid_global_msg_num", "number 1e20", { globalMsgNum: 1e20 }],
    ["invalid_reference", "a text for a reference", { reference: "r" }],
    ["invalid_reference", "an array for a reference", { reference: [] }],
    ["invalid_reference_query", "a blank referred query", reference({ query: " " })],
    ["invalid_reference_query", "no referred query", reference({ query: undefined })],
    ["reference_query_too_large", "48,001 referred characters", reference({ query: long(48_001) })],
    ["invalid_reference_response", "a blank response", reference({ response: "\u0001" })],
    ["invalid_reference_response", "half a pair in a response", reference({ response: "\ud800" })],
    ["reference_response_too_large", "128,001 characters", reference({ response: long(128_001) })],
  ])("QUERY-10 is refused with %s for %s", (code, _name, fields) => {
    const parsed = parseQueryRequest({ ...RAW, ...fields });
    expect(parsed).toMatchObject({ ok: false, problem: { code } });
  });

  it.each([null, undefined, "text", 1, [], true])("QUERY-10 is refused when it is %j", (raw) => {
    expect(parseQueryRequest(raw)).toMatchObject({ problem: { code: "invalid_request" } });
  });

  it("QUERY-13 is told without a word of it", () => {
    const raw = { ...RAW, query: "secret\ud83d", reference: { query: "secret", response: 1 } };
    const parsed = parseQueryRequest({ ...raw, model: "secret".repeat(20) });
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });

  it("tells the first problem in the order of the fields", () => {
    const parsed = parseQueryRequest({ clientJobId: CLIENT_JOB_ID, generation: 0, query: 1 });
    expect(parsed).toMatchObject({ problem: { code: "invalid_generation", path: "generation" } });
  });

  it("is refused, not thrown at, when its fields throw", () => {
    const raw = {
      ...RAW,
      get query(): string {
        throw new Error("secret");
      },
    };
    expect(parseQueryRequest(raw)).toMatchObject({ problem: { code: "invalid_query" } });
  });
});

describe("a request that fits", () => {
  it.each([
    ["3", 3],
    [true, 1],
    [" 7 ", 7],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("QUERY-10 has the generation %j as the number %i", (generation, number) => {
    expect(request({ generation }).generation).toBe(number);
  });

  it("takes every field up to its limit", () => {
    const text = (chars: number): string => "x".repeat(chars);
    const fields = {
      ...{ query: text(48_000), sessionId: text(128), model: text(64), effort: text(32) },
      ...{ messageEra: text(80), handoffCode: text(128), clientQueueItemId: text(120) },
      reference: { query: text(48_000), response: text(128_000) },
    };
    expect(request(fields)).toMatchObject(fields);
  });

  it("has no control characters, but its tabs, line ends and outer spaces", () => {
    const { query, model } = request({ query: " a\u0000\t\r\nb\u007f\u001b ", model: " m\u0001 " });
    expect([query, model]).toEqual([" a\t\r\nb ", "m"]);
  });

  it("is joined where a control character parted a pair", () => {
    expect(request({ query: "\ud83d\u0000\ude00" }).query).toBe("😀");
  });

  it.each([
    ["off", "off"],
    ["preview", "preview"],
    ["status", "status"],
    ["OFF", "status"],
    [undefined, "status"],
    [1, "status"],
  ])("with the activity mode %j has the mode %s", (activityToolMode, mode) => {
    expect(request({ activityToolMode }).activityToolMode).toBe(mode);
  });

  it("keeps handoffLatest only when it is true, and globalMsgNum as a number", () => {
    expect(request({ handoffLatest: 1, globalMsgNum: "12" })).toMatchObject({ globalMsgNum: 12 });
    expect(request({ handoffLatest: 1 })).not.toHaveProperty("handoffLatest");
    expect(request({ handoffLatest: true }).handoffLatest).toBe(true);
  });

  it("QUERY-11 may be blank with an attachment of either sort", () => {
    expect(request({ query: "", attachmentIds: [ID] }).query).toBe("");
    expect(request({ query: " ", attachments: [REF] }).query).toBe(" ");
    expect(parseQueryRequest({ ...RAW, query: "", attachmentIds: ["bad"] }).ok).toBe(false);
  });
});

describe("the attachments of a request", () => {
  it("QUERY-12 are the first five different ids that are ids", () => {
    const [one = "", two = "", ...rest] = ids(7);
    const attachmentIds = [one, "bad", one, two, 3, ID.toUpperCase(), null, ...rest];
    expect(request({ attachmentIds }).attachmentIds).toEqual(ids(5));
    expect(request({ attachmentIds: ID }).attachmentIds).toEqual([]);
  });

  it("QUERY-12 are the first five refs that are refs, also twice the same", () => {
    const refs = [REF, {}, null, "x", REF, REF, REF, REF, REF];
    expect(request({ attachmentRefs: refs }).attachmentRefs).toEqual([REF, REF, REF, REF, REF]);
    expect(request({ attachments: [REF] }).attachmentRefs).toEqual([REF]);
    expect(request({ attachmentRefs: [], attachments: [REF] }).attachmentRefs).toEqual([]);
  });

  it.each([
    ["another kind", { kind: "video" }],
    ["another mime", { mime: "image/gif" }],
    ["no width", { width: 0 }],
    ["a height of 65,536", { height: 65_536 }],
    ["half a pixel", { width: 1.5 }],
    ["no time", { createdAt: undefined }],
    ["a time with an offset", { createdAt: "2026-07-01T00:00:00+00:00" }],
    ["four fraction digits", { createdAt: "2026-07-01T00:00:00.1234Z" }],
    ["the 30th of February", { createdAt: "2026-02-30T00:00:00Z" }],
    ["a number for a label", { label: 1 }],
    ["no time of expiry", { expiresAt: "soon" }],
  ])("are no ref with %s", (_name, fields) => {
    expect(attachmentRefsOf([{ ...REF, ...fields }])).toEqual([]);
  });

  it("have a label cut to 120 characters, never inside a pair, and no unknown field", () => {
    const label = `${"x".repeat(119)}😀`;
    const [ref] = attachmentRefsOf([{ ...REF, label, capturedAt: null, url: "secret" }]);
    expect(ref).toEqual({ ...REF, label: "x".repeat(119) });
  });
});
