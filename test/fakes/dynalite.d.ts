declare module "dynalite" {
  import type { Server } from "node:http";

  /** A DynamoDB in memory. Times are how long a table stays in a state between two others. */
  const dynalite: (options: { createTableMs: number; deleteTableMs: number }) => Server;
  export = dynalite;
}
