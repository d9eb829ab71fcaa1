/** HTTP requests as events: answered as a stream where that is read as one, and as a whole elsewhere. */
import { PROBLEMS, type Problem, problemBody } from "../../../src/http/problem.ts";
import type { FunctionService } from "../function.ts";
import { type HttpEvent, httpEventOf, type Source } from "./event.ts";
import type { LambdaContext, LambdaHandler, Streaming, StreamingHandler } from "./platform.ts";
import { pour } from "./pour.ts";
import { BadRequestError, requestOf } from "./request.ts";
import { metadataOf, type Result, resultBytesMax, resultOf } from "./result.ts";

type Service = Pick<FunctionService, "fetch" | "log">;

/**
 * For function URLs with RESPONSE_STREAM and REST APIs with responseTransferMode STREAM. An HTTP API and a
 * load balancer, which are never streamed to, get the answer as a whole; a function URL or a REST API that
 * buffers cannot be told from one that streams, and needs `bufferedHandler`.
 */
export function streamingHandler(service: Service, { HttpResponseStream }: Streaming) {
  const handler: StreamingHandler = async (event, stream, context) => {
    const http = httpEventOf(event);
    if (!STREAMED.includes(http.source)) {
      stream.setContentType("application/json");
      stream.write(JSON.stringify(await whole(service, http, context)));
      return stream.end();
    }
    const answer = await answered(service, http, context);
    const onCut = (): void => {
      service.log("warn", "stream cut", { requestId: idOf(answer), detail: CUT });
    };
    await pour(answer.body, HttpResponseStream.from(stream, metadataOf(answer)), context, onCut);
  };
  return handler;
}

/** For everything that takes an answer as a whole, whatever invoked the function. */
export function bufferedHandler(service: Service): LambdaHandler<Result> {
  return async (event, context) => whole(service, httpEventOf(event), context);
}

const STREAMED: readonly Source[] = ["function URL", "REST API"];

const CUT = "the function's time-out ends streams early: give it 60 s or more";

async function whole(service: Service, event: HttpEvent, context: LambdaContext): Promise<Result> {
  const answer = await answered(service, event, context);
  const type = answer.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    await answer.body?.cancel();
    const refusal = refused(event, idOf(answer), NO_STREAM);
    return resultOf(event, refusal, await refusal.text());
  }
  const text = await answer.text();
  const result = resultOf(event, answer, text);
  const bytesMax = resultBytesMax(event.source);
  // In JSON a character takes six bytes at most; what is left are some headers.
  if (text.length * 6 < bytesMax / 2) return result;
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= bytesMax) return result;
  const refusal = refused(event, idOf(answer), tooLarge(event, bytes, bytesMax));
  return resultOf(event, refusal, await refusal.text());
}

async function answered(
  { fetch, log }: Service,
  event: HttpEvent,
  { awsRequestId }: LambdaContext,
): Promise<Response> {
  let request: Request;
  try {
    request = requestOf(event);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    const code = "bad_request";
    const { status } = PROBLEMS[code];
    log("info", "request", { requestId: awsRequestId, route: "none", status, code });
    return refused(event, awsRequestId, { code, detail: error.message });
  }
  return fetch(request);
}

/** In the form of all problems. */
function refused({ path }: HttpEvent, requestId: string, problem: Problem): Response {
  return new Response(JSON.stringify(problemBody(problem, path, "/docs")), {
    status: PROBLEMS[problem.code].status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    },
  });
}

function idOf(answer: Response): string {
  return answer.headers.get("x-request-id") ?? "";
}

const NO_STREAM: Problem = {
  code: "invalid_request",
  detail:
    "no stream comes this way, where answers are passed on as a whole: leave out accept: " +
    "text/event-stream and ask again for what is new, or ask the function's URL",
  errors: [{ path: "accept", message: "must not be text/event-stream here" }],
};

function tooLarge({ method }: HttpEvent, bytes: number, bytesMax: number): Problem {
  // Nobody may take it for a refusal of what has happened: leases are held now, for example.
  const isDone = !/^(?:get|head)$/i.test(method);
  const size = `the answer has ${bytes} bytes, of which AWS passes on ${bytesMax} this way: ask for less at once`;
  return {
    code: "invalid_request",
    detail: isDone ? `what was asked for is done, but ${size}` : size,
    errors: [{ path: "limit", message: "must be less for records of this size" }],
  };
}
