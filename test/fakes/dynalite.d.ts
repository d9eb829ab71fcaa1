declare module "dynalite" {
  import type { Server } from "node:http";

  /** A DynamoDB in memory, or in the folder `path`. Times are how long a table stays between two states. */
  const dynalite: (options: {
    createTableMs: number;
    deleteTableMs: number;
    path: string | undefined;
  }) => Server;
  export = dynalite;
}
