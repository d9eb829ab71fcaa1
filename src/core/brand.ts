/** Nominal types: two primitives that must not be swapped get different brands. */

declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
