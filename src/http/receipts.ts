/** The receipt routes: each is one command of the receipt machine. */
import * as z from "zod";
import { durationMs } from "../core/time.ts";
import type { LiveReceiptCommand } from "../machines/receipts/commands.ts";
import { RECEIPT_STATES } from "../machines/receipts/fields.ts";
import {
  DISPATCH_LEASE_MS,
  RECEIPTS_PAGE_DEFAULT,
  RECEIPTS_PAGE_MAX,
} from "../machines/receipts/inputs.ts";
import type { ReceiptOutcome } from "../services/receipt-commands.ts";
import { isOwnedBy, renewedAs } from "../services/receipt-methods.ts";
import { dispatchedWith } from "../services/receipt-tokens.ts";
import { cursorQuery } from "./email-schemas.ts";
import { type ProblemCode, receiptProblem } from "./problem.ts";
import * as schemas from "./receipt-schemas.ts";
import { queryNumber, type RawCall, reply, route } from "./route.ts";

type ReceiptCall = Omit<RawCall, "json" | "query">;

/** Refusals of every route on one receipt. */
const OF_A_RECEIPT = [
  "receipt_not_found",
  "operation_expired",
  "record_corrupt",
] as const satisfies ProblemCode[];

export const receiptRoutes = {
  prepare: route({
    id: "prepareReceipt",
    method: "POST",
    path: "/v1/receipts",
    scope: "receipts:write",
    summary: "Bind an operation to its payload, once",
    description:
      "The first call creates the receipt (201); every later one with the same payload is answered with " +
      "the stored one (200), whatever its state. Prepare before the side effect; dispatch, run it, and " +
      "tell its outcome.",
    example: { workspaceId: "shop", operationId: "charge-1001", payload: { amount: 4_200 } },
    body: schemas.prepareBody,
    replies: { 201: schemas.preparedReceipt, 200: schemas.preparedReceipt },
    problems: [
      "operation_receipt_conflict",
      "operation_receipt_capacity",
      "operation_expired",
      "record_corrupt",
    ],
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
    summary: "A page of receipts",
    description:
      "Within a page by creation time, then id; the pages follow each other in the storage's order. " +
      "What was there throughout a walk is met exactly once.",
    query: z.strictObject({
      state: z
        .enum(RECEIPT_STATES)
        .exactOptional()
        .describe("Only receipts in it; `outcome-unknown` has the resolved ones, too."),
      limit: queryNumber(1, RECEIPTS_PAGE_MAX)
        .exactOptional()
        .describe("Receipts at most, 1 to 128; default 64."),
      cursor: cursorQuery,
    }),
    replies: { 200: schemas.receiptPage },
    problems: ["invalid_cursor"],
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
    summary: "One receipt, and what came too late for it",
    description: "What is known of the operation; a person's resolution, where there is one.",
    replies: { 200: schemas.notedReceipt },
    problems: OF_A_RECEIPT,
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
    summary: "Take the right to run the side effect",
    description:
      "`owned` tells the one caller that runs it. With a `dispatchToken` of its own, fresh for this call, " +
      "a repeat is told the same; without one it is minted. Run it only before the lease is over.",
    example: { dispatchToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55", leaseMs: 60_000 },
    body: schemas.dispatchBody,
    replies: { 200: schemas.dispatchAnswer },
    problems: [...OF_A_RECEIPT, "invalid_receipt_state"],
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
    summary: "Set the end of a dispatch's lease",
    description: "From now, also if that is earlier; also after it ran out while nobody took it.",
    example: { dispatchToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55", leaseMs: 60_000 },
    body: schemas.renewalBody,
    replies: { 200: schemas.receiptAnswer },
    problems: [...OF_A_RECEIPT, "dispatch_lost"],
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
    summary: "Tell what came of the side effect",
    description:
      "By the owner of the dispatch, also while the outcome is unknown and nobody has resolved it. The " +
      "same result again is answered and not written. After a resolution the report is kept as a note.",
    example: {
      result: { chargeId: "ch_1" },
      dispatchToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
    },
    body: schemas.acceptanceBody,
    replies: { 200: schemas.receiptAnswer },
    problems: [
      ...OF_A_RECEIPT,
      "dispatch_lost",
      "invalid_receipt_state",
      "already_resolved",
      "operation_receipt_conflict",
    ],
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
    summary: "Make an accepted receipt terminal",
    description: "Its result stays; a repeat changes nothing.",
    replies: { 200: schemas.receiptAnswer },
    problems: [...OF_A_RECEIPT, "invalid_receipt_state"],
    handle: (call) => ran(call, { kind: "complete" }),
  }),

  unknown: route({
    id: "markReceiptUnknown",
    method: "POST",
    path: "/v1/receipts/{id}/unknowns",
    scope: "receipts:write",
    summary: "Say that nobody can tell what came of it",
    description: "By the owner at once; by anybody else when the dispatch has lapsed.",
    example: { dispatchToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55" },
    body: schemas.unknownBody,
    replies: { 200: schemas.receiptAnswer },
    problems: [...OF_A_RECEIPT, "dispatch_lost", "invalid_receipt_state"],
    handle: (call) => ran(call, { kind: "unknown", token: call.body.dispatchToken ?? null }),
  }),

  resolve: route({
    id: "resolveReceipt",
    method: "POST",
    path: "/v1/receipts/{id}/resolutions",
    scope: "receipts:write",
    summary: "A person's answer to an unknown outcome",
    description:
      "The first answer stands for ever; the same again, by whatever key, is answered as before. " +
      "`did_not_happen` does not reopen the operation: its caller takes a new id. The state stays " +
      "`outcome-unknown`, with the answer as `resolution`. A receipt that the `Idempotency-Key` middleware " +
      "made has the tool `http`; its result is the response that its caller is sent from then on: `status`, " +
      "`headers` (pairs of name and value) and `body` (`encoding`: `text` or `base64`, and `data`; or null: " +
      "not kept).",
    example: { outcome: "did_not_happen", note: "the provider has no such charge" },
    body: schemas.resolutionBody,
    replies: { 200: schemas.receiptAnswer },
    problems: [...OF_A_RECEIPT, "invalid_receipt_state", "dispatch_live", "already_resolved"],
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
    summary: "Make lapsed dispatches unknown",
    description:
      "One page of what is due; a live dispatch is never touched. Every pass does the same by itself.",
    example: { limit: 64 },
    body: z.strictObject({
      cursor: cursorQuery,
      limit: z
        .int()
        .min(1)
        .max(RECEIPTS_PAGE_MAX)
        .exactOptional()
        .describe("Entries at most, 1 to 128; default 64."),
    }),
    replies: { 200: schemas.recoveryAnswer },
    problems: ["invalid_cursor"],
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
