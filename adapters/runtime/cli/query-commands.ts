/** `holdfast queries` and `gc`: the commands, their options and their help. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Client } from "../../../src/client/client.ts";
import { QUERY_STATUSES } from "../../../src/machines/queries/statuses.ts";
import { type Asked, pageLimit } from "./asked.ts";
import type { Output } from "./print.ts";
import {
  cancelQuery,
  collectLogs,
  eraseQuery,
  listQueries,
  QUERIES_PAGE_MAX,
  type QueryListing,
  type QueryName,
  showQuery,
} from "./queries.ts";
import { tailQuery } from "./query-tail.ts";

const PAGE_DEFAULT = 50;

interface OfGeneration {
  readonly generation: number;
}

export function addQueries(queries: Command, asked: Asked): void {
  queries
    .command("list")
    .description("a page of queries, the latest generation of each client job")
    .addOption(new Option("--status <status>", "only these").choices(QUERY_STATUSES))
    .option(
      "--limit <n>",
      `of one page, 1 to ${QUERIES_PAGE_MAX}`,
      pageLimit(QUERIES_PAGE_MAX),
      PAGE_DEFAULT,
    )
    .option("--cursor <cursor>", "where the page before ended")
    .action((options: QueryListing) => asked((client, out) => listQueries(client, options, out)));
  const one = (
    name: string,
    description: string,
    work: (client: Client, name: QueryName, out: Output) => Promise<void>,
  ): void => {
    queries
      .command(name)
      .description(description)
      .addArgument(new Argument("<id>", "its id, or its client job's"))
      .option("--generation <n>", "of its client job", generation, 1)
      .action((id: string, { generation }: OfGeneration) =>
        asked((client, out) => work(client, { id, generation }, out)),
      );
  };
  one("show", "one query, with its answer so far", showQuery);
  one(
    "tail",
    "its answer as it comes; exit status 0 when it completed, else 1",
    async (...call) => {
      if (!(await tailQuery(...call))) process.exitCode = 1;
    },
  );
  one("cancel", "give one up that has not ended", cancelQuery);
  one("erase", "replace all generations of its client job by a tombstone", eraseQuery);
}

export function addGc(gc: Command, asked: Asked): void {
  gc.action(() =>
    asked(async (client, out) => {
      if (!(await collectLogs(client, out))) process.exitCode = 1;
    }),
  );
}

function generation(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
