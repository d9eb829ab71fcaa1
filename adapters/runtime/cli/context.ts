/** What commands that work on a storage itself open it with. */
import type { StorageContext } from "../../../src/ports/backend.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { type Originals, originalDue, plainOriginals } from "../../../src/services/originals.ts";
import { dueOfBody } from "../../../src/store/record.ts";

export function commandContext(): StorageContext & { readonly originals: Originals } {
  const originals = plainOriginals();
  return {
    originals,
    clock: systemClock(),
    random: systemRandom(),
    observe: () => {},
    dueOf: dueOfBody(originalDue(originals)),
  };
}
