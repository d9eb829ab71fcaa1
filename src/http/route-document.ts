/**
 * What the document says of one route, beside what runs it. Kept apart from the routes, which name it by
 * their id and import its types alone, so that no service carries it.
 */
import * as z from "zod";
import type { ProblemCode } from "./problem.ts";

/** Schemas of answers by status; null: no content. */
export type Replies = Readonly<Record<number, z.ZodType | null>>;

export interface RouteDocument {
  readonly summary: string;
  readonly description: string;
  /** What the route takes, with a text for each property. */
  readonly body?: z.core.$ZodType;
  readonly query?: z.core.$ZodType;
  /** Of the body. */
  readonly example?: unknown;
  /** What its stream is, where it has one. */
  readonly stream?: string;
  readonly replies: Replies;
  /** Refusals of this route beside those that every route has. */
  readonly problems: readonly ProblemCode[];
}

/** By the ids of the routes. */
export type RouteDocuments = Readonly<Record<string, RouteDocument>>;

/** What stands beside a schema's own words. */
export type Meta = z.core.GlobalMeta;

/**
 * Of a property: its description alone or with more, or a schema that says it all by itself; null: nothing,
 * for one that is always refused.
 */
type Text = string | Meta | z.core.$ZodType | null;

/** A copy of `object` of whose every property the document says something. */
export function described<S extends z.core.$ZodShape>(
  object: z.core.$ZodObject<S>,
  texts: { readonly [K in keyof S]: Text },
  meta: Meta = {},
): z.core.$ZodObject {
  const whole: z.core.$ZodObject = object;
  const shape = Object.fromEntries(
    Object.entries(whole._zod.def.shape).map(([name, schema]) => [
      name,
      told(schema, texts[name] ?? null),
    ]),
  );
  return noted(z.core.clone(whole, { ...whole._zod.def, shape }), meta);
}

function told(schema: z.core.$ZodType, text: Text): z.core.$ZodType {
  if (text === null) return schema;
  if (typeof text === "string") return noted(schema, { description: text });
  return isSchema(text) ? text : noted(schema, text);
}

function isSchema(text: object): text is z.core.$ZodType {
  return "_zod" in text;
}

/** A copy of the schema of which the document says this. */
export function noted<T extends z.core.$ZodType>(schema: T, meta: Meta): T {
  const copy = z.core.clone(schema);
  z.globalRegistry.add(copy, meta);
  return copy;
}
