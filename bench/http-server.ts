/**
 * A server of the HTTP bench, as a process of its own: `bare` (Hono and a schema) or `holdfast` (the
 * service on the memory storage, with keys, limits and log lines). Talks to its parent over IPC.
 */

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import * as z from "zod";
import { nodeLog } from "../adapters/runtime/log.ts";
import { memoryStorage } from "../adapters/storage/memory.ts";
import { sha256Hex } from "../src/core/hash.ts";
import { createHoldfast } from "../src/holdfast.ts";

const [which = "bare", key = ""] = process.argv.slice(2);

function bare(): Hono {
  const body = z.strictObject({
    logicalKey: z.string().min(1).max(1_024),
    payload: z.strictObject({
      type: z.literal("message"),
      recipient: z.email(),
      subject: z.string().min(1).max(998),
      text: z.string().min(1).max(100_000),
    }),
  });
  return new Hono().post("/v1/emails", async (c) => {
    const parsed = body.safeParse(await c.req.json());
    return parsed.success ? c.json({ created: true, job: parsed.data }, 201) : c.json({}, 422);
  });
}

async function holdfast(): Promise<Hono> {
  const { http } = await createHoldfast({ storage: memoryStorage() });
  const keys = [{ id: "bench", scopes: ["*" as const], sha256: sha256Hex(key) }];
  return http({ keys, log: nodeLog("info").log });
}

const app = which === "bare" ? bare() : await holdfast();
const listener = getRequestListener(app.fetch);
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : 0 });
});

let cpu = process.cpuUsage();
process.on("message", (asked) => {
  if (asked === "memory") {
    globalThis.gc?.();
    process.send?.(process.memoryUsage());
  } else if (asked === "cpu") {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1_000 });
  }
});
