/** What AWS Lambda's runtime for Node hands to a handler, as far as it is used here. */

export interface LambdaContext {
  readonly awsRequestId: string;
  /** Until the process is killed in the middle of whatever it does. */
  readonly getRemainingTimeInMillis: () => number;
}

export type LambdaHandler<R = unknown> = (event: unknown, context: LambdaContext) => Promise<R>;

/** The runtime's own: a part of a Writable, by the same names. */
export interface ResponseStream {
  setContentType(type: string): void;
  /** False: nothing more until `drain`. */
  write(chunk: string | Uint8Array): boolean;
  end(): void;
  on(event: "drain" | "close" | "error", listener: () => void): unknown;
}

export type StreamingHandler = (
  event: unknown,
  stream: ResponseStream,
  context: LambdaContext,
) => Promise<void>;

/** The status and the headers of a streamed answer. */
export interface Metadata {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/** The global `awslambda`. */
export interface Streaming {
  streamifyResponse(handler: StreamingHandler): LambdaHandler;
  readonly HttpResponseStream: {
    /** Nothing of the metadata is sent before the first `write`; `end` alone sends none. */
    from(stream: ResponseStream, metadata: Metadata): ResponseStream;
  };
}

/** Null anywhere but in that runtime. */
export function streaming(): Streaming | null {
  const platform: Streaming | undefined = Reflect.get(globalThis, "awslambda");
  // Where there is none, the SDK makes one that is empty.
  return typeof platform?.streamifyResponse === "function" ? platform : null;
}
