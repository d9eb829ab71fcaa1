/** What the document says of the routes of sending leases. */
import { LEASE_MS_MAX } from "../machines/emails/inputs.ts";
import { LAST_ERROR, OF_A_JOB, TOKEN } from "./document-parts.ts";
import * as replies from "./email-replies.ts";
import * as schemas from "./email-schemas.ts";
import { described, type RouteDocuments } from "./route-document.ts";

const DURATION = `Of the lease, from now, in milliseconds: 1 to ${LEASE_MS_MAX.toLocaleString("en")}.`;

const LEASE_TOKEN = "Of the lease, as its acquisition answered it.";

export const emailLeasesDocument = {
  leaseEmail: {
    summary: "Lease one job, due or not",
    description:
      "`leaseToken` is minted for each acquisition and is the only credential. The same `requestId` " +
      "while that lease stands gets the same lease.",
    example: { durationMs: 120_000 },
    body: described(schemas.leaseBody, {
      durationMs: DURATION,
      requestId: "The caller's own, unique per lease wanted: makes a repeat answer the same lease.",
    }),
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "not_leasable"],
  },

  leaseDueEmails: {
    summary: "Lease what is due, oldest first",
    description:
      "Ready jobs that are due, and leased ones whose lease ran out. One that has used its attempts is " +
      "failed instead. A lost answer costs its jobs one lease time.",
    example: { durationMs: 120_000, limit: 10 },
    body: described(schemas.leasesBody, { durationMs: DURATION, limit: "How many at most." }),
    replies: { 200: replies.leasedJobs },
    problems: [],
  },

  extendEmailLease: {
    summary: "Set the end of a lease",
    description: "From now, also if that is earlier; also after it ran out while nobody took it.",
    example: { leaseToken: TOKEN, durationMs: 120_000 },
    body: described(schemas.extensionBody, { leaseToken: LEASE_TOKEN, durationMs: DURATION }),
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "lease_lost"],
  },

  settleEmail: {
    summary: "End a lease: sent, to be tried again, cancelled or failed",
    description:
      "The same settlement again, while no later one happened, is answered and not written.",
    example: { leaseToken: TOKEN, to: "sent" },
    body: described(schemas.settlementBody, {
      leaseToken: LEASE_TOKEN,
      to: "`ready`: due again after a back-off.",
      lastError: LAST_ERROR,
    }),
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "lease_lost"],
  },
} as const satisfies RouteDocuments;
