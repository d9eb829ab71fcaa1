/** Faults of receipts: dispatch, outcome, and the places of a workspace (protocols 6). */
import type { Mutant } from "./mutant.ts";

const OUTCOME = "src/machines/receipts/outcome.ts";
const DISPATCH = "src/machines/receipts/dispatch.ts";
const SCOPE = "src/machines/receipts/scope.ts";
const SCOPES = "src/services/receipt-scopes.ts";

export const RECEIPT_MUTANTS: readonly Mutant[] = [
  {
    name: "dispatch-owned-by-everybody",
    file: "src/services/receipt-methods.ts",
    text: "if (!isOwnedBy(live, token)) return { receipt, owned: false, dispatchToken: null };",
    replacement: "",
    law: "protocols 6.2: a dispatch that goes on already has one owner, who runs the effect",
    caughtBy: [{ tests: "services/receipts-memory", named: "its repeat is no owner" }],
  },
  {
    name: "dispatch-token-derived-from-the-operation",
    file: "src/services/receipt-tokens.ts",
    text: "const token = old ?? freshToken();",
    replacement: "const token = old ?? `of-${id}`;",
    law: "protocols 6.2, rule 2: a dispatch token is random, and never derived",
    caughtBy: [{ tests: "services/receipts-memory", named: "its repeat is no owner" }],
  },
  {
    name: "late-truth-over-an-operator",
    file: OUTCOME,
    text: `  return resolution === null
    ? apply(accepted(live, command, now, rules))`,
    replacement: `  return resolution !== undefined
    ? apply(accepted(live, command, now, rules))`,
    law: "protocols 6.2: an operator's answer stands for ever",
    caughtBy: [{ tests: "machines/receipts/outcome" }],
  },
  {
    name: "late-truth-never-taken",
    file: OUTCOME,
    text: `    case "outcome-unknown":
      return acceptLate(live, command, now, rules);`,
    replacement: `    case "outcome-unknown":
      return refuse(live, "invalid_receipt_state");`,
    law: "protocols 6.2: the owner's late truth fills an unknown outcome",
    caughtBy: [{ tests: "machines/receipts/outcome" }],
  },
  {
    name: "dispatch-recovered-without-margin",
    file: "src/machines/receipts/changes.ts",
    text: "return after(extra.dispatch.leaseUntil, rules.marginMs);",
    replacement: "return extra.dispatch.leaseUntil;",
    law: "protocols 6.2, rule 4: recovery waits for the lease and the margin",
    caughtBy: [{ simulation: "receipts", seeds: 4 }, { tests: "machines/receipts/dispatch" }],
  },
  {
    name: "live-dispatch-resolved",
    file: OUTCOME,
    text: 'if (receipt.state === "dispatching" && !isLapsed(live, now, rules)) {',
    replacement: 'if (receipt.state === "prepared") {',
    law: "protocols 6.2, rule 4: a live dispatch is answered `dispatch_live`",
    caughtBy: [{ tests: "machines/receipts/outcome" }],
  },
  {
    name: "live-dispatch-given-up-by-a-stranger",
    file: DISPATCH,
    text: "const may = isOwner(live, command.token) || isLapsed(live, now, rules);",
    replacement: "const may = true;",
    law: "protocols 6.2, rule 5: only its owner gives a live dispatch up",
    caughtBy: [{ tests: "machines/receipts/dispatch" }],
  },
  {
    name: "released-by-a-stranger",
    file: DISPATCH,
    text: 'if (live.receipt.state !== "dispatching" || !isOwner(live, token)) {',
    replacement: 'if (live.receipt.state !== "dispatching") {',
    law: "protocols 6.2: only the owner of a dispatch takes it back",
    caughtBy: [{ tests: "machines/receipts/dispatch" }],
  },
  {
    name: "another-result-accepted",
    file: OUTCOME,
    text: "if (result === undefined || !isSameResult(result, command.result)) {",
    replacement: "if (result === undefined) {",
    law: "G2: a second result is a conflict, the same again is a repeat",
    caughtBy: [{ tests: "machines/receipts/outcome" }],
  },
  {
    name: "place-reserved-without-an-entry",
    file: SCOPE,
    text: "    pend.set(nonce, { id, at: now });\n",
    replacement: "",
    law: "protocols 6.1: a plain counter loses a place with every crash",
    caughtBy: [{ tests: "machines/receipts/scope" }],
  },
  {
    name: "place-named-by-its-receipt",
    file: SCOPES,
    text: "    async reserve(workspaceId, id) {\n      const scope = scopeIdOf(workspaceId);\n      const nonce = freshNonce();",
    replacement:
      "    async reserve(workspaceId, id) {\n      const scope = scopeIdOf(workspaceId);\n      const nonce = id;",
    law: "protocols 6.1: every reservation has a name of its own",
    caughtBy: [{ tests: "services/receipts-capacity", named: "are never fewer than its receipts" }],
  },
  {
    name: "place-given-back-without-a-void-receipt",
    file: SCOPES,
    text: 'if (state === null || state.kind === "void") {',
    replacement: "if (state === null) return false;\n    if (false) {",
    law: "protocols 6.1: a creation is made impossible before its place is given back",
    caughtBy: [{ tests: "services/receipts-capacity", named: "are never fewer than its receipts" }],
  },
  {
    name: "place-given-back-twice",
    file: SCOPE,
    text: "return { used: Math.max(0, scope.used - 1), pend, out: { ...scope.out, [nonce]: id } };",
    replacement: "return { used: Math.max(0, scope.used - 1), pend, out: scope.out };",
    law: "protocols 6.1: what was given back is remembered until the tombstone says so",
    caughtBy: [{ simulation: "receipts", seeds: 4 }, { tests: "machines/receipts/scope" }],
  },
  {
    name: "capacity-not-looked-at",
    file: SCOPE,
    text: "if (used >= limit || pend.size >= PENDING_MAX) continue;",
    replacement: "if (pend.size >= PENDING_MAX) continue;",
    law: "protocols 6.1: live receipts ≤ used ≤ limit at every moment",
    caughtBy: [{ tests: "machines/receipts/scope" }],
  },
];
