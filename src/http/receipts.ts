/** The receipt routes: each is one command of the receipt machine. */
import { durationMs } from "../core/time.ts";
import type { LiveReceiptCommand } from "../machines/receipts/commands.ts";
import { DISPATCH_LEASE_MS, RECEIPTS_PAGE_DEFAULT } from "../machines/receipts/inputs.ts";
import type { ReceiptOutcome } from "../services/receipt-commands.ts";
import { isOwnedBy, renewedAs } from "../services/receipt-methods.ts";
import { dispatchedWith } from "../services/receipt-tokens.ts";
import { receiptProblem } from "./problem.ts";
import * as schemas from "./receipt-schemas.ts";
import { type RawCall, reply, route } from "./route.ts";

type ReceiptCall = Omit<RawCall, "json" | "query">;

export const receiptRoutes = {
  prepare: route({
    id: "prepareReceipt",
    method: "POST",
    path: "/v1/receipts",
    scope: "receipts:write",
    body: schemas.prepareBody,
    async handle(call) {
      const { receipts } = call.tenant;
      const checked = receipts.request(call.body);
      const outcome = await receipts.prepare({ kind: "prepare", ...checked, dispatch: null });
      if (outcome.kind === "rejected") return { problem: receiptProblem(outcome.rejection) };
      const { created, receipt } = outcome;
      return created ? reply(201, { created, receipt }) : reply(200, { created, receipt });
    },
  }),

  list: route({
    id: "listReceipts",
    method: "GET",
    path: "/v1/receipts",
    scope: "receipts:read",
    gate: "heavy",
    query: schemas.listQuery,
    async handle(call) {
      const { limit = RECEIPTS_PAGE_DEFAULT, cursor = null, state = null } = call.query;
      const page = await call.tenant.receipts.lists.page({ limit, cursor, state });
      const receipts = page.receipts.toSorted(
        (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
      );
      return reply(200, { ...page, receipts });
    },
  }),

  read: route({
    id: "readReceipt",
    method: "GET",
    path: "/v1/receipts/{id}",
    scope: "receipts:read",
    async handle(call) {
      const { commands, notes } = call.tenant.receipts;
      const found = await commands.read(idOf(call));
      if (found.kind === "rejected") return { problem: receiptProblem(found.rejection) };
      const { receipt } = found;
      // There are none but of a resolved one.
      const late = receipt.resolution === undefined ? [] : await notes.read(receipt.id);
      return reply(200, { receipt, notes: late });
    },
  }),

  dispatch: route({
    id: "dispatchReceipt",
    method: "POST",
    path: "/v1/receipts/{id}/dispatches",
    scope: "receipts:write",
    body: schemas.dispatchBody,
    async handle(call) {
      const { commands, tokens } = call.tenant.receipts;
      const { dispatchToken, leaseMs = DISPATCH_LEASE_MS } = call.body;
      async function told(token: string, isOld: boolean) {
        const by = { token, leaseMs: durationMs(leaseMs) };
        const outcome = await commands.run(idOf(call), { kind: "dispatch", ...by });
        if (outcome.kind === "rejected") return { problem: receiptProblem(outcome.rejection) };
        const { live, receipt } = isOld ? await renewedAs(commands, outcome, by) : outcome;
        const owned = isOwnedBy(live, token);
        return reply(200, { receipt, owned, dispatchToken: owned ? token : null });
      }
      if (dispatchToken !== undefined) return told(dispatchToken, false);
      // One whose reply was lost was told to nobody: it is the next caller's.
      const fresh = { id: commands.idOf(idOf(call)), freshToken: commands.freshToken };
      return dispatchedWith(tokens, fresh, told);
    },
  }),

  renew: route({
    id: "renewDispatch",
    method: "POST",
    path: "/v1/receipts/{id}/dispatch-renewals",
    scope: "receipts:write",
    body: schemas.renewalBody,
    handle(call) {
      const { dispatchToken: token, leaseMs } = call.body;
      return ran(call, { kind: "renew", token, leaseMs: durationMs(leaseMs) });
    },
  }),

  accept: route({
    id: "acceptReceipt",
    method: "POST",
    path: "/v1/receipts/{id}/acceptances",
    scope: "receipts:write",
    body: schemas.acceptanceBody,
    async handle(call) {
      const { result, dispatchToken: token = null } = call.body;
      return shown(await call.tenant.receipts.report(idOf(call), { result, token }));
    },
  }),

  complete: route({
    id: "completeReceipt",
    method: "POST",
    path: "/v1/receipts/{id}/completions",
    scope: "receipts:write",
    handle: (call) => ran(call, { kind: "complete" }),
  }),

  unknown: route({
    id: "markReceiptUnknown",
    method: "POST",
    path: "/v1/receipts/{id}/unknowns",
    scope: "receipts:write",
    body: schemas.unknownBody,
    handle: (call) => ran(call, { kind: "unknown", token: call.body.dispatchToken ?? null }),
  }),

  resolve: route({
    id: "resolveReceipt",
    method: "POST",
    path: "/v1/receipts/{id}/resolutions",
    scope: "receipts:write",
    body: schemas.resolutionBody,
    async handle(call) {
      const { commands, resultFor } = call.tenant.receipts;
      const { body } = call;
      const { keyId } = call.caller;
      // What a key's holder says of itself never stands in place of the key.
      const by = body.by === undefined ? keyId : `${keyId}/${body.by}`;
      const said = { kind: "resolve", by, note: body.note ?? null } as const;
      if (body.outcome !== "happened") return ran(call, { ...said, outcome: body.outcome });
      const checked = await resultFor(idOf(call), body.result);
      if (checked.kind === "rejected") return shown(checked);
      const { ref, result } = checked;
      return shown(await commands.run(ref, { ...said, outcome: body.outcome, result }));
    },
  }),

  recover: route({
    id: "recoverReceipts",
    method: "POST",
    path: "/v1/receipt-recoveries",
    scope: "ops",
    body: schemas.recoveryBody,
    async handle(call) {
      const { limit = RECEIPTS_PAGE_DEFAULT, cursor = null } = call.body;
      return reply(200, await call.tenant.receipts.due.recover({ limit, cursor }));
    },
  }),
};

function idOf({ params }: ReceiptCall): string {
  return params["id"] ?? "";
}

async function ran(call: ReceiptCall, command: LiveReceiptCommand) {
  return shown(await call.tenant.receipts.commands.run(idOf(call), command));
}

function shown(outcome: ReceiptOutcome) {
  return outcome.kind === "rejected"
    ? { problem: receiptProblem(outcome.rejection) }
    : reply(200, { receipt: outcome.receipt });
}
