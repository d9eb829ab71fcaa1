/** What the document says of the routes of AI claims. */
import { ADDRESS, OF_A_JOB } from "./document-parts.ts";
import * as replies from "./email-replies.ts";
import * as schemas from "./email-schemas.ts";
import { described, type Meta, type RouteDocuments } from "./route-document.ts";

const CLAIMANT: Meta = { description: "An email address; trimmed and lower-cased.", ...ADDRESS };

const CLAIM_TOKEN = "Of the claim. Without it the claimant's address alone decides.";

export const emailClaimsDocument = {
  claimEmail: {
    summary: "Claim a job that waits for its text",
    description:
      "`claimToken` is minted for each claim. A lost answer leaves a claim that can be taken over when it " +
      "is stale, also by its own claimant.",
    example: { claimant: "writer@example.com" },
    body: described(schemas.claimBody, { claimant: CLAIMANT }),
    replies: { 200: replies.claimAnswer },
    problems: [...OF_A_JOB, "not_claimable"],
  },

  reclaimEmail: {
    summary: "Take over a claim that is stale",
    description:
      "Only a claim older than `staleBefore`; its claimant may take it over, too. The token is a new one.",
    example: { claimant: "writer@example.com", staleBefore: "2026-01-31T09:00:00.000Z" },
    body: described(schemas.reclaimBody, {
      claimant: CLAIMANT,
      staleBefore: "Claims older than this may be taken over; 1970 to 2286.",
    }),
    replies: { 200: replies.claimAnswer },
    problems: [...OF_A_JOB, "not_claimable"],
  },

  completeEmailClaim: {
    summary: "Hand in the text of a claimed job",
    description: "The job becomes ready. A repeat is refused by its state, `ready`.",
    example: { claimant: "writer@example.com", summary: "Two clips about whales." },
    body: described(schemas.completionBody, {
      claimant: CLAIMANT,
      summary: "The text.",
      claimToken: CLAIM_TOKEN,
    }),
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "claim_lost", "record_too_large"],
  },

  releaseEmailClaim: {
    summary: "Give a claim back",
    description:
      "The job waits for its text again. A repeat is refused by its state, `awaiting_ai`.",
    example: { claimant: "writer@example.com" },
    body: described(schemas.releaseBody, { claimant: CLAIMANT, claimToken: CLAIM_TOKEN }),
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "claim_lost"],
  },

  claimNextEmail: {
    summary: "Claim the job that has waited longest for its text",
    description:
      "204 when no job waits. A lost answer leaves a claim that can be taken over when it is stale.",
    example: { claimant: "writer@example.com" },
    body: described(schemas.claimBody, { claimant: CLAIMANT }),
    replies: { 200: replies.claimAnswer, 204: null },
    problems: [],
  },
} as const satisfies RouteDocuments;
