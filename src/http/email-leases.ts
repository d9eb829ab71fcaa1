/** The routes of sending leases: acquire, extend, settle. */
import { durationMs } from "../core/time.ts";
import { ran } from "./email-answers.ts";
import * as schemas from "./email-schemas.ts";
import { reply, route } from "./route.ts";

export const leaseRoutes = {
  lease: route({
    id: "leaseEmail",
    method: "POST",
    path: "/v1/emails/{k}/leases",
    scope: "emails:write",
    body: schemas.leaseBody,
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
    body: schemas.leasesBody,
    async handle(call) {
      const jobs = await call.tenant.emails.batches.acquireDueLeases(call.body);
      return reply(200, { jobs });
    },
  }),

  extend: route({
    id: "extendEmailLease",
    method: "POST",
    path: "/v1/emails/{k}/lease-extensions",
    scope: "emails:write",
    body: schemas.extensionBody,
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
    body: schemas.settlementBody,
    handle: (call) => ran(call, { kind: "settle", ...call.body }),
  }),
};
