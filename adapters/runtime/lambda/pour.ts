/** The body of an answer into the runtime's stream, at the pace at which that takes it. */
import type { LambdaContext, ResponseStream } from "./platform.ts";

/** For the end of the stream to get out before the process is killed. */
const MARGIN_MS = 1_500;

/**
 * Ends the stream, also before the body is over when the function's time is: its reader then connects again,
 * and nothing it got is half. `onCut` is told of that.
 */
export async function pour(
  body: ReadableStream<Uint8Array> | null,
  stream: ResponseStream,
  context: LambdaContext,
  onCut: () => void,
): Promise<void> {
  // Without it an answer without a body would go without its status, too.
  stream.write("");
  if (body !== null) await pourBody(body, stream, context, onCut);
  stream.end();
}

async function pourBody(
  body: ReadableStream<Uint8Array>,
  stream: ResponseStream,
  context: LambdaContext,
  onCut: () => void,
): Promise<void> {
  const reader = body.getReader();
  let goOn = (): void => {};
  let isOver = false;
  const end = (): void => {
    isOver = true;
    goOn();
    reader.cancel().catch(() => {});
  };
  stream.on("drain", () => goOn());
  stream.on("close", end);
  stream.on("error", end);
  const timer = setTimeout(
    () => {
      onCut();
      end();
    },
    Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS),
  );
  try {
    while (!isOver) {
      const { value } = await reader.read();
      if (value === undefined || isOver) break;
      const room = new Promise<void>((resolve) => (goOn = resolve));
      if (!stream.write(value) && !isOver) await room;
    }
  } finally {
    clearTimeout(timer);
  }
}
