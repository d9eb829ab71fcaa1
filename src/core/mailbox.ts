/** One address of an email, with or without a name: what a mail is from, goes to and is answered to. */

export interface Mailbox {
  /** Null: the address alone. */
  readonly name: string | null;
  readonly address: string;
}

/** Characters of an address that comes in: 64 of a local part, the `@`, and 255 of a domain. */
export const ADDRESS_CHARS_MAX = 320;

const NAME_CHARS_MAX = 200;

/** No quotes, comments, lists and routes, which mail programs do not read alike. ASCII. */
const ADDRESS = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[A-Za-z0-9][A-Za-z0-9.-]*$/;

const UNFIT_IN_NAME = /[\p{Cc}\p{Cs}\u2028\u2029<>"\\]/u;

/**
 * What `ann@example.com`, `Ann <ann@example.com>` or `"Ann" <ann@example.com>` says; null for anything
 * else, in particular for more than one address, and for line breaks and control characters anywhere.
 */
export function parseMailbox(text: string): Mailbox | null {
  if (text.length > NAME_CHARS_MAX + ADDRESS_CHARS_MAX + 5) return null;
  if (!text.endsWith(">")) return isAddress(text) ? { name: null, address: text } : null;
  const open = text.lastIndexOf("<");
  const address = text.slice(open + 1, -1);
  if (open === -1 || !isAddress(address)) return null;
  const given = text.slice(0, open).replace(/^ +| +$/g, "");
  const name = /^".*"$/.test(given) ? given.slice(1, -1) : given;
  if (name.length > NAME_CHARS_MAX || UNFIT_IN_NAME.test(name)) return null;
  return { name: name === "" ? null : name, address };
}

/** What a name may not say in a message's header without quotes; a comma would make two of one mailbox. */
const QUOTED_IN_NAME = /[()[\]:;@,.]/;

/** As a message's header has it, names beyond ASCII as they are. */
export function mailboxText({ name, address }: Mailbox): string {
  if (name === null) return address;
  return QUOTED_IN_NAME.test(name) ? `"${name}" <${address}>` : `${name} <${address}>`;
}

function isAddress(text: string): boolean {
  return text.length <= ADDRESS_CHARS_MAX && ADDRESS.test(text);
}
