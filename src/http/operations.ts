/** What an operator asks: how much waits, what is stuck, what must be forgotten. */
import * as z from "zod";
import { cursorQuery, KEY_TEXT, nextCursor, time } from "./email-schemas.ts";
import { emailProblem } from "./problem.ts";
import { queryNumber, reply, route } from "./route.ts";

const queueHealth = z
  .object({
    due: z.int().describe("Records due now, at most 1,000."),
    more: z.boolean().describe("Whether there are more than `due` says."),
    oldestDueAt: z
      .union([time, z.null()])
      .describe("Since when the oldest of them is due; null when nothing is."),
  })
  .meta({ id: "QueueHealth" });

const machineHealth = z
  .object({
    deliver: queueHealth.describe("Ready, or leased and run out."),
    attend: queueHealth.describe("Everything else that waits for time."),
    stuck: queueHealth.describe("Waits for a person."),
    counters: z
      .object({
        corruptRecords: z.int().describe("Unreadable records met; one may be met often."),
        contended: z.int().describe("Writes given up because others kept changing the record."),
        unknownOutcomes: z.int().describe("Writes of which nobody knows whether they happened."),
        leasesLost: z.int().describe("Calls with the token of a lease that was not current."),
      })
      .describe("What this process met since it started."),
  })
  .meta({ id: "MachineHealth" });

const stuckItem = z
  .object({
    machine: z.literal("emails"),
    id: z.string().describe("Names the record in every route of its machine."),
    state: z.string().describe("`unreadable` for a record that cannot be read."),
    since: time,
    why: z.string().describe("Nothing of the record's content."),
    action: z.string().describe("What a person can do about it."),
  })
  .meta({ id: "StuckItem" });

const erased = z
  .object({
    machine: z.literal("emails"),
    id: z.string().describe("Names what is left of the record in every route of its machine."),
    state: z.string().describe("In which it was."),
    updatedAt: time.describe("When it was erased."),
  })
  .meta({ id: "Erased" });

export const operationRoutes = {
  health: route({
    id: "health",
    method: "GET",
    path: "/v1/health",
    scope: "any",
    summary: "How much waits, from the due index alone",
    description:
      "Of the caller's tenant. It costs the same whatever is stored; an index may lag, so some of what " +
      "it tells may have been dealt with.",
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
    description:
      "Failed jobs, and claims and jobs that have waited too long. Nothing of their content is told.",
    query: z.strictObject({
      limit: queryNumber(1, 100).exactOptional().describe("Items at most, 1 to 100; default 50."),
      cursor: cursorQuery,
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

  erase: route({
    id: "erase",
    method: "POST",
    path: "/v1/erasures",
    scope: "ops",
    summary: "Replace a record's personal content by a tombstone",
    description:
      "The record keeps its id, state and times. Afterwards everything under its key answers 410, and " +
      "it never runs again. Erasing it again changes nothing and is answered as before.",
    example: { email: "welcome:ann@example.com" },
    body: z.strictObject({
      email: z
        .string()
        .meta({ description: "A logical key, or `sha256:` and an id.", ...KEY_TEXT }),
    }),
    replies: { 200: erased },
    problems: ["job_not_found", "in_use", "record_corrupt"],
    async handle(call) {
      const outcome = await call.tenant.emails.commands.erase(call.body.email);
      if (outcome.kind === "rejected") return { problem: emailProblem(outcome.rejection) };
      const { id, state, updatedAt } = outcome.job;
      return reply(200, { machine: "emails" as const, id: `sha256:${id}`, state, updatedAt });
    },
  }),
};
