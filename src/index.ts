/** Holdfast's public interface. Nothing inside the repository imports this file. */

export type { JsonArray, JsonObject, JsonValue, Storable } from "./core/json.ts";
export { type Key, key } from "./core/key.ts";
export { type Due, QUEUES, type Queue } from "./core/machine.ts";
export { type DurationMs, durationMs, type EpochMs, epochMs } from "./core/time.ts";
export { createHoldfast, type Holdfast, type Tenant } from "./holdfast.ts";
export { type IdempotencyVariables, idempotencyKey } from "./http/idempotency-key.ts";
export type { IdempotencyOptions } from "./http/idempotency-options.ts";
export type { EmailConfig, EmailCursor } from "./machines/emails/config.ts";
export type { EmailContent, PrepareContext, PrepareEmail } from "./machines/emails/content.ts";
export type { EmailStateName, SettledState } from "./machines/emails/fields.ts";
export type { EmailCursorName } from "./machines/emails/inputs.ts";
export {
  defineEmailKind,
  type EmailKind,
  type EmailKindOptions,
  type Prepares,
} from "./machines/emails/kinds.ts";
export type { ActivityKind } from "./machines/queries/events.ts";
export type { ShownEvent, ShownEventType } from "./machines/queries/public-event.ts";
export type { QueryRequest } from "./machines/queries/request.ts";
export type { QuerySnapshot, ShownActivity } from "./machines/queries/snapshot.ts";
export type { QueryStatus } from "./machines/queries/statuses.ts";
export type { HttpResult } from "./machines/receipts/built-in-operations.ts";
export type { ReceiptStateName, ResolutionOutcome } from "./machines/receipts/fields.ts";
export type { GivenKey, OperationKey } from "./machines/receipts/key.ts";
export type { ReceiptNote } from "./machines/receipts/notes.ts";
export {
  defineOperation,
  type Operation,
  type OperationOptions,
} from "./machines/receipts/operations.ts";
export type { Receipt, Resolution } from "./machines/receipts/receipt.ts";
export type {
  Backend,
  BackendRecord,
  Cursor,
  DueEntry,
  DueIndex,
  DuePage,
  ListedRecord,
  ListPage,
  PutCondition,
  PutVerdict,
  Storage,
  StorageContext,
  Version,
} from "./ports/backend.ts";
export type { Clock } from "./ports/clock.ts";
export {
  ContendedError,
  FolderInUseError,
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "./ports/faults.ts";
export type { Mail, Mailer, MailResult, SendOptions } from "./ports/mailer.ts";
export type { Observation, Observe } from "./ports/observe.ts";
export type { JournalLine, JournalPlace, QueryJournal } from "./ports/query-journal.ts";
export type { Random } from "./ports/random.ts";
export {
  type Runner,
  type RunnerActivity,
  type RunnerAttachment,
  type RunnerCallbacks,
  RunnerError,
  type RunnerErrorOptions,
  type RunnerExecution,
  type RunnerLinkage,
  type RunnerResult,
  type RunnerStart,
} from "./ports/runner.ts";
export {
  RUNNER_FAILURES,
  type RunnerFailure,
  type RunnerFailureCode,
} from "./ports/runner-failures.ts";
export type {
  DiscoveredEmail,
  DiscoveredFirstImport,
  Source,
  SourceCursor,
  SourceJob,
  SourcePage,
  SourceRequest,
} from "./ports/source.ts";
export { type App, defineApp, type MailOptions } from "./services/app.ts";
export {
  type Coordinator,
  CoordinatorClosedError,
  type CoordinatorOptions,
} from "./services/coordinator.ts";
export type { BatchResult, EnqueueItem } from "./services/email-batches.ts";
export type { JobPage, JobPageOptions } from "./services/email-lists.ts";
export type {
  ClaimedJob,
  EmailRef,
  Emails,
  Enqueued,
  EnqueueOptions,
  ErasedJob,
  Job,
  LeasedJob,
} from "./services/emails.ts";
export {
  ConfigNotFoundError,
  CursorNotFoundError,
  type InputIssue,
  InvalidCursorError,
  InvalidInputError,
  InvalidTransitionError,
  JobErasedError,
  JobExpiredError,
  JobPayloadConflictError,
} from "./services/errors.ts";
export type {
  MustReturnJson,
  Once,
  OnceContext,
  OnceOptions,
  OnceOutcome,
  Reconciled,
  ReturnsJson,
} from "./services/once.ts";
export type { HoldfastOptions, Limits } from "./services/options.ts";
export type {
  Admitted,
  Applied,
  GivenAnswer,
  HeartbeatOptions,
  HolderOptions,
  ListOptions,
  Queries,
  QueryExecution,
  QueryExecutionPage,
  QueryHealth,
  QueryJobPage,
  Started,
  StartOptions,
} from "./services/queries.ts";
export {
  QueryJobConflictError,
  QueryJobFencedError,
  QueryJobLeaseLostError,
  QueryJobNotFoundError,
  QueryJobStoreError,
  QueryJobValidationError,
} from "./services/query-errors.ts";
export type { GcPage } from "./services/query-gc.ts";
export {
  type ImportQueryJournalOptions,
  importQueryJournal,
  type JournalReport,
  type JournalTrouble,
} from "./services/query-import.ts";
export type { Replay, ReplayGap } from "./services/query-reading.ts";
export type { EventListener, Subscription } from "./services/query-subscribe.ts";
export type { Recovery } from "./services/receipt-due.ts";
export {
  OperationReceiptCapacityError,
  OperationReceiptConflictError,
  OperationReceiptContractError,
  OperationReceiptExpiredError,
  OperationReceiptInFlightError,
  OperationReceiptNotOwnedError,
  OperationReceiptOutcomeUnknownError,
  OperationReceiptResolvedError,
  OperationReceiptStoreError,
} from "./services/receipt-errors.ts";
export type { PrepareRequest } from "./services/receipt-input.ts";
export type { ReceiptList } from "./services/receipt-lists.ts";
export type {
  Dispatched,
  DispatchOptions,
  Prepared,
  ReceiptRef,
  Receipts,
  ResolveOptions,
  TokenOptions,
} from "./services/receipts.ts";
export type { PassFailureCode } from "./services/reconcile/failure-texts.ts";
export type { PassOptions, ReconcileOptions } from "./services/reconcile/reconcile.ts";
export type { EmailPassCounts, PassFailure, PassReport } from "./services/reconcile/report.ts";
export { type ProbeFinding, probe } from "./store/probe.ts";
export { probed } from "./store/probed.ts";
