/** The routes of AI claims: who writes the text of a job that waits for one. */
import { epochMs, parseIsoTime } from "../core/time.ts";
import type { Job } from "../services/emails.ts";
import { claimed, keyOf, OF_A_JOB, ran } from "./email-answers.ts";
import * as schemas from "./email-schemas.ts";
import { reply, route } from "./route.ts";

export const claimRoutes = {
  claim: route({
    id: "claimEmail",
    method: "POST",
    path: "/v1/emails/{k}/ai-claims",
    scope: "emails:write",
    summary: "Claim a job that waits for its text",
    description:
      "`claimToken` is minted for each claim. A lost answer leaves a claim that can be taken over when it " +
      "is stale, also by its own claimant.",
    example: { claimant: "writer@example.com" },
    body: schemas.claimBody,
    replies: { 200: schemas.claimAnswer },
    problems: [...OF_A_JOB, "not_claimable"],
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
    summary: "Take over a claim that is stale",
    description:
      "Only a claim older than `staleBefore`; its claimant may take it over, too. The token is a new one.",
    example: { claimant: "writer@example.com", staleBefore: "2026-01-31T09:00:00.000Z" },
    body: schemas.reclaimBody,
    replies: { 200: schemas.claimAnswer },
    problems: [...OF_A_JOB, "not_claimable"],
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
    summary: "Hand in the text of a claimed job",
    description: "The job becomes ready. A repeat is refused by its state, `ready`.",
    example: { claimant: "writer@example.com", summary: "Two clips about whales." },
    body: schemas.completionBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "claim_lost", "record_too_large"],
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
    summary: "Give a claim back",
    description:
      "The job waits for its text again. A repeat is refused by its state, `awaiting_ai`.",
    example: { claimant: "writer@example.com" },
    body: schemas.releaseBody,
    replies: { 200: schemas.jobAnswer },
    problems: [...OF_A_JOB, "claim_lost"],
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
    summary: "Claim the job that has waited longest for its text",
    description:
      "204 when no job waits. A lost answer leaves a claim that can be taken over when it is stale.",
    example: { claimant: "writer@example.com" },
    body: schemas.claimBody,
    replies: { 200: schemas.claimAnswer, 204: null },
    problems: [],
    async handle(call) {
      const claim = await call.tenant.emails.emails.claimNextAwaitingAi(call.body.claimant);
      if (claim === null) return reply(204, null);
      const { claimToken, ...job } = claim;
      return reply(200, { job: job as Job, claimToken });
    },
  }),
};
