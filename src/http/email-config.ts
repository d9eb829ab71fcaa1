/** The routes of the email configuration: since when emails are made, and each scan's cursor. */
import * as schemas from "./email-schemas.ts";
import { reply, route } from "./route.ts";

export const configRoutes = {
  readConfig: route({
    id: "readEmailConfig",
    method: "GET",
    path: "/v1/email-config",
    scope: "emails:read",
    summary: "Since when emails are made, and each scan's cursor",
    description: "For the scans that find out which emails are to be made.",
    replies: { 200: schemas.configAnswer },
    problems: ["config_not_found", "record_corrupt"],
    async handle(call) {
      const config = await call.tenant.emails.config.read();
      if (config !== null) return reply(200, { config });
      return { problem: { code: "config_not_found", detail: "PUT /v1/email-config makes it" } };
    },
  }),

  ensureConfig: route({
    id: "ensureEmailConfig",
    method: "PUT",
    path: "/v1/email-config",
    scope: "emails:write",
    summary: "Make the configuration unless it is there",
    description:
      "The first call sets `enabledAt` to its own time; a repeat is answered with what is stored.",
    replies: { 201: schemas.configAnswer, 200: schemas.configAnswer },
    problems: ["record_corrupt"],
    async handle(call) {
      const { created: isNew, config } = await call.tenant.emails.config.ensure();
      return isNew ? reply(201, { config }) : reply(200, { config });
    },
  }),

  setCursor: route({
    id: "setEmailCursor",
    method: "PUT",
    path: "/v1/email-config/cursors/{name}",
    scope: "emails:write",
    summary: "Set one scan's cursor",
    description: "A repeat sets the same again.",
    example: { cursor: { createdAt: "2026-01-31T09:00:00.000Z", id: "share-1" } },
    body: schemas.cursorBody,
    replies: { 200: schemas.configAnswer },
    problems: ["config_not_found", "cursor_not_found", "record_corrupt"],
    async handle(call) {
      const { config } = call.tenant.emails;
      const name = call.params["name"] ?? "";
      return reply(200, { config: await config.setCursor(name, call.body.cursor) });
    },
  }),
};
