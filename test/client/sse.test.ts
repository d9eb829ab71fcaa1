/** The event stream parser: the HTML standard's rules, and however the bytes are cut. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_CHARS_MAX, eventParser, type StreamEvent } from "../../src/client/sse.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Parsed {
  readonly events: StreamEvent[];
  readonly lastId: string | null;
  readonly retryMs: number | null;
}

function parsed(chunks: readonly Uint8Array[]): Parsed {
  const parser = eventParser();
  let all: Parsed = { events: [], lastId: null, retryMs: null };
  for (const chunk of chunks) {
    const { events, lastId, retryMs } = parser.push(chunk);
    all = {
      events: [...all.events, ...events],
      lastId: lastId ?? all.lastId,
      retryMs: retryMs ?? all.retryMs,
    };
  }
  return all;
}

const read = (text: string): Parsed => parsed([bytesOf(text)]);
const message = (data: string, id: string | null = null): StreamEvent => ({
  id,
  event: "message",
  data,
});

describe("one stream", () => {
  it.each([
    [
      "an event of every field",
      "id: 7\nevent: chunk\ndata: a\n\n",
      { id: "7", event: "chunk", data: "a" },
    ],
    ["data without a space", "data:a\n\n", message("a")],
    ["data with two spaces keeps one", "data:  a\n\n", message(" a")],
    ["several data lines", "data: a\ndata\ndata: b\n\n", message("a\n\nb")],
    ["empty data", "data\n\n", message("")],
    ["a colon in the data", "data: a: b\n\n", message("a: b")],
    ["lines ended by CR", "id: 1\rdata: a\r\r", message("a", "1")],
    ["lines ended by CRLF", "id: 1\r\ndata: a\r\n\r\n", message("a", "1")],
    ["a byte order mark", "\ufeffdata: a\n\n", message("a")],
    ["comments", ": hello\ndata: a\n:\n\n", message("a")],
    ["fields that are not known", "foo: bar\ndata: a\nbar\n\n", message("a")],
    ["an id with a NUL is ignored", "id: 1\nid: 2\0\ndata: a\n\n", message("a", "1")],
    ["an empty id", "id\ndata: a\n\n", message("a", "")],
    ["no field with other capitals", "DATA: b\ndata: a\n\n", message("a")],
  ])("%s", (_, text, event) => {
    expect(read(text).events).toEqual([event]);
  });

  it.each([
    ["comments alone", ": hello\n\n: again\n\n"],
    ["an event without data", "event: chunk\n\n"],
    ["what the end cuts off", "data: a\n"],
  ])("no event: %s", (_, text) => {
    expect(read(text).events).toEqual([]);
  });

  it("an id belongs to its event alone, so that a control frame has none", () => {
    const { events, lastId } = read("id: 1\ndata: a\n\nevent: rotate\ndata: b\n\n");
    expect(events).toEqual([message("a", "1"), { id: null, event: "rotate", data: "b" }]);
    expect(lastId).toBe("1");
  });

  it("an id counts without data, and not before its event is finished", () => {
    expect(read("id: 1\n\n")).toEqual({ events: [], lastId: "1", retryMs: null });
    expect(read("id: 1\ndata: a\n").lastId).toBeNull();
  });

  it("a wait before reconnecting is digits, and anything else is ignored", () => {
    expect(read("retry: 1500\n\n").retryMs).toBe(1_500);
    expect(read("retry: 1.5\n\nretry: -1\n\nretry\n\n").retryMs).toBeNull();
  });

  it("ends with an error that is told when an event does not end", () => {
    const parser = eventParser();
    const chunk = new Uint8Array(EVENT_CHARS_MAX / 4).fill(97);
    parser.push(bytesOf("data: "));
    const pushAll = (): void => {
      for (let n = 0; n < 5; n += 1) parser.push(chunk);
    };
    expect(pushAll).toThrow(expect.objectContaining({ code: "unexpected_answer" }));
  });
});

describe("any stream", () => {
  const eol = fc.constantFrom("\n", "\r", "\r\n");
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", " ", ":", "é", "🐋", "\0", "\ufeff") }),
    fc.constantFrom("", "7", "1500"),
  );
  const name = fc.constantFrom("data", "data", "id", "event", "retry", "", "foo");
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(name, text).map(([field, value]) => `${field}: ${value}`) },
    { weight: 1, arbitrary: name },
    { weight: 2, arbitrary: fc.constant("") },
  );
  const stream = fc
    .tuple(fc.boolean(), fc.array(fc.tuple(line, eol)), fc.oneof(fc.constant(""), line))
    .map(([mark, lines, rest]) => (mark ? "\ufeff" : "") + lines.flat().join("") + rest);

  it("gives the same events however it is cut into chunks", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
        const bytes = bytesOf(whole);
        const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort(
          (a, b) => a - b,
        );
        const chunks = places.map((place, n) => bytes.slice(place, places[n + 1] ?? place));
        expect(parsed(chunks)).toEqual(parsed([bytes]));
        expect(parsed([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(parsed([bytes]));
      }),
    );
  });

  it("gives back every event that was written", () => {
    const data = fc.string({ unit: fc.constantFrom("a", " ", ":", "é", "🐋", "\n") });
    const id = fc.option(fc.stringMatching(/^\d{1,5}$/));
    const event = fc.record({ id, event: fc.constantFrom("message", "chunk", "done"), data });
    fc.assert(
      fc.property(fc.array(event), eol, (events, end) => {
        const written = events.flatMap((one) => [
          ...(one.id === null ? [] : [`id: ${one.id}`]),
          ...(one.event === "message" ? [] : [`event: ${one.event}`]),
          ...one.data.split("\n").map((part) => `data: ${part}`),
          "",
        ]);
        expect(read(written.map((one) => one + end).join("")).events).toEqual(events);
      }),
    );
  });
});
