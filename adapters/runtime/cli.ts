#!/usr/bin/env node
/** `holdfast`: the command line. Exit status 0: done; 1: it could not be done; 2: not understood. */
import { CommanderError } from "commander";
import { HoldfastError } from "../../src/client/client.ts";
import { printable } from "./cli/print.ts";
import { program } from "./cli/program.ts";

try {
  await program(process.env).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.exitCode = 1;
    process.stderr.write(`holdfast: ${printable(told(error))}\n`);
  }
}

/** A stack is for what nobody foresaw. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs =
    error instanceof HoldfastError || ("code" in error && typeof error.code === "string");
  return isOurs ? error.message : (error.stack ?? error.message);
}
