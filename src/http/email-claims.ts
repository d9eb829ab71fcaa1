/** The routes of AI claims: who writes the text of a job that waits for one. */
import { epochMs, parseIsoTime } from "../core/time.ts";
import type { Job } from "../services/emails.ts";
import { claimed, keyOf, ran } from "./email-answers.ts";
import * as schemas from "./email-schemas.ts";
import { reply, route } from "./route.ts";

export const claimRoutes = {
  claim: route({
    id: "claimEmail",
    method: "POST",
    path: "/v1/emails/{k}/ai-claims",
    scope: "emails:write",
    body: schemas.claimBody,
    async handle(call) {
      const { commands } = call.tenant.emails;
      const claimToken = commands.freshToken();
      const { claimant } = call.body;
      return claimed(
        call,
        await commands.run(keyOf(call), { kind: "claim", claimant, claimToken }),
      );
    },
  }),

  reclaim: route({
    id: "reclaimEmail",
    method: "POST",
    path: "/v1/emails/{k}/ai-reclaims",
    scope: "emails:write",
    body: schemas.reclaimBody,
    async handle(call) {
      const { commands } = call.tenant.emails;
      const { claimant, staleBefore } = call.body;
      return claimed(
        call,
        await commands.run(keyOf(call), {
          kind: "reclaim",
          claimant,
          staleBefore: parseIsoTime(staleBefore) ?? epochMs(0),
          claimToken: commands.freshToken(),
        }),
      );
    },
  }),

  complete: route({
    id: "completeEmailClaim",
    method: "POST",
    path: "/v1/emails/{k}/ai-completions",
    scope: "emails:write",
    body: schemas.completionBody,
    handle(call) {
      const { claimToken = null, ...body } = call.body;
      return ran(call, { kind: "completeClaim", ...body, claimToken });
    },
  }),

  release: route({
    id: "releaseEmailClaim",
    method: "POST",
    path: "/v1/emails/{k}/ai-releases",
    scope: "emails:write",
    body: schemas.releaseBody,
    handle(call) {
      const { claimant, claimToken = null } = call.body;
      return ran(call, { kind: "releaseClaim", claimant, claimToken });
    },
  }),

  claimNext: route({
    id: "claimNextEmail",
    method: "POST",
    path: "/v1/email-ai-claims",
    scope: "emails:write",
    body: schemas.claimBody,
    async handle(call) {
      const claim = await call.tenant.emails.batches.claimNextAwaitingAi(call.body.claimant);
      if (claim === null) return reply(204, null);
      const { claimToken, ...job } = claim;
      return reply(200, { job: job as Job, claimToken });
    },
  }),
};
