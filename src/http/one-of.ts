/** Bodies that have exactly one of some properties: for zod, for the document, and for the client's types. */
import * as z from "zod/mini";

/** With one of the properties K of T, and the others left out. */
export type OneOf<T, K extends keyof T> = Omit<T, K> &
  { [P in K]: Required<Pick<T, P>> & { readonly [Q in Exclude<K, P>]?: never } }[K];

/** `object`, whose properties `names` may be left out, with exactly one of them. */
export function oneOf<
  S extends z.ZodMiniObject,
  K extends keyof z.output<S> & keyof z.input<S> & string,
>(object: S, ...names: readonly [K, K, ...K[]]) {
  const [first, ...others] = names;
  const last = others.at(-1);
  const either = object.check(
    z.refine((value) => names.filter((name) => value[name] !== undefined).length === 1, {
      path: [first],
      message:
        names.length === 2
          ? `either ${first} or ${last}, and not both`
          : `exactly one of ${names.join(", ")}`,
    }),
  );
  return either as z.core.$ZodType as z.core.$ZodType<OneOf<z.output<S>, K>, OneOf<z.input<S>, K>>;
}

/** The same for the document, which no check of zod's is told in. */
export function oneOfMeta(names: readonly string[]) {
  return { oneOf: names.map((name) => ({ required: [name] })) };
}
