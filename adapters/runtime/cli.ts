#!/usr/bin/env node
/** `holdfast`: the command line. Exit status 0: done; 1: it could not be done, or not all of it; 2: not understood. */
import { CommanderError } from "commander";
import { HoldfastError } from "../../src/client/client.ts";
import { FolderInUseError } from "../../src/ports/faults.ts";
import { jsonText, printable } from "./cli/print.ts";
import { program } from "./cli/program.ts";

const all = program(process.env);
try {
  await all.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.exitCode = 1;
    const { json, url = process.env["HOLDFAST_URL"] } = all.opts<{ json?: true; url?: string }>();
    const text =
      json === true ? jsonText(asJson(error)) : printable(`holdfast: ${told(error, url)}`);
    process.stderr.write(`${text}\n`);
  }
}

function asJson(error: unknown) {
  if (!(error instanceof HoldfastError)) return { detail: told(error, undefined) };
  const { code, status, detail, requestId, problem } = error;
  return { ...problem, code, status, detail, requestId };
}

/** A stack is for what nobody foresaw. */
function told(error: unknown, url: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof HoldfastError) return error.message + hint(error, url);
  if (error instanceof FolderInUseError && error.address === null) {
    return `${error.message}; HOLDFAST_FOLDER_SHARING=processes lets several work at once`;
  }
  const isOurs = "code" in error && typeof error.code === "string";
  return isOurs ? error.message : (error.stack ?? error.message);
}

function hint({ code, status, problem }: HoldfastError, url: string | undefined): string {
  // Of a tombstone that would be the time of its making.
  if (problem?.state !== undefined && status !== 410) {
    return `: it is ${problem.state}, last changed ${problem.updatedAt}`;
  }
  if (code === "unauthorized") return ": set HOLDFAST_KEY to a key of this service";
  return status === null && url !== undefined ? `: ${url}` : "";
}
