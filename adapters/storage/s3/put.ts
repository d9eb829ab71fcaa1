/** One conditional write of one object, sent once. */
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from "@aws-sdk/client-s3";
import { utf8Length } from "../../../src/core/json.ts";
import type { BackendRecord, PutVerdict, Version } from "../../../src/ports/backend.ts";
import { ContendedError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Calls } from "./calls.ts";

export interface PutDeps {
  readonly client: S3Client;
  readonly calls: Calls;
  readonly read: () => Promise<BackendRecord | null>;
}

export interface PutOrder {
  readonly bucket: string;
  /** With its prefix. */
  readonly name: string;
  readonly body: string;
  readonly expected: "absent" | Version;
}

type Verdict = PutVerdict | "conflict";

const CREATED: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [409, "conflict"],
  [412, { kind: "refused", current: "unread" }],
]);

/** A condition on what is not there is answered by 404, and by 412 in some stores. */
const REPLACED: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  ...CREATED,
  [404, { kind: "refused", current: null }],
]);

/** Throws what `Backend.putIf` throws. */
export async function putObject(deps: PutDeps, order: PutOrder): Promise<PutVerdict> {
  const { client, calls, read } = deps;
  const verdict = await calls.ask<Verdict>(
    "put",
    async (bound, onSent) => {
      const { ETag } = await client.send(sentOnce(commandOf(order), onSent), bound);
      if (ETag === undefined) {
        throw new StoreUnavailableError("the write was accepted, and its version not told");
      }
      return { kind: "stored", version: ETag as Version };
    },
    order.expected === "absent" ? CREATED : REPLACED,
  );
  return verdict === "conflict" ? afterConflict(read, order.expected) : verdict;
}

function commandOf({ bucket, name, body, expected }: PutOrder): PutObjectCommand {
  const input: PutObjectCommandInput = {
    Bucket: bucket,
    Key: name,
    Body: body,
    // Without it the SDK takes the empty body of a due marker for a stream, and warns.
    ContentLength: utf8Length(body),
    ContentType: "application/json",
  };
  return new PutObjectCommand(
    expected === "absent"
      ? { ...input, IfNoneMatch: "*" }
      : { ...input, IfMatch: expected.startsWith('"') ? expected : `"${expected}"` },
  );
}

/**
 * Takes the place of the client's retries. A resend by the SDK meets its own first copy, whose reply was
 * lost, and is refused: a false conflict, and nobody knows any more that a copy went unanswered.
 * `onSent` is called last before the request goes out, and keeps it in by throwing.
 */
function sentOnce(command: PutObjectCommand, onSent: () => void): PutObjectCommand {
  command.middlewareStack.add((next) => next, {
    name: "retryMiddleware",
    step: "finalizeRequest",
    priority: "high",
    override: true,
  });
  command.middlewareStack.add(
    (next) => (request) => {
      onSent();
      return next(request);
    },
    { name: "onSent", step: "deserialize", priority: "low" },
  );
  return command;
}

/**
 * 409: others were writing at the same time, and nothing of this write was stored. Some stores answer it
 * to whoever loses a race, so only a read tells whether there is anything to try again for.
 */
async function afterConflict(
  read: PutDeps["read"],
  expected: "absent" | Version,
): Promise<PutVerdict> {
  let current: BackendRecord | null;
  try {
    current = await read();
  } catch (cause) {
    throw new ContendedError("others were writing at the same time", { cause });
  }
  if ((current?.version ?? "absent") !== expected) return { kind: "refused", current };
  throw new ContendedError("others were writing at the same time");
}
