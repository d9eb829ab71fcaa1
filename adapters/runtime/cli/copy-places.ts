/** Where a copy comes from and goes to: that they are two places, and what is said of one without records. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { unreachable } from "../../../src/core/assert.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { StorageConfig } from "../storage-config.ts";
import { storageText } from "./storage-name.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Throws MisconfiguredError when both are one place, where everything would be found to be there. */
export function checkApart(from: StorageConfig, to: StorageConfig, env: Env): void {
  if (isSame(from, to, env)) {
    throw new MisconfiguredError(
      `${storageText(from)} would be copied to itself: name two places by --from and --to`,
    );
  }
  if (from.kind !== "filesystem" || to.kind !== "filesystem") return;
  const [source, target] = [realPathOf(from.directory), realPathOf(to.directory)];
  if (!isWithin(source, target) && !isWithin(target, source)) return;
  throw new MisconfiguredError(
    `${storageText(from)} and ${storageText(to)} lie in each other: name a folder outside of it`,
  );
}

/** Where a folder is, or would be made, whatever links are on the way. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const above = dirname(absolute);
  return above === absolute ? absolute : join(realPathOf(above), basename(absolute));
}

function isWithin(path: string, above: string): boolean {
  return path.startsWith(above.endsWith(sep) ? above : above + sep);
}

function isSame(from: StorageConfig, to: StorageConfig, env: Env): boolean {
  switch (from.kind) {
    case "memory":
      return false;
    case "filesystem":
      return to.kind === from.kind && isSameFolder(from.directory, to.directory);
    case "dynamodb":
      return (
        to.kind === from.kind &&
        from.table === to.table &&
        from.endpoint === to.endpoint &&
        regionOf(from.region, env) === regionOf(to.region, env)
      );
    case "s3":
      // A bucket's name is one place in all regions.
      return (
        to.kind === from.kind &&
        from.bucket === to.bucket &&
        from.prefix === to.prefix &&
        from.endpoint === to.endpoint
      );
    default:
      return unreachable(from);
  }
}

function regionOf(region: string | null, env: Env): string | undefined {
  return region ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"];
}

/** Whether both are there and lead to one folder, whatever links are on the way. */
export function isSameFolder(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** What to do about a source in which nothing was found. */
export function emptySource(from: StorageConfig, tenant: string | null): string {
  const whose = tenant === null ? "Holdfast" : `Holdfast's tenant ${tenant}`;
  return `nothing of ${whose} is there: ${storageText(from)}${wayOut(from)}`;
}

function wayOut(from: StorageConfig): string {
  switch (from.kind) {
    case "filesystem":
      return existsSync(join(from.directory, "jobs"))
        ? " has a folder jobs: name the one above it; holdfast import is for an original's"
        : ", which must be the folder above emails";
    case "s3":
      return ", which must be the bucket with the prefix, as HOLDFAST_PREFIX has it";
    case "dynamodb":
      return ", which is empty: look at its region and endpoint";
    case "memory":
      return "";
    default:
      return unreachable(from);
  }
}
