/** Every variable of the environment: its schema, and what is told about it. */
import * as z from "zod/mini";
import { HELD_QUERIES } from "../../src/machines/queries/admission.ts";
import {
  admissionTimeout,
  capacity,
  host,
  key,
  keys,
  origins,
  path,
  secret,
  serviceUrl,
  type TextSchema,
  wholeNumber,
  wholeNumberOrOff,
} from "./config-values.ts";
import {
  configurationSet,
  mailBody,
  mailer,
  mailFrom,
  mailHeaders,
  mailUrl,
} from "./mailer-config.ts";
import { aiBaseUrl, aiKey, aiModel, runnerCommand } from "./runner-config.ts";
import {
  bucket,
  dueShards,
  endpoint,
  prefix,
  storageKind,
  table,
  yesOrNo,
} from "./storage-config.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Variable {
  readonly name: string;
  /** As it would be set; null: none. */
  readonly default: string | null;
  readonly description: string;
  /** A value that could be set. */
  readonly example: string;
}

export type About = Omit<Variable, "name">;

export const ABOUT = z.registry<About>();

export const environment = z.object({
  HOLDFAST_STORAGE: variable(storageKind, "filesystem", {
    description:
      "filesystem; dynamodb; s3, or what speaks its protocol; or memory, which ends with the process",
    example: "filesystem",
  }),
  HOLDFAST_DATA_DIR: variable(path, "./data", {
    description:
      "The folder of the filesystem storage, and of captured mail; made if it is missing",
    example: "/var/lib/holdfast",
  }),
  HOLDFAST_FOLDER_SHARING: variable(
    z.enum(["exclusive", "processes"], "must be exclusive or processes"),
    "exclusive",
    {
      description: "exclusive: one process has the folder; processes: any number of one machine",
      example: "processes",
    },
  ),
  HOLDFAST_EMAILS_DIR: optional(path, {
    description:
      "An original's email folder, instead of emails in the data folder: outside of it, and not around it",
    example: "/srv/old/emails",
  }),
  HOLDFAST_RECEIPTS_DIR: optional(path, {
    description:
      "An original's receipts folder, instead of receipts in the data folder: outside of it, and not around it",
    example: "/srv/old/receipts",
  }),
  HOLDFAST_TABLE: optional(table, {
    description: "The DynamoDB table, by its name or ARN; holdfast table create makes it",
    example: "holdfast",
  }),
  HOLDFAST_DUE_SHARDS: optional(dueShards, {
    description:
      "DynamoDB: over how many partitions the due index of each queue is spread, 1 to 64. The table remembers it, 4 when it is new; it can be raised, never lowered",
    example: "8",
  }),
  HOLDFAST_BUCKET: optional(bucket, {
    description: "The S3 bucket",
    example: "my-jobs",
  }),
  HOLDFAST_PREFIX: optional(prefix, {
    description: "S3: what stands before every name in the bucket; a missing last slash is added",
    example: "holdfast/",
  }),
  HOLDFAST_ENDPOINT: optional(endpoint, {
    description: "DynamoDB, S3: where the service is, when it is not AWS: R2, MinIO, an emulator",
    example: "https://0123456789abcdef.r2.cloudflarestorage.com",
  }),
  HOLDFAST_PATH_STYLE: variable(yesOrNo, "false", {
    description: "S3: true puts the bucket's name into the path, as MinIO and others need it",
    example: "true",
  }),
  HOLDFAST_KEYS: optional(keys, {
    description:
      "Who is let in: a JSON array of {id, tenant?, scopes, sha256}, or @ and the path of a file with it. Without it only loopback addresses are served",
    example: "@keys.json",
  }),
  HOLDFAST_KEY: optional(key, {
    description: "Command line: the key for HOLDFAST_URL",
    example: "hf_laptop_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  }),
  HOLDFAST_SECOND_KEY: optional(key, {
    description: "Command line: a key of another tenant there, for holdfast smoke",
    example: "hf_other_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  }),
  HOLDFAST_URL: optional(serviceUrl, {
    description: "Command line: the service to talk to, instead of a folder",
    example: "https://jobs.example.com",
  }),
  HOLDFAST_SECRET: optional(secret, {
    description:
      "Makes tickets, which let browsers and phones at one query job: 32 to 512 random characters, the same in every process of a service. Another one ends all tickets; without it there are none",
    example: "what-openssl-rand-hex-32-prints-each-time-anew",
  }),
  HOLDFAST_CORS_ORIGINS: optional(origins, {
    description: "Origins whose pages may call, exact, with commas between them",
    example: "https://app.example.com,http://localhost:5173",
  }),
  HOST: variable(host, "127.0.0.1", {
    description: "The address to listen on",
    example: "127.0.0.1",
  }),
  PORT: variable(wholeNumber(0, 65_535), "8787", {
    description: "The port to listen on; 0: any free one",
    example: "8787",
  }),
  HOLDFAST_PUBLIC_URL: optional(serviceUrl, {
    description: "The URL under which others reach the service",
    example: "https://jobs.example.com",
  }),
  HOLDFAST_LOG_LEVEL: variable(
    z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`),
    "info",
    { description: `The least that is logged: ${LOG_LEVELS.join(", ")}`, example: "warn" },
  ),
  HOLDFAST_APP: optional(path, {
    description: "A module whose default export is made by defineApp",
    example: "./app.js",
  }),
  HOLDFAST_MAILER: variable(mailer, "none", {
    description:
      "What sends mail: none; capture, into mail in the data folder; ses, Amazon's; http, another provider's API; or smtp://user:password@host:port (STARTTLS; ?tls=optional allows the clear), smtps://…",
    example: "smtps://user:password@smtp.example.com",
  }),
  HOLDFAST_MAIL_FROM: optional(mailFrom, {
    description: "Whom mail is from: an address or Name <address>; needed with a mailer",
    example: "Example <jobs@example.com>",
  }),
  HOLDFAST_SES_CONFIGURATION_SET: optional(configurationSet, {
    description: "SES: the configuration set whose events tell what becomes of mails",
    example: "holdfast",
  }),
  HOLDFAST_MAIL_HTTP_URL: optional(mailUrl, {
    description: "HTTP: where mails are posted to",
    example: "https://api.resend.com/emails",
  }),
  HOLDFAST_MAIL_HTTP_HEADERS: optional(mailHeaders, {
    description: "HTTP: the headers of every request, with the provider's key, as a JSON object",
    example: '{"authorization":"Bearer re_0123456789"}',
  }),
  HOLDFAST_MAIL_HTTP_BODY: optional(mailBody, {
    description: "HTTP: what is posted, as JSON with placeholders for what the mail says",
    example:
      '{"from":"{{from}}","to":["{{to}}"],"subject":"{{subject}}","text":"{{text}}","html":"{{html?}}"}',
  }),
  HOLDFAST_RECONCILE_MS: variable(wholeNumberOrOff(250, 86_400_000), "60000", {
    description:
      "How long after one pass the service begins the next, in milliseconds, at least 250; 0: never",
    example: "60000",
  }),
  HOLDFAST_RECONCILE_BUDGET_MS: variable(wholeNumber(100, 3_600_000), "25000", {
    description: "How long one pass may take, in milliseconds",
    example: "25000",
  }),
  HOLDFAST_RECEIPT_CAPACITY: optional(capacity, {
    description:
      "Receipts that one workspace may have, but for those of http/request: 1 to 65,536, or off; 8,192 in a folder and off elsewhere without it",
    example: "20000",
  }),
  HOLDFAST_RECEIPT_RETENTION_DAYS: variable(wholeNumberOrOff(1, 3_650), "30", {
    description: "How many days finished receipts are kept before a tombstone; 0: for ever",
    example: "90",
  }),
  HOLDFAST_DISPATCH_MARGIN_MS: variable(wholeNumber(1, 86_400_000), "30000", {
    description: "How long after its lease a dispatch counts as live, in milliseconds",
    example: "30000",
  }),
  HOLDFAST_EMAIL_RETENTION_DAYS: optional(wholeNumber(1, 3_650), {
    description: "How many days sent and cancelled emails are kept; for ever without it",
    example: "90",
  }),
  HOLDFAST_QUERY_RETENTION_DAYS: variable(wholeNumber(1, 3_650), "7", {
    description: "How many days queries are kept from their admission on",
    example: "30",
  }),
  HOLDFAST_RUN_LEASE_MS: variable(wholeNumber(1_000, 86_400_000), "60000", {
    description:
      "How long the run of a query counts as alive after it last said so, in milliseconds, at least 1,000; the service's own say so three times in it",
    example: "30000",
  }),
  HOLDFAST_ADMISSION_TIMEOUT_MS: variable(admissionTimeout, "off", {
    description:
      "How long an accepted query may wait for its run before it is interrupted, in milliseconds, at least 1,000; off: for ever",
    example: "3600000",
  }),
  HOLDFAST_HELD_QUERIES: variable(z.enum(HELD_QUERIES, "must be refuse or admit"), "refuse", {
    description:
      "A query whose session is held, since an interrupted provider may still be at work: refuse; or admit, to be started once it is free",
    example: "admit",
  }),
  HOLDFAST_AI_BASE_URL: optional(aiBaseUrl, {
    description:
      "Who answers queries: a provider of chat completions as OpenAI has them, up to what stands before /chat/completions",
    example: "https://api.openai.com/v1",
  }),
  HOLDFAST_AI_MODEL: optional(aiModel, {
    description:
      "The provider's model for queries that name none; needed with HOLDFAST_AI_BASE_URL",
    example: "gpt-5-mini",
  }),
  HOLDFAST_AI_KEY: optional(aiKey, {
    description: "The key for the provider, where it asks for one",
    example: "sk-0123456789abcdef",
  }),
  HOLDFAST_RUNNER_COMMAND: optional(runnerCommand, {
    description:
      "Who answers queries, in place of a provider: a command line, or a JSON array of a program and its arguments, that reads the prompt and writes the answer",
    example: '["claude","-p"]',
  }),
});

function variable<T>(schema: TextSchema<T>, text: string, about: Omit<About, "default">) {
  const given = z.pipe(z._default(z.string("must be text"), text), schema);
  return given.register(ABOUT, { default: text, ...about });
}

function optional<T>(schema: TextSchema<T>, about: Omit<About, "default">) {
  const given = z._default(z.nullable(z.pipe(z.string("must be text"), schema)), null);
  return given.register(ABOUT, { default: null, ...about });
}
