/** The service that a command talks to: a remote one, the owner of the folder, or one of its own. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type Client, createClient } from "../../../src/client/client.ts";
import { epochMs } from "../../../src/core/time.ts";
import { TENANT_HEADER } from "../../../src/http/access.ts";
import { FolderInUseError, MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Log } from "../../../src/ports/log.ts";
import { folderOwner } from "../../storage/filesystem/index.ts";
import type { Config } from "../config.ts";
import { openHoldfast } from "../open.ts";

export interface Connection {
  readonly client: Client;
  /** Where the answers come from, for people; null: from this process. */
  readonly where: string | null;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Null: the default one; a key has its own. */
  readonly tenant: string | null;
  /** Whether a folder that is not there is made, as a service would. */
  readonly mayMake: boolean;
  /** Of what this process does itself. */
  readonly log: Log;
}

/**
 * Goes to HOLDFAST_URL where that is set; else to the process that has the folder; else opens the folder
 * itself. Throws MisconfiguredError, FolderInUseError.
 */
export async function connect(config: Config, options: ConnectOptions): Promise<Connection> {
  const { tenant, mayMake, log } = options;
  if (config.url !== null) return remote(config, config.url, tenant);
  const { storage } = config;
  if (storage.kind === "memory") {
    throw new MisconfiguredError(
      "HOLDFAST_STORAGE is memory, which only its own process can see; such as HOLDFAST_URL=http://127.0.0.1:8787",
    );
  }
  const headers = tenant === null ? {} : { [TENANT_HEADER]: tenant };
  if (storage.kind !== "filesystem") return local(config, headers, log);
  const owner = folderOwner(storage.directory, epochMs(Date.now()));
  if (owner === null && !mayMake && !existsSync(storage.directory)) {
    throw new MisconfiguredError(
      `HOLDFAST_DATA_DIR ${storage.directory} does not exist, so there is nothing to look at`,
    );
  }
  if (owner === null) return local(config, headers, log);
  const { pid, address, secret, since } = owner;
  if (address === null || secret === null) {
    const who = `process ${pid ?? "unknown"}, which serves no HTTP`;
    throw new FolderInUseError(`${storage.directory} belongs to ${who}`, { pid, address, since });
  }
  return {
    client: createClient({ url: address, key: secret, headers }),
    where: `${address} (process ${pid ?? "unknown"})`,
    close: async () => {},
  };
}

function remote(config: Config, url: string, tenant: string | null): Connection {
  if (tenant !== null) {
    throw new MisconfiguredError("--tenant is not for HOLDFAST_URL: a key has its own tenant");
  }
  const key = config.key === null ? {} : { key: config.key };
  return { client: createClient({ url, ...key }), where: url, close: async () => {} };
}

/** The same routes without a socket, so that a command is written once. */
async function local(
  config: Config,
  headers: Record<string, string>,
  log: Log,
): Promise<Connection> {
  const holdfast = await openHoldfast(config, { log });
  const secret = randomBytes(32).toString("base64url");
  const app = holdfast.http({ owner: { secret, isLocal: () => true } });
  return {
    client: createClient({
      url: "http://localhost",
      key: secret,
      headers,
      fetch: async (input, init) => app.fetch(new Request(input, init)),
    }),
    where: null,
    close: () => holdfast.close(),
  };
}
