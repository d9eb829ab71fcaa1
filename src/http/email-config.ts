/** The routes of the email configuration: since when emails are made, and each scan's cursor. */
import * as schemas from "./email-schemas.ts";
import { reply, route } from "./route.ts";

export const configRoutes = {
  readConfig: route({
    id: "readEmailConfig",
    method: "GET",
    path: "/v1/email-config",
    scope: "emails:read",
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
    body: schemas.cursorBody,
    async handle(call) {
      const { config } = call.tenant.emails;
      const name = call.params["name"] ?? "";
      return reply(200, { config: await config.setCursor(name, call.body.cursor) });
    },
  }),
};
