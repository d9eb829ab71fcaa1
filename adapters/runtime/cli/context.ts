/** What commands that work on a storage itself open it with. */
import { type EmailKinds, emailKinds } from "../../../src/machines/emails/kinds.ts";
import type { StorageContext } from "../../../src/ports/backend.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { foreignEmailDue } from "../../../src/services/email-commands.ts";
import { dueOfBody } from "../../../src/store/record.ts";

/** With the kinds of the originals: whatever has another was written by us, and says when it is due. */
export function commandContext(): StorageContext & { readonly kinds: EmailKinds } {
  const kinds = emailKinds([]);
  return {
    kinds,
    clock: systemClock(),
    random: systemRandom(),
    observe: () => {},
    dueOf: dueOfBody(foreignEmailDue(kinds)),
  };
}
