import { describe, expect, it } from "vitest";
import { safeParse } from "../../src/core/safe-parse.ts";
import { type KeptResponse, keptResponse, sentAgain } from "../../src/http/kept-response.ts";
import { HTTP_REQUEST } from "../../src/machines/receipts/built-in-operations.ts";
import { operations } from "../../src/machines/receipts/operations.ts";

/** A body that is read in these chunks; `told` hears when its reader has had enough. */
function streamed(
  chunks: readonly (string | Uint8Array)[],
  told: (reason: unknown) => void = () => {},
): ReadableStream<Uint8Array> {
  const left = chunks.map((chunk) =>
    typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk,
  );
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: told,
  });
}

/** Where nobody prepared a header before. */
function kept(response: Response): Promise<KeptResponse> {
  return keptResponse(response, new Headers());
}

describe("a response that is kept", () => {
  it("is text as it is, in one piece whatever it came in", async () => {
    const headers = { "content-type": "text/plain", "x-by": "us" };
    const made = new Response(streamed(["\ufeffca", "f", "é"]), { status: 201, headers });
    const { result, response } = await kept(made);
    expect(result).toEqual({
      status: 201,
      headers: [
        ["content-type", "text/plain"],
        ["x-by", "us"],
      ],
      body: { encoding: "text", data: "\ufeffcafé" },
    });
    const bytes = [...new TextEncoder().encode("\ufeffcafé")];
    expect([response.status, [...new Uint8Array(await response.arrayBuffer())]]).toEqual([
      ...[201, bytes],
    ]);
    const again = sentAgain(result);
    expect(again?.body).toEqual(new Uint8Array(bytes));
  });

  it.each([
    ["no text", new Uint8Array([0, 255, 128]), { encoding: "base64", data: "AP+A" }],
    ["text longer in escapes", "\u0000\u0000", { encoding: "base64", data: "AAA=" }],
    ["text as long as base64", '""', { encoding: "text", data: '""' }],
  ])("is base64 where the body is %s", async (_name, chunk, body) => {
    const { result } = await kept(new Response(streamed([chunk])));
    expect(result.body).toEqual(body);
  });

  it("keeps no header that is of one connection, or made anew for each answer", async () => {
    const names = [
      ...["connection", "content-length", "date", "keep-alive", "proxy-authenticate", "te"],
      ...["trailer", "transfer-encoding", "upgrade"],
    ];
    const headers = [...names, "x-by"].map((name): [string, string] => [name, "1"]);
    const { result } = await kept(new Response("x", { headers }));
    const operation = operations([]).get(HTTP_REQUEST);
    const stored = operation === undefined ? null : safeParse(operation.result, result).data;
    expect(stored).toMatchObject({
      headers: [
        ["content-type", expect.any(String)],
        ["x-by", "1"],
      ],
    });
  });

  it.each([204, 205, 304])("without a body is sent again without one: %i", async (status) => {
    const made = new Response(null, { status, headers: { "x-by": "us" } });
    const { result, response } = await kept(made);
    expect(response).toBe(made);
    expect(result).toEqual({
      ...{ status, headers: [["x-by", "us"]], body: { encoding: "text", data: "" } },
    });
    const again = sentAgain(result);
    expect([again?.status, again?.body]).toEqual([status, null]);
  });

  it.each([
    [65_536, true],
    [65_537, false],
  ])("with a body of %i bytes is kept: %s", async (bytes, isKept) => {
    const { result, response } = await kept(new Response("x".repeat(bytes)));
    expect(result.body !== null).toBe(isKept);
    expect(sentAgain(result) !== null).toBe(isKept);
    expect(await response.text()).toBe("x".repeat(bytes));
  });

  it.each([
    [16_384, true],
    [16_385, false],
  ])("with headers of %i bytes is kept: %s", async (bytes, isKept) => {
    const headers = { "x-long": "x".repeat(bytes - '[["x-long",""]]'.length) };
    for (const body of [null, streamed(["x"])]) {
      const { result } = await kept(new Response(body, { headers }));
      expect(result.body !== null).toBe(isKept);
      expect(result.headers).toHaveLength(isKept ? 1 : 0);
    }
  });

  it("that is larger is read no further than that, and the rest as its reader asks", async () => {
    const piece = "x".repeat(40_000);
    let reason: unknown;
    const body = streamed([piece, piece, piece, "end"], (told) => {
      reason = told;
    });
    const { result, response } = await kept(new Response(body));
    expect(result).toEqual({ status: 200, headers: [], body: null });
    const reader = response.body?.getReader();
    let read = 0;
    while (read < 3) {
      await reader?.read();
      read += 1;
    }
    await reader?.cancel("enough");
    expect(reason).toBe("enough");
  });

  it("that is larger is sent whole", async () => {
    const piece = "x".repeat(40_000);
    const { response } = await kept(new Response(streamed([piece, piece, piece, "end"])));
    expect(await response.text()).toBe(`${piece}${piece}${piece}end`);
  });
});
