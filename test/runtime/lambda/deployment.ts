/** What `osls package` makes of serverless.yml, in a folder of its own and without anything of an account. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleInto } from "../../fakes/lambda-bundle.ts";

// This file runs from dist/test/runtime/lambda.
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** It takes seconds, and a machine that does other things beside it takes many. */
export const PACKAGING_MS = 240_000;

export type Storage = "dynamodb" | "s3";

/** What CloudFormation takes has no types here: whoever looks for something says what it is. */
export type Properties = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties: Properties;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

export interface ZipEntry {
  readonly name: string;
  readonly zippedBytes: number;
}

export interface Deployment {
  readonly template: Template;
  readonly zip: readonly ZipEntry[];
  /** Of the bundle, unzipped. */
  readonly entry: string;
  /** The sources that are in it. */
  readonly inputs: readonly string[];
}

export interface Workshop {
  bundle(storage: Storage): Promise<readonly string[]>;
  /** Throws with its output where it fails. */
  package(parameters: Readonly<Record<string, string>>): Promise<Omit<Deployment, "inputs">>;
  remove(): void;
}

/** As a project that has copied serverless.yml. */
export function workshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-osls-"));
  copyFileSync(join(ROOT, "serverless.yml"), join(folder, "serverless.yml"));
  let made = 0;
  return {
    async bundle(storage) {
      const place = join(folder, "dist", "lambda", storage);
      mkdirSync(place, { recursive: true });
      const about = join(folder, `${storage}.json`);
      await bundleInto(place, `holdfast/lambda/${storage}`, [`--metafile=${about}`]);
      return Object.keys(JSON.parse(readFileSync(about, "utf8")).inputs);
    },
    async package(parameters) {
      made += 1;
      const out = join(folder, `out-${made}`);
      const given = Object.entries(parameters).map(([name, value]) => `--param=${name}=${value}`);
      await promisify(execFile)(
        process.execPath,
        [join(ROOT, "node_modules", ".bin", "osls"), "package", "--package", out, ...given],
        { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder } },
      );
      const template = readFileSync(join(out, "cloudformation-template-update-stack.json"), "utf8");
      const storage = parameters["storage"] ?? "dynamodb";
      return {
        template: JSON.parse(template),
        zip: entriesOf(readFileSync(join(out, "holdfast.zip"))),
        entry: join(folder, "dist", "lambda", storage, "index.mjs"),
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** All that a workshop makes of one storage, with `parameters` beside it. */
export async function deploymentOf(
  shop: Workshop,
  storage: Storage,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  const inputs = await shop.bundle(storage);
  return { ...(await shop.package({ storage, ...parameters })), inputs };
}

const DIRECTORY_ENTRY = Buffer.from("PK\x01\x02", "latin1");

/** Of its central directory (APPNOTE 4.3.12). */
function entriesOf(zip: Buffer): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = zip.indexOf(DIRECTORY_ENTRY); at >= 0; at = zip.indexOf(DIRECTORY_ENTRY, at + 46)) {
    const nameBytes = zip.readUInt16LE(at + 28);
    const name = zip.subarray(at + 46, at + 46 + nameBytes).toString();
    entries.push({ name, zippedBytes: zip.readUInt32LE(at + 20) });
  }
  return entries;
}

/** Statements that allow, of the role of the functions and of policies beside it. */
export interface Allowance {
  readonly actions: readonly string[];
  readonly resources: readonly unknown[];
}

interface Policy {
  readonly PolicyDocument: {
    readonly Statement: readonly {
      readonly Action: string | readonly string[];
      readonly Resource: unknown;
    }[];
  };
}

export function allowancesOf({ Resources: resources }: Template): readonly Allowance[] {
  const policies = Object.values(resources).flatMap(({ Type: type, Properties: properties }) => {
    if (type === "AWS::IAM::Policy") return [properties as unknown as Policy];
    return type === "AWS::IAM::Role" ? (properties["Policies"] as readonly Policy[]) : [];
  });
  return policies.flatMap(({ PolicyDocument: { Statement: statements } }) =>
    statements.map(({ Action: actions, Resource: places }) => ({
      actions: [actions].flat(),
      resources: [places].flat(),
    })),
  );
}

const PREFIX = "holdfast-dev-";

/** Without the names of service and stage. */
export function functionNames({ Resources: resources }: Template): readonly string[] {
  return Object.values(resources)
    .filter(({ Type: type }) => type === "AWS::Lambda::Function")
    .map(({ Properties: properties }) => String(properties["FunctionName"]).slice(PREFIX.length))
    .sort();
}
