/** How commands get the service that they talk to, and what several of them take. */
import { InvalidArgumentError } from "commander";
import type { Client } from "../../../src/client/client.ts";
import type { Output } from "./print.ts";

/** `mayMake`: a folder that is not there is made. */
export type Asked = (
  work: (client: Client, out: Output) => Promise<void>,
  options?: { readonly mayMake: boolean },
) => Promise<void>;

/** For an option. */
export function pageLimit(max: number): (text: string) => number {
  return (text) => {
    const limit = Number(text);
    if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}
