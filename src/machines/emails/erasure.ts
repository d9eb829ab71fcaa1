/** Erasure on request: everything personal leaves a job at once, and for good. */
import { unreachable } from "../../core/assert.ts";
import { apply, type Decision, unchanged } from "../../core/machine.ts";
import { type EpochMs, isoTime } from "../../core/time.ts";
import { refuse } from "./changes.ts";
import type { EmailRejection } from "./commands.ts";
import type { EmailState, ErasedEmail, ExpiredEmail, LiveEmail } from "./record.ts";
import { remainsOf } from "./retention.ts";

/** Rejects `in_use` while the job is leased, also after that lease ran out; a repeat changes nothing. */
export function erase(state: EmailState, now: EpochMs): Decision<EmailState, EmailRejection> {
  switch (state.kind) {
    case "live":
      // Its holder has the content and may be sending it: "erased" would not be true yet.
      if (state.job.state === "sending") return refuse(state, "in_use");
      return apply<EmailState>(erased(state, now));
    case "expired":
      return apply<EmailState>(erased(state, now));
    case "erased":
      return unchanged<EmailState>(state);
    default:
      return unreachable(state);
  }
}

// The extras go, too: tokens, the caller's request id and the last settlement serve nobody any more.
function erased({ job }: LiveEmail | ExpiredEmail, now: EpochMs): ErasedEmail {
  return { kind: "erased", job: { ...remainsOf(job), updatedAt: isoTime(now) } };
}
