/** Who is mailed at all. */
import * as z from "zod/mini";
import { ADDRESS_CHARS_MAX } from "../../core/mailbox.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { address } from "../../machines/emails/fields.ts";

/** What development sessions of old were signed in as. */
const RETIRED_LOCAL_IDENTITY = "local@localhost";

/** Reserved for tests (RFC 2606); `example.test` is one of the first. */
const TEST_DOMAIN = /\.(?:test|invalid)$/;

const validAddress = address.check(z.maxLength(ADDRESS_CHARS_MAX));

/** The address that is mailed for `given`, trimmed and lower-case; null for one that is not. */
export type Mailable = (given: string) => string | null;

/**
 * Whether `given` is never mailed about recordings (semantics A7): what is no address, the identity that
 * local development had, and robots: `+qa` before the `@` of a reserved test domain.
 */
export function isSuppressedRecipient(given: string): boolean {
  const recipient = given.trim().toLowerCase();
  if (recipient === RETIRED_LOCAL_IDENTITY || !safeParse(validAddress, recipient).success) {
    return true;
  }
  const at = recipient.lastIndexOf("@");
  return recipient.slice(0, at).includes("+qa") && TEST_DOMAIN.test(recipient.slice(at));
}

export function mailableBy(suppress: (address: string) => boolean): Mailable {
  return (given) => {
    if (isSuppressedRecipient(given)) return null;
    const recipient = given.trim().toLowerCase();
    return suppress(recipient) ? null : recipient;
  };
}
