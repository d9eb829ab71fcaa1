/** Faults of the adapters of table and bucket: their one conditional write. */
import type { Mutant } from "./mutant.ts";

export const CLOUD_MUTANTS: readonly Mutant[] = [
  {
    name: "s3-overwrites-without-condition",
    file: "adapters/storage/s3/put.ts",
    text: ': { ...input, IfMatch: expected.startsWith(\'"\') ? expected : `"${expected}"` },',
    replacement: ": input,",
    law: "protocols 1: every write is conditional",
    caughtBy: [{ tests: "adapters/s3/wire" }],
  },
  {
    name: "s3-sdk-resends-by-itself",
    file: "adapters/storage/s3/put.ts",
    text: '    name: "retryMiddleware",\n    step: "finalizeRequest",\n    priority: "high",\n    override: true,',
    replacement: '    name: "heldBack",\n    step: "finalizeRequest",\n    priority: "high",',
    law: "protocols 1.3: nobody resends a write that the store does not know of",
    caughtBy: [{ tests: "adapters/s3/faults", named: "retries do not apply to writes" }],
  },
  {
    name: "s3-conflict-taken-for-a-refusal",
    file: "adapters/storage/s3/put.ts",
    text: '  [409, "conflict"],',
    replacement: '  [409, { kind: "refused", current: null }],',
    law: "protocols 1.1: 409 is no verdict on the version",
    caughtBy: [{ tests: "adapters/s3/faults", named: "409 with nothing changed" }],
  },
  {
    name: "r2-overwrites-without-condition",
    file: "adapters/storage/r2.ts",
    text: "const put = () => bucket.put(prefix + key, body, { onlyIf: conditionFor(expected) });",
    replacement: "const put = () => bucket.put(prefix + key, body);",
    law: "protocols 1: every write is conditional",
    caughtBy: [{ tests: "adapters/r2/binding" }],
  },
  {
    name: "dynamodb-overwrites-without-condition",
    file: "adapters/storage/dynamodb/backend.ts",
    text: 'ConditionExpression: "#version = :expected",',
    replacement: 'ConditionExpression: "attribute_exists(#version) OR #version = :expected",',
    law: "protocols 1: every write is conditional",
    caughtBy: [{ tests: "adapters/dynamodb/conformance", named: "refuses a stale replacement" }],
  },
  {
    name: "dynamodb-version-is-a-counter",
    file: "adapters/storage/dynamodb/backend.ts",
    text: "const version = writeId(random.bytes(WRITE_ID_BYTES)) as string as Version;",
    replacement:
      'const version = String(expected === "absent" ? 1 : Number(expected) + 1) as Version;',
    law: "protocols 1.3: a version never comes back, not even of a key that was removed",
    caughtBy: [
      { tests: "adapters/dynamodb/conformance", named: "no two writes of the same content" },
    ],
  },
  {
    name: "dynamodb-resent-write-taken-for-refused",
    file: "adapters/storage/dynamodb/faults.ts",
    text: "if (attemptsOf(error) === 1) return storeFault(where, error);",
    replacement: "return storeFault(where, error);",
    law: "protocols 1.3: of a write that was sent twice only a look can tell",
    caughtBy: [
      { tests: "adapters/dynamodb/lost-replies", named: "of a client that resends by itself" },
    ],
  },
  {
    name: "dynamodb-reads-what-was",
    file: "adapters/storage/dynamodb/backend.ts",
    text: "ConsistentRead: true,",
    replacement: "ConsistentRead: false,",
    law: "G1: a read shows the last acknowledged write",
    caughtBy: [{ tests: "adapters/dynamodb/layout", named: "show what the last write left" }],
  },
];
