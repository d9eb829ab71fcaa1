/** `holdfast receipts`: its commands, their options and their help. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { measureJson, membersOf } from "../../../src/http/json-text.ts";
import {
  RECEIPT_STATES,
  RESOLUTIONS,
  type ResolutionOutcome,
} from "../../../src/machines/receipts/fields.ts";
import { RECEIPTS_PAGE_DEFAULT, RECEIPTS_PAGE_MAX } from "../../../src/machines/receipts/inputs.ts";
import { type Asked, pageLimit } from "./asked.ts";
import {
  eraseReceipt,
  listReceipts,
  type ReceiptListing,
  recoverReceipts,
  resolveReceipt,
  showReceipt,
} from "./receipts.ts";

interface Resolving {
  readonly result?: { readonly json: unknown };
  readonly by?: string;
  readonly note?: string;
}

export function addReceipts(receipts: Command, asked: Asked): void {
  receipts
    .command("list")
    .description("a page of receipts")
    .addOption(
      new Option("--state <state>", "only these; outcome-unknown has the resolved, too").choices(
        RECEIPT_STATES,
      ),
    )
    .option(
      "--limit <n>",
      `of one page, 1 to ${RECEIPTS_PAGE_MAX}`,
      pageLimit(RECEIPTS_PAGE_MAX),
      RECEIPTS_PAGE_DEFAULT,
    )
    .option("--cursor <cursor>", "where the page before ended")
    .action((options: ReceiptListing) =>
      asked((client, out) => listReceipts(client, options, out)),
    );
  const id = new Argument("<id>", "its 64 hex digits");
  receipts
    .command("show")
    .description("one receipt, whole, with late reports")
    .addArgument(id)
    .action((receipt: string) => asked((client, out) => showReceipt(client, receipt, out)));
  receipts
    .command("resolve")
    .description("say what came of an unknown outcome; the first answer stands for ever")
    .addArgument(id)
    .addArgument(new Argument("<outcome>", "what came of it").choices(RESOLUTIONS))
    .option("--result <json>", "what the operation resulted in; happened needs it", jsonValue)
    .option("--by <who>", "who says so, written behind the id of the key")
    .option("--note <text>", "why, for other people")
    .addHelpText("after", RESOLVING)
    .action((receipt: string, outcome: ResolutionOutcome, { result, ...beside }: Resolving) => {
      if ((outcome === "happened") !== (result !== undefined)) {
        receipts.error("error: happened needs a --result, and nothing else takes one");
      }
      const said = outcome === "happened" ? { outcome, result: result?.json } : { outcome };
      return asked((client, out) => resolveReceipt(client, receipt, { ...said, ...beside }, out));
    });
  receipts
    .command("erase")
    .description("replace a receipt by a tombstone; its operation never runs again")
    .addArgument(id)
    .addHelpText("after", ERASING)
    .action((receipt: string) => asked((client, out) => eraseReceipt(client, receipt, out)));
  receipts
    .command("recover")
    .description("make lapsed dispatches unknown; every pass does so by itself")
    .action(() => asked(recoverReceipts));
}

const RESOLVING = `
did_not_happen does not reopen the operation: its caller takes a new id.
Of a receipt that the Idempotency-Key middleware made (tool http), the result
is the response to send from now on, such as
  {"status":201,"headers":[["content-type","text/plain"]],"body":{"encoding":"text","data":"done"}}`;

const ERASING = `
What stays is its id, the hash of its payload, and what came of the operation.
A receipt that is dispatching is not erased: wait for its outcome.`;

/**
 * In an object: commander makes an empty text of a bare null. As strict as the service with a body, which
 * here would see only what was made of the text.
 */
function jsonValue(text: string): { readonly json: unknown } {
  const { members, isExact } = measureJson(text);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("It must be JSON.");
  }
  if (membersOf(json) !== members) throw new InvalidArgumentError("A property occurs twice in it.");
  if (isExact) return { json };
  throw new InvalidArgumentError("A double does not keep one of its integers: write it in quotes.");
}
