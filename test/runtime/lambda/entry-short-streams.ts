/** An application's own entry, whose streams are told to connect again after a second and a half. */
import { lambda } from "../../../adapters/runtime/lambda/dynamodb.ts";

export const { http, httpBuffered } = lambda({ rotationMs: 1_500 });
