/** The commands, their options and their help. */
import { readFileSync } from "node:fs";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Client } from "../../../src/client/client.ts";
import { SCOPES, type Scope } from "../../../src/http/keys.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Log } from "../../../src/ports/log.ts";
import { PASS_MS_MAX, PASS_MS_MIN } from "../../../src/services/reconcile/budget.ts";
import { type Config, readConfig, type StorageConfig, unknownText, VARIABLES } from "../config.ts";
import { whenFree } from "../open.ts";
import { serve } from "../serve.ts";
import { packageVersion } from "../version.ts";
import type { Asked } from "./asked.ts";
import { connect } from "./connection.ts";
import { copyStorage, IMPORTS, importFolder, type MoveOptions } from "./copy.ts";
import { doctor } from "./doctor.ts";
import { importQueries } from "./import-journal.ts";
import { addJobs } from "./job-commands.ts";
import { reconcile, showStuck } from "./jobs.ts";
import { makeKey } from "./keys.ts";
import { type Output, output, printable } from "./print.ts";
import { addGc, addQueries } from "./query-commands.ts";
import { addReceipts } from "./receipt-commands.ts";
import { smoke } from "./smoke/smoke.ts";
import { showStats } from "./stats.ts";
import { parseStorageName, STORAGE_NAMES } from "./storage-name.ts";
import { makeTable } from "./tables.ts";

interface Globals {
  readonly json?: true;
  readonly tenant?: string;
  readonly url?: string;
}

interface Passing {
  readonly dryRun?: true;
  readonly budget?: number;
}

interface Moving {
  readonly from: string;
  readonly to?: string;
  readonly dryRun?: true;
}

interface Minting {
  readonly scope: Scope[];
  readonly file?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** `env` is where the configuration is read from. Commands throw what they cannot do. */
export function program(env: Env): Command {
  const all = new Command("holdfast")
    .description("Durable jobs on storage you already have.")
    .version(packageVersion())
    .option("--json", "write JSON")
    .option("--tenant <id>", "whose records; the default tenant's without it")
    .option("--url <url>", "the service to talk to, in place of HOLDFAST_URL")
    .addHelpText("after", () => `\nEnvironment:\n${variables()}`)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => output(false).lines(text.trimEnd()),
      writeErr: (text) => process.stderr.write(printable(text)),
    })
    .showSuggestionAfterError()
    .exitOverride();
  const configured = (): Config => {
    const { url } = all.opts<Globals>();
    return readConfig(url === undefined ? env : { ...env, HOLDFAST_URL: url }, (path) =>
      readFileSync(path, "utf8"),
    );
  };
  const warned = (config: Config): Config => {
    for (const one of config.unknown) out().note(`unknown and ignored: ${unknownText(one)}`);
    return config;
  };
  const out = (): Output => output(all.opts<Globals>().json === true);
  const tenant = (): string | null => all.opts<Globals>().tenant ?? null;
  const asked: Asked = async (work, { mayMake } = { mayMake: false }) => {
    const config = warned(configured());
    const log = commandLog(out());
    const connection = await whenFree(
      () => connect(config, { tenant: tenant(), mayMake, log }),
      log,
    );
    try {
      await work(connection.client, out());
    } finally {
      await connection.close();
    }
  };

  all
    .command("serve")
    .description("serve HTTP until SIGTERM")
    .action(() => serve(configured(), env));
  addJobs(all.command("jobs").description("look at email jobs and move them"), asked);
  addReceipts(
    all.command("receipts").description("look at receipts, resolve them and erase them"),
    asked,
  );
  addQueries(
    all.command("queries").description("look at queries, follow, cancel and erase them"),
    asked,
  );
  addGc(
    all.command("gc").description("remove logs that belong to no query, left by what was cut off"),
    asked,
  );
  all
    .command("stuck")
    .description("what waits for a person, and what to do")
    .action(() => asked(showStuck));
  all
    .command("stats")
    .description("count jobs, receipts and queries; reads every record")
    .action(() => asked(showStats));
  all
    .command("reconcile")
    .description("one pass: find, make ready, deliver, retire")
    .option("--dry-run", "tell what one page of everything would come to, and do nothing")
    .option("--budget <ms>", "how long it may take, 100 to 3600000", passBudget)
    .action(({ dryRun, budget }: Passing) => {
      const body = {
        dryRun: dryRun === true,
        ...(budget === undefined ? {} : { budgetMs: budget }),
      };
      const work = async (client: Client, out: Output): Promise<void> => {
        if (!(await reconcile(client, body, out))) process.exitCode = 1;
      };
      return asked(work, { mayMake: dryRun !== true });
    });
  all
    .command("table")
    .description("the table of the DynamoDB storage")
    .command("create")
    .description("make the table that HOLDFAST_TABLE names; one that is there is checked")
    .option("--dry-run", "show the request, and send nothing")
    .action(({ dryRun }: { readonly dryRun?: true }) =>
      makeTable(warned(configured()), dryRun === true, out()),
    );
  addMoves(all, async ({ to, dryRun }, command, work) => {
    const config =
      to === undefined
        ? configuredStorage(warned(configured()))
        : storageNamed(command, "--to", to);
    const options = { to: config, tenant: tenant(), isDryRun: dryRun === true, env };
    if (!(await work(options, out()))) process.exitCode = 1;
  });
  all
    .command("doctor")
    .description("check configuration, storage and service")
    .action(async () => {
      if (!(await doctor(configured, tenant(), env, out()))) process.exitCode = 1;
    });
  all
    .command("smoke")
    .description(
      "try all of the service at --url, with HOLDFAST_KEY; what it leaves is named smoke-…",
    )
    .action(async () => {
      if (!(await smoke(warned(configured()), out()))) process.exitCode = 1;
    });
  all
    .command("key")
    .description("make keys")
    .command("new")
    .description("make a key; it is shown once")
    .addArgument(new Argument("<id>", "1 to 63 of a-z, 0-9 and -"))
    .addOption(
      new Option("--scope <scope...>", "what it may do").choices(SCOPES).makeOptionMandatory(),
    )
    .option("--file <path>", "add its entry to this file, for HOLDFAST_KEYS=@path", filePath)
    .action(async (id: string, { scope, file }: Minting) => {
      const mine = tenant();
      await makeKey(
        id,
        {
          scope,
          ...(file === undefined ? {} : { file }),
          ...(mine === null ? {} : { tenant: mine }),
        },
        out(),
      );
    });
  return all;
}

const QUERY_JOURNAL = "query-journal";

type ImportName = (typeof IMPORTS)[number] | typeof QUERY_JOURNAL;

/** `work` answers whether everything was moved. */
type Moved = (
  order: Pick<Moving, "to" | "dryRun">,
  command: Command,
  work: (options: MoveOptions, out: Output) => Promise<boolean>,
) => Promise<void>;

function addMoves(all: Command, moved: Moved): void {
  const move = (command: Command): Command =>
    command
      .option("--to <storage>", "where to; the configured one without it")
      .option("--dry-run", "tell what would become of each record, and write nothing")
      .addHelpText("after", `\nA storage is ${STORAGE_NAMES}.`);
  move(
    all
      .command("copy")
      .description("copy the records of a storage that nobody writes: all tenants, or --tenant")
      .requiredOption("--from <storage>", "where from"),
  ).action((order: Moving, command: Command) => {
    const from = storageNamed(command, "--from", order.from);
    return moved(order, command, (options, out) => copyStorage(from, options, out));
  });
  move(
    all
      .command("import")
      .description("copy the records of an original, which must not run")
      .addArgument(new Argument("<what>", "what they are").choices([...IMPORTS, QUERY_JOURNAL]))
      .argument(
        "<folder>",
        "of emails the folder above jobs, of receipts theirs, of queries the one with the journals",
        filePath,
      ),
  ).action((what: ImportName, folder: string, order: Moving, command: Command) =>
    moved(order, command, (options, out) =>
      what === QUERY_JOURNAL
        ? importQueries(folder, options, out)
        : importFolder(what, folder, options, out),
    ),
  );
}

/** Not by an option's own parser: commander repeats what it refuses, with what may be a secret. */
function storageNamed(command: Command, option: string, name: string): StorageConfig {
  try {
    return parseStorageName(name);
  } catch (fault) {
    if (!(fault instanceof MisconfiguredError)) throw fault;
    return command.error(`error: option ${option} is invalid. ${fault.message}`);
  }
}

/** Records go past a service, never through it. */
function configuredStorage({ storage, url }: Config): StorageConfig {
  if (url === null) return storage;
  throw new MisconfiguredError("HOLDFAST_URL names a service: name the storage behind it by --to");
}

/** What whoever runs a command must know of what is logged: on standard error. */
function commandLog(out: Output): Log {
  return (_, event, { machine, id, code, detail, pid }) => {
    if (event === "pass failure") out.note(`${machine} ${id}: ${code}: ${detail}`);
    if (event === "waiting for the folder")
      out.note(`waiting for the folder, which process ${pid} has`);
  };
}

function passBudget(text: string): number {
  const budget = Number(text);
  if (Number.isInteger(budget) && budget >= PASS_MS_MIN && budget <= PASS_MS_MAX) return budget;
  throw new InvalidArgumentError(
    `It must be a whole number from ${PASS_MS_MIN} to ${PASS_MS_MAX}.`,
  );
}

function filePath(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It must be the path of a file.");
}

function variables(): string {
  return VARIABLES.map(({ name, default: standard, description }) => {
    const by = standard === null ? "" : ` (${standard})`;
    return `  ${name}${by}\n      ${description}`;
  }).join("\n");
}
