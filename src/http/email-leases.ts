/** The routes of sending leases: acquire, extend, settle. */
import * as z from "zod";
import { durationMs } from "../core/time.ts";
import { OF_A_JOB, ran } from "./email-answers.ts";
import * as schemas from "./email-schemas.ts";
import { reply, route } from "./route.ts";

export const leaseRoutes = {
  lease: route({
    id: "leaseEmail",
    method: "POST",
    path: "/v1/emails/{k}/leases",
    scope: "emails:write",
    summary: "Lease one job, due or not",
    description:
      "`leaseToken` is minted for each acquisition and is the only credential. The same `requestId` " +
      "while that lease stands gets the same lease.",
    example: { durationMs: 120_000 },
    body: schemas.leaseBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "not_leasable"],
    handle(call) {
      const { durationMs: leaseMs, requestId = null } = call.body;
      const leaseToken = call.tenant.emails.commands.freshToken();
      return ran(call, { kind: "acquire", leaseMs: durationMs(leaseMs), requestId, leaseToken });
    },
  }),

  leaseDue: route({
    id: "leaseDueEmails",
    method: "POST",
    path: "/v1/email-leases",
    scope: "emails:write",
    gate: "heavy",
    summary: "Lease what is due, oldest first",
    description:
      "Ready jobs that are due, and leased ones whose lease ran out. One that has used its attempts is " +
      "failed instead. A lost answer costs its jobs one lease time.",
    example: { durationMs: 120_000, limit: 10 },
    body: schemas.leasesBody,
    replies: {
      200: z.object({ jobs: z.array(schemas.job).readonly() }).meta({ id: "LeasedJobs" }),
    },
    problems: [],
    async handle(call) {
      const jobs = await call.tenant.emails.emails.acquireDueLeases(call.body);
      return reply(200, { jobs });
    },
  }),

  extend: route({
    id: "extendEmailLease",
    method: "POST",
    path: "/v1/emails/{k}/lease-extensions",
    scope: "emails:write",
    summary: "Set the end of a lease",
    description: "From now, also if that is earlier; also after it ran out while nobody took it.",
    example: { leaseToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55", durationMs: 120_000 },
    body: schemas.extensionBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "lease_lost"],
    handle(call) {
      const { leaseToken, durationMs: leaseMs } = call.body;
      return ran(call, { kind: "extend", leaseToken, leaseMs: durationMs(leaseMs) });
    },
  }),

  settle: route({
    id: "settleEmail",
    method: "POST",
    path: "/v1/emails/{k}/settlements",
    scope: "emails:write",
    summary: "End a lease: sent, to be tried again, cancelled or failed",
    description:
      "The same settlement again, while no later one happened, is answered and not written.",
    example: { leaseToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55", to: "sent" },
    body: schemas.settlementBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "lease_lost"],
    handle: (call) => ran(call, { kind: "settle", ...call.body }),
  }),
};
