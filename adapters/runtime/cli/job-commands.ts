/** `holdfast jobs`: its commands, their options and their help. */
import { Argument, type Command, Option } from "commander";
import type { Client } from "../../../src/client/client.ts";
import { EMAIL_STATES, type EmailStateName } from "../../../src/machines/emails/fields.ts";
import { LIMIT_MAX } from "../../../src/machines/emails/inputs.ts";
import { type Asked, pageLimit } from "./asked.ts";
import { cancelJob, eraseJob, listJobs, requeueFailed, requeueJob, showJob } from "./jobs.ts";
import type { Output } from "./print.ts";

interface Listing {
  readonly state?: EmailStateName;
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: true;
}

export function addJobs(jobs: Command, asked: Asked): void {
  jobs
    .command("list")
    .description("a page of jobs, or all")
    .addOption(new Option("--state <state>", "only these").choices(EMAIL_STATES))
    .option("--limit <n>", `of one page, 1 to ${LIMIT_MAX}`, pageLimit(LIMIT_MAX), 50)
    .option("--cursor <cursor>", "where the page before ended")
    .option("--all", "to the end; as JSON one job a line")
    .action((options: Listing) =>
      asked((client, out) => listJobs(client, { ...options, all: options.all === true }, out)),
    );
  const one: readonly (readonly [
    string,
    string,
    (client: Client, key: string, out: Output) => Promise<void>,
  ])[] = [
    ["show", "one job, whole", showJob],
    ["cancel", "cancel a job that nobody has leased", cancelJob],
    ["erase", "replace a job's content by a tombstone", eraseJob],
  ];
  const key = (name: string): Argument =>
    new Argument(name, "its logical key, or sha256: and its id");
  jobs
    .command("requeue")
    .description("give a failed job a new life, or all of them")
    .addArgument(key("[key]"))
    .option("--all-failed", "every job that is failed")
    .action((one: string | undefined, { allFailed }: { readonly allFailed?: true }) => {
      if ((one === undefined) !== (allFailed === true)) {
        jobs.error("error: name one job, or --all-failed");
      }
      return asked((client, out) =>
        one === undefined ? requeueFailed(client, out) : requeueJob(client, one, out),
      );
    });
  for (const [name, description, work] of one) {
    jobs
      .command(name)
      .description(description)
      .addArgument(key("<key>"))
      .action((key: string) => asked((client, out) => work(client, key, out)));
  }
}
