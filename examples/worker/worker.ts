/** The shop as a Cloudflare Worker, over an R2 bucket: Holdfast's handlers with its application, and its own route. */
import { createHoldfast } from "holdfast";
import { type R2Binding, r2Storage } from "holdfast/storage/r2";
import { worker } from "holdfast/worker";
import { app, orders } from "../shop/shop.ts";

interface Env {
  readonly HOLDFAST_BUCKET: R2Binding;
  readonly PAYMENTS_URL: string;
}

const { fetch, scheduled } = worker({ app });

// biome-ignore lint/style/noDefaultExport: the form of a module Worker
export default {
  scheduled,
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/orders") return fetch(request, env);
    // Anew for each request: what one has begun, another must not wait for.
    const storage = r2Storage({ bucket: env.HOLDFAST_BUCKET });
    return orders(request, await createHoldfast({ storage, app }), env.PAYMENTS_URL);
  },
};
