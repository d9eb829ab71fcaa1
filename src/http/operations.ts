/** What an operator asks: how much waits, what is stuck, what must be forgotten. */
import * as z from "zod";
import { nextCursor } from "./email-schemas.ts";
import { queryNumber, reply, route } from "./route.ts";

const queueHealth = z
  .object({
    due: z.int().describe("Records due now, at most 1,000."),
    more: z.boolean().describe("Whether there are more than `due` says."),
    oldestDueAt: z.string().nullable(),
  })
  .meta({ id: "QueueHealth" });

const machineHealth = z
  .object({
    deliver: queueHealth.describe("Ready, or leased and run out."),
    attend: queueHealth.describe("Everything else that waits for time."),
    stuck: queueHealth.describe("Waits for a person."),
    counters: z
      .object({
        corruptRecords: z.int(),
        contended: z.int(),
        unknownOutcomes: z.int(),
        leasesLost: z.int(),
      })
      .describe("What this process met since it started."),
  })
  .meta({ id: "MachineHealth" });

const stuckItem = z
  .object({
    machine: z.literal("emails"),
    id: z.string().describe("Names the record in every route of its machine."),
    state: z.string(),
    since: z.string(),
    why: z.string(),
    action: z.string().describe("What a person can do about it."),
  })
  .meta({ id: "StuckItem" });

export const operationRoutes = {
  health: route({
    id: "health",
    method: "GET",
    path: "/v1/health",
    scope: "any",
    summary: "How much waits, from the due index alone",
    replies: { 200: z.object({ emails: machineHealth }).meta({ id: "Health" }) },
    problems: [],
    handle: async (call) => reply(200, await call.tenant.operations.health()),
  }),

  stuck: route({
    id: "stuck",
    method: "GET",
    path: "/v1/stuck",
    scope: "ops",
    summary: "What waits for a person, why, and what to do",
    query: z.strictObject({
      limit: queryNumber(1, 100).exactOptional(),
      cursor: z.string().max(4_096).exactOptional(),
    }),
    replies: {
      200: z.object({ items: z.array(stuckItem).readonly(), nextCursor }).meta({ id: "StuckPage" }),
    },
    problems: ["invalid_cursor"],
    async handle(call) {
      const { limit = 50, cursor = null } = call.query;
      return reply(200, await call.tenant.operations.stuck({ limit, cursor }));
    },
  }),
};
