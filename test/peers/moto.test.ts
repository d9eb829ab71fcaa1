import { afterAll } from "vitest";
import { tablesOf } from "./dynamodb.ts";
import { bucketsOf } from "./s3.ts";
import { describePeer } from "./suite.ts";
import { startMoto } from "./witness.ts";

const moto = await startMoto();
afterAll(() => moto.stop());

describePeer("S3 by moto", bucketsOf(moto));
describePeer("DynamoDB by moto", tablesOf(moto));
