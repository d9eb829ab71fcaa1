/** What the document says of the routes of the email configuration. */
import * as replies from "./email-replies.ts";
import * as schemas from "./email-schemas.ts";
import { described, type RouteDocuments } from "./route-document.ts";

export const emailConfigDocument = {
  readEmailConfig: {
    summary: "Since when emails are made, and each scan's cursor",
    description: "For the scans that find out which emails are to be made.",
    replies: { 200: replies.configAnswer },
    problems: ["config_not_found", "record_corrupt"],
  },

  ensureEmailConfig: {
    summary: "Make the configuration unless it is there",
    description:
      "The first call sets `enabledAt` to its own time; a repeat is answered with what is stored.",
    replies: { 201: replies.configAnswer, 200: replies.configAnswer },
    problems: ["record_corrupt"],
  },

  setEmailCursor: {
    summary: "Set one scan's cursor",
    description: "A repeat sets the same again.",
    example: { cursor: { createdAt: "2026-01-31T09:00:00.000Z", id: "share-1" } },
    body: described(schemas.cursorBody, {
      cursor: "The last row seen; null: begin again at `enabledAt`.",
    }),
    replies: { 200: replies.configAnswer },
    problems: ["config_not_found", "cursor_not_found", "record_corrupt"],
  },
} as const satisfies RouteDocuments;
