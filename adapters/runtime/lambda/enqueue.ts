/** Messages of an SQS queue, each an email as `POST /v1/emails` takes it, and for one tenant. */
import * as z from "zod/mini";
import { reasonOf } from "../../../src/core/issues.ts";
import { safeParse } from "../../../src/core/safe-parse.ts";
import type { Holdfast, Tenant } from "../../../src/holdfast.ts";
import { enqueueBody } from "../../../src/http/email-schemas.ts";
import { readJsonBody } from "../../../src/http/json-body.ts";
import { PROBLEMS, problemOf } from "../../../src/http/problem.ts";
import { BODY_BYTES_MAX, BODY_VALUES_MAX } from "../../../src/http/route.ts";
import {
  InvalidInputError,
  JobErasedError,
  JobExpiredError,
  JobPayloadConflictError,
} from "../../../src/services/errors.ts";
import { mapLimited } from "../../../src/services/map-limited.ts";
import type { FunctionService, Opened } from "../function.ts";
import { shapeOf } from "./event.ts";
import type { LambdaContext, LambdaHandler } from "./platform.ts";

/** What SQS is to keep: everything else of the batch is done. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Messages of a batch at the same time. */
const AT_ONCE = 10;

/** Left of the function's time: with less than this no other message is begun. */
const LEAST_MS = 3_000;

const batch = z.object({
  Records: z.array(
    z.object({
      messageId: z.string(),
      body: z.string(),
      eventSource: z.literal("aws:sqs"),
      eventSourceARN: z.string(),
      attributes: z.optional(z.object({ MessageGroupId: z.optional(z.string()) })),
    }),
  ),
});

type Message = z.output<typeof batch>["Records"][number];

const emailMessage = z.extend(enqueueBody, { tenant: z.exactOptional(z.string()) });

/**
 * For an event source with ReportBatchItemFailures: without that, what is refused here would count as done.
 * What can never succeed fails like everything else, so that the queue's own policy ends it in the dead
 * letters, and the log says why, by the message's id. A message that comes twice does no harm. Of a FIFO
 * queue's group nothing is done behind the first failure. Throws MisconfiguredError, faults of opening the storage,
 * and TypeError for another event: the whole batch comes again.
 */
export function enqueueHandler({
  open,
  log,
}: Pick<FunctionService<Holdfast>, "open" | "log">): LambdaHandler<BatchAnswer> {
  return async (event, context) => {
    const { data } = safeParse(batch, event);
    if (data === undefined) {
      throw new TypeError(`this handler is for an SQS queue, and got ${shapeOf(event)}`);
    }
    const opened = await open();
    const isFifo = data.Records.some(({ eventSourceARN }) => eventSourceARN.endsWith(".fifo"));
    const stopped = new Set<string>();

    async function isDone(message: Message): Promise<boolean> {
      const group = message.attributes?.MessageGroupId ?? "";
      if (stopped.has(group)) return false;
      const refusal = await refusalOf(message, opened, context);
      if (refusal === null) return true;
      if (isFifo) stopped.add(group);
      const { messageId } = message;
      log(refusal.isFinal ? "error" : "warn", "message refused", { messageId, ...refusal });
      return false;
    }

    const done = await mapLimited(data.Records, isFifo ? 1 : AT_ONCE, isDone);
    const failed = data.Records.filter((_, index) => done[index] !== true);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** For the log: nothing of what the message says. */
interface Refusal {
  readonly code: string;
  readonly detail: string;
  /** It fails again however often it comes. */
  readonly isFinal: boolean;
}

/** Null: the job is stored. */
async function refusalOf(
  message: Message,
  opened: Opened<Holdfast>,
  context: LambdaContext,
): Promise<Refusal | null> {
  if (context.getRemainingTimeInMillis() < LEAST_MS) return OUT_OF_TIME;
  const read = await readJsonBody(requestOf(message), {
    bytesMax: BODY_BYTES_MAX,
    valuesMax: BODY_VALUES_MAX,
  });
  if (!read.ok) return { code: read.problem.code, detail: read.problem.detail, isFinal: true };
  const parsed = safeParse(emailMessage, read.value);
  if (!parsed.success) {
    const detail = reasonOf(parsed.error, "message");
    return { code: "invalid_request", detail, isFinal: true };
  }
  const { tenant: id, logicalKey, payload, initialState, ...options } = parsed.data;
  const tenant = tenantOf(opened, id);
  if (tenant === null) return UNKNOWN_TENANT;
  try {
    await tenant.emails.enqueue(logicalKey, payload, initialState, options);
    return null;
  } catch (error) {
    return thrown(error);
  }
}

function requestOf({ body }: Message): Request {
  const headers = { "content-type": "application/json" };
  return new Request("http://sqs/", { method: "POST", headers, body });
}

/** Those that keys name: no pass would ever come to another. */
function tenantOf(
  { holdfast, tenants }: Opened<Holdfast>,
  id: string | undefined,
): Tenant | Holdfast | null {
  if (id === undefined) return holdfast;
  return tenants.includes(id) ? holdfast.tenant(id) : null;
}

function thrown(error: unknown): Refusal {
  if (
    error instanceof JobExpiredError ||
    error instanceof JobErasedError ||
    error instanceof JobPayloadConflictError
  ) {
    return { code: error.code, detail: error.message, isFinal: true };
  }
  const { code, detail } = problemOf(error);
  const { status } = PROBLEMS[code];
  const isFinal = status < 500 && status !== 429;
  if (!(error instanceof InvalidInputError)) return { code, detail, isFinal };
  // Places alone: the words are of whoever made the kind, and may quote.
  const places = error.errors.map(({ path }) => (path === "" ? "message" : path));
  return { code, detail: `not valid: ${places.join(", ")}`, isFinal };
}

const OUT_OF_TIME: Refusal = {
  code: "out_of_time",
  detail: "the function's time was up; give it more, or take smaller batches",
  isFinal: false,
};

const UNKNOWN_TENANT: Refusal = {
  code: "invalid_request",
  detail: "tenant: no key of HOLDFAST_KEYS names it, so no pass would come to it",
  isFinal: true,
};
