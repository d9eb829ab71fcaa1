/** The id that a request brings along. */

/** Null: none, or one that is not fit for a log line. */
export function givenRequestId(headers: Headers): string | null {
  const given = headers.get("x-request-id");
  return given !== null && /^[\x21-\x7e]{1,128}$/.test(given) ? given : null;
}
