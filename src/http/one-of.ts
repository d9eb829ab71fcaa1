/** Bodies that have one of two properties, and not both: for zod, for the document, and for the client's types. */
import type * as z from "zod";

/** With one of the properties K of T, and the other one left out. */
export type OneOf<T, K extends keyof T> = Omit<T, K> &
  { [P in K]: Required<Pick<T, P>> & { readonly [Q in Exclude<K, P>]?: never } }[K];

/** `object`, whose properties `one` and `other` may be left out, with exactly one of them. */
export function oneOf<
  S extends z.ZodObject,
  K extends keyof z.output<S> & keyof z.input<S> & string,
>(object: S, one: K, other: K) {
  const either = object
    .refine((value) => (value[one] === undefined) !== (value[other] === undefined), {
      path: [one],
      message: `either ${one} or ${other}, and not both`,
    })
    .meta({ oneOf: [{ required: [one] }, { required: [other] }] });
  return either as z.ZodType as z.ZodType<OneOf<z.output<S>, K>, OneOf<z.input<S>, K>>;
}
