/** The JSON that a provider is sent, out of a template. */
import { assert } from "../../../src/core/assert.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { type Mailbox, mailboxText, parseMailbox } from "../../../src/core/mailbox.ts";
import type { Mail } from "../../../src/ports/mailer.ts";

/**
 * JSON in which a text may be one placeholder, and then is replaced as a whole:
 *
 * - `{{from}}`, `{{to}}`, `{{replyTo}}`: as in a message's header, `Ann <ann@example.com>`; with `.address`
 *   or `.name` that part alone;
 * - `{{subject}}`, `{{text}}`, `{{html}}`;
 * - `{{headers}}`: an object of the mail's own headers; or an array whose element says `{{header.name}}`
 *   and `{{header.value}}` gets such an element for each of them;
 * - `{{idempotencyKey}}`: what names the mail, as in the request's header.
 *
 * `html`, `replyTo`, names and headers may be missing. The object in which such a placeholder stands is
 * left out then; with a question mark, as `{{to.name?}}`, the property alone is.
 */
export type BodyTemplate = JsonObject;

type Values = ReadonlyMap<string, unknown>;

/** A placeholder's value is missing: the property goes, or the object that has it. */
const PROPERTY_GOES = Symbol("property goes");
const OBJECT_GOES = Symbol("object goes");

const PLACEHOLDER = /^\{\{([A-Za-z.]+)(\?)?\}\}$/;

const OF_HEADER = "{{header.";

const NAMES: ReadonlySet<string> = new Set([
  ...["from", "to", "replyTo"].flatMap((name) => [name, `${name}.address`, `${name}.name`]),
  ...["subject", "text", "html", "headers", "idempotencyKey"],
]);

const HEADER_NAMES: ReadonlySet<string> = new Set(["header.name", "header.value"]);

/** A mail with nothing that may be missing. */
const LEAST: Mail = {
  from: "jobs@example.com",
  to: "ann@example.com",
  subject: "",
  text: "",
  html: null,
  replyTo: null,
  headers: {},
};

/** What keeps `value` from being a template, or null. Repeats none of it but what is a placeholder's. */
export function templateProblem(value: unknown): string | null {
  if (!isJsonObject(value)) return "must be a JSON object";
  const problem = problemIn(value, NAMES);
  if (problem !== null) return problem;
  return typeof filled(value, valuesOf(LEAST, ""), []) === "object"
    ? null
    : "would be left out as a whole for some mails: add a ? to its own placeholders";
}

function problemIn(value: unknown, names: ReadonlySet<string>): string | null {
  if (typeof value === "string") return textProblem(value, names);
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  for (const one of Object.values(value)) {
    const known = isList && isForHeaders(one) ? new Set([...names, ...HEADER_NAMES]) : names;
    const problem = problemIn(one, known);
    if (problem !== null) return problem;
  }
  return null;
}

function textProblem(text: string, names: ReadonlySet<string>): string | null {
  if (!text.includes("{{")) return null;
  const name = PLACEHOLDER.exec(text)?.[1];
  if (name !== undefined && names.has(name)) return null;
  const shown = /\{\{[A-Za-z.?]{0,30}\}\}/.exec(text)?.[0] ?? "{{";
  return `has ${shown} where no text is a placeholder of that name and nothing else`;
}

/** `mail` is one without a problem, `template` too. */
export function filledTemplate(template: BodyTemplate, mail: Mail, idempotencyKey: string): object {
  const headers = Object.entries(mail.headers);
  const body = filled(template, valuesOf(mail, idempotencyKey), headers);
  assert(typeof body === "object" && body !== null, "a template that was not checked");
  return body;
}

function filled(
  template: JsonValue,
  values: Values,
  headers: readonly (readonly [string, string])[],
): unknown {
  if (typeof template === "string") return filledText(template, values);
  if (typeof template !== "object" || template === null) return template;
  if (isList(template)) {
    return template
      .flatMap((one) =>
        isForHeaders(one)
          ? headers.map(([name, value]) => filled(one, withHeader(values, name, value), headers))
          : [filled(one, values, headers)],
      )
      .filter((one) => one !== PROPERTY_GOES && one !== OBJECT_GOES);
  }
  const properties: [string, unknown][] = [];
  for (const [name, one] of Object.entries(template)) {
    const value = filled(one, values, headers);
    if (value === OBJECT_GOES) return PROPERTY_GOES;
    if (value !== PROPERTY_GOES) properties.push([name, value]);
  }
  return Object.fromEntries(properties);
}

function filledText(text: string, values: Values): unknown {
  const [, name, optional] = PLACEHOLDER.exec(text) ?? [];
  if (name === undefined) return text;
  return values.get(name) ?? (optional === undefined ? OBJECT_GOES : PROPERTY_GOES);
}

// For readonly arrays, which Array.isArray does not tell from objects.
function isList(template: JsonValue): template is readonly JsonValue[] {
  return Array.isArray(template);
}

function isForHeaders(template: unknown): boolean {
  return JSON.stringify(template)?.includes(OF_HEADER) === true;
}

function withHeader(values: Values, name: string, value: string): Values {
  return new Map([...values, ["header.name", name], ["header.value", value]]);
}

function valuesOf(mail: Mail, idempotencyKey: string): Values {
  const hasHeaders = Object.keys(mail.headers).length > 0;
  return new Map<string, unknown>([
    ...mailboxValues("from", mail.from),
    ...mailboxValues("to", mail.to),
    ...mailboxValues("replyTo", mail.replyTo),
    ["subject", mail.subject.replace(/\p{Cc}/gu, " ")],
    ["text", mail.text],
    ["html", mail.html],
    ["headers", hasHeaders ? mail.headers : null],
    ["idempotencyKey", idempotencyKey],
  ]);
}

function mailboxValues(name: string, text: string | null): readonly (readonly [string, unknown])[] {
  const mailbox: Mailbox | null = text === null ? null : parseMailbox(text);
  if (mailbox === null) return [];
  return [
    [name, mailboxText(mailbox)],
    [`${name}.address`, mailbox.address],
    [`${name}.name`, mailbox.name],
  ];
}
