/** The email configuration record: since when emails are made, and each scan's cursor. */
import { key as recordKey } from "../core/key.ts";
import {
  EMAIL_CONFIG_LOCK_KEY,
  type EmailConfig,
  type EmailConfigCommand,
  type EmailConfigRejection,
  emailConfigRecord,
  parseEmailConfig,
} from "../machines/emails/config.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import {
  decideConfigState,
  EMAIL_CONFIG_EXTRAS,
  type EmailConfigState,
  type EmailProgressCommand,
  parseProgress,
  progressRecord,
} from "../machines/emails/progress.ts";
import { jobIdOf } from "../machines/emails/record.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { type Codec, knownExtra } from "./codec.ts";
import type { EmailDeps } from "./email-commands.ts";
import { ConfigNotFoundError, CursorNotFoundError } from "./errors.ts";
import { checked } from "./input.ts";
import { transact } from "./transact.ts";

export const CONFIG_KEY = recordKey(`emails/config/${jobIdOf(EMAIL_CONFIG_LOCK_KEY)}`);

export const emailConfigCodec: Codec<EmailConfigState> = {
  load(stored) {
    const parsed = parseEmailConfig(stored.fields);
    if (!parsed.ok) throw new RecordCorruptError(stored.key, parsed.reason);
    const extra = parseProgress(knownExtra(stored.extra, EMAIL_CONFIG_EXTRAS));
    if (!extra.ok) throw new RecordCorruptError(stored.key, extra.reason);
    return { config: parsed.config, progress: extra.progress };
  },
  save: ({ config, progress }) => ({
    fields: emailConfigRecord(config),
    extra: progressRecord(progress),
  }),
  due: () => null,
  extras: EMAIL_CONFIG_EXTRAS,
  isRemains: () => false,
};

export interface ConfigAnswer {
  /** Whether there was none before. */
  readonly created: boolean;
  readonly config: EmailConfig;
  readonly state: EmailConfigState;
}

export interface EmailConfigService {
  ensure(): Promise<ConfigAnswer>;
  /** Throws ConfigNotFoundError, CursorNotFoundError, InvalidInputError. */
  setCursor(name: string, cursor: unknown): Promise<EmailConfig>;
  read(): Promise<EmailConfig | null>;
  /** The record as a whole. */
  readState(): Promise<EmailConfigState | null>;
  /** Throws ConfigNotFoundError. */
  setProgress(command: EmailProgressCommand): Promise<void>;
}

export function emailConfig(deps: EmailDeps): EmailConfigService {
  async function run(command: EmailConfigCommand | EmailProgressCommand): Promise<ConfigAnswer> {
    const result = await transact<EmailConfigState, EmailConfigRejection>(deps, emailConfigCodec, {
      key: CONFIG_KEY,
      handle: null,
      decide: (state, now) => decideConfigState(state, command, now),
    });
    if (result.kind !== "rejected") {
      const { created, state } = result;
      return { created, config: state.config, state };
    }
    if (result.rejection.kind === "config_not_found") {
      throw new ConfigNotFoundError("there is no email config yet; call ensureEnabledAt first");
    }
    throw new CursorNotFoundError("no cursor of that name can be set");
  }

  async function readState(): Promise<EmailConfigState | null> {
    const stored = await deps.store.get(CONFIG_KEY);
    return stored === null ? null : emailConfigCodec.load(stored);
  }

  return {
    ensure: () => run({ kind: "ensureEnabledAt" }),
    async setCursor(name, cursor) {
      const place = checked(emailInputs.cursor, cursor, "cursor");
      return (await run({ kind: "setCursor", name: String(name), cursor: place })).config;
    },
    read: async () => (await readState())?.config ?? null,
    readState,
    setProgress: async (command) => void (await run(command)),
  };
}
