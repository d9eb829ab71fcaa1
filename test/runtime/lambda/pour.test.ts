/** A body into the runtime's stream, whose pace and end the test sets. */
import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { LambdaContext, ResponseStream } from "../../../adapters/runtime/lambda/platform.ts";
import { pour } from "../../../adapters/runtime/lambda/pour.ts";

function fakeStream(isFull: () => boolean) {
  const events = new EventEmitter();
  const written: string[] = [];
  let isEnded = false;
  const stream: ResponseStream = {
    setContentType: () => {},
    write(chunk) {
      written.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
      return !isFull();
    },
    end() {
      isEnded = true;
    },
    on: (event, listener) => events.on(event, listener),
  };
  return { stream, events, written, isEnded: () => isEnded };
}

function endless() {
  let count = 0;
  let isCanceled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      count += 1;
      controller.enqueue(Buffer.from(`${count}`));
    },
    cancel() {
      isCanceled = true;
    },
  });
  return { body, isCanceled: () => isCanceled };
}

const within = (ms: number): LambdaContext => ({
  awsRequestId: "1",
  getRemainingTimeInMillis: () => ms,
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("an answer that is poured", () => {
  it("without a body is written all the same, since its status goes with the first write", async () => {
    const { stream, written, isEnded } = fakeStream(() => false);
    await pour(null, stream, within(60_000), () => {});
    expect([written, isEnded()]).toEqual([[""], true]);
  });

  it("waits while the stream is full", async () => {
    const { stream, events, written } = fakeStream(() => true);
    const { body } = endless();
    void pour(body, stream, within(60_000), () => {});
    for (let n = 0; n < 10; n += 1) await turn();
    expect(written).toEqual(["", "1"]);
    events.emit("drain");
    for (let n = 0; n < 10; n += 1) await turn();
    expect(written).toEqual(["", "1", "2"]);
    events.emit("close");
  });

  it.each(["close", "error"])("reads no more once the stream tells %s", async (event) => {
    const { stream, events, isEnded } = fakeStream(() => true);
    const { body, isCanceled } = endless();
    const poured = pour(body, stream, within(900_000), () => {});
    for (let n = 0; n < 10; n += 1) await turn();
    events.emit(event);
    await poured;
    expect([isCanceled(), isEnded()]).toEqual([true, true]);
  });

  it("ends with the function's time, also where nobody takes anything", async () => {
    const { stream, isEnded } = fakeStream(() => true);
    const { body, isCanceled } = endless();
    let cuts = 0;
    await pour(body, stream, within(0), () => {
      cuts += 1;
    });
    expect([isCanceled(), isEnded(), cuts]).toEqual([true, true, 1]);
  });
});
