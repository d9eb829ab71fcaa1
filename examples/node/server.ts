/** The shop as a process of Node, on a folder: its own routes, Holdfast's HTTP service, and the passes. */
import { serve } from "@hono/node-server";
import { createHoldfast } from "holdfast";
import { captureMailer } from "holdfast/mail/capture";
import { filesystemStorage } from "holdfast/storage/filesystem";
import { app, orders } from "../shop/shop.ts";

const { DATA_DIR = "./data", PAYMENTS_URL = "", HOLDFAST_KEYS = "[]", PORT = "8787" } = process.env;

const holdfast = await createHoldfast({
  storage: filesystemStorage({ directory: DATA_DIR }),
  app,
  // Into files; `smtpMailer` and others send.
  mail: { mailer: captureMailer({ directory: `${DATA_DIR}/mail` }), from: "shop@example.com" },
});
const service = holdfast.http({ keys: JSON.parse(HOLDFAST_KEYS) });

const server = serve(
  {
    port: Number(PORT),
    hostname: "127.0.0.1",
    fetch: (request) =>
      new URL(request.url).pathname === "/orders"
        ? orders(request, holdfast, PAYMENTS_URL)
        : service.fetch(request),
  },
  ({ port }) => console.log(`http://127.0.0.1:${port}`),
);

// What is due a minute later was due before: a pass that is cut off does no harm.
const passes = setInterval(() => void holdfast.reconcile().catch(console.error), 60_000);

process.once("SIGTERM", () => {
  clearInterval(passes);
  server.close(() => void holdfast.close());
});
