import { afterAll } from "vitest";
import { tablesOf } from "./dynamodb.ts";
import { bucketsOf } from "./s3.ts";
import { describePeer } from "./suite.ts";
import { startMiniStack } from "./witness.ts";

const ministack = await startMiniStack();
afterAll(() => ministack.stop());

describePeer("S3 by ministack", bucketsOf(ministack));
describePeer("DynamoDB by ministack", tablesOf(ministack));
