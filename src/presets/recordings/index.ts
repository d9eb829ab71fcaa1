/**
 * The emails about recordings that the original store was made for: what an application spreads into
 * `defineApp` so that a pass finds, checks and sends them.
 */
import type { App } from "../../services/app.ts";
import { mailableBy } from "./mailable.ts";
import { type Product, recordingPrepares } from "./prepare.ts";
import { checkedReads } from "./reads.ts";
import type { EmailRepository } from "./repository.ts";
import { recordingSources } from "./sources.ts";

export { type ClaimableOptions, claimableEmails } from "./claims.ts";
export { isSuppressedRecipient } from "./mailable.ts";
export { type MemoryData, memoryRepository } from "./memory.ts";
export { oneSentence } from "./one-sentence.ts";
export type { Product } from "./prepare.ts";
export type {
  EmailRepository,
  Import,
  PageRequest,
  ReadContext,
  Recording,
  Share,
  SharesRequest,
  View,
} from "./repository.ts";

export interface RecordingEmailsOptions {
  readonly repository: EmailRepository;
  readonly product: Product;
  /**
   * Addresses, trimmed and lower-case, that get none of the four kinds, beside those of
   * `isSuppressedRecipient`. The application's own `suppress` is asked as well.
   */
  readonly suppress?: (address: string) => boolean;
}

/** How `first-view`, `unviewed-reminder`, `first-import` and `two-clips` are found and prepared. */
export type RecordingEmails = Required<Pick<App, "sources" | "prepare">>;

/** Every read of `EmailRepository`, by name. */
const READS: Readonly<Record<keyof EmailRepository, true>> = {
  shares: true,
  views: true,
  imports: true,
  firstShares: true,
  share: true,
  shareWith: true,
  recording: true,
  ownsRecording: true,
  hasViewed: true,
  firstView: true,
  firstImport: true,
  displayName: true,
};

/** Throws TypeError where a part is missing. */
export function recordingEmails(options: RecordingEmailsOptions): RecordingEmails {
  const { repository, product, suppress = () => false } = options;
  for (const name of Object.keys(READS)) {
    const read: unknown = Reflect.get(Object(repository), name);
    if (typeof read !== "function") throw new TypeError(`repository.${name} must be a function`);
  }
  if (typeof product?.name !== "string") throw new TypeError("product.name must be a string");
  if (typeof suppress !== "function") throw new TypeError("suppress must be a function");
  const reads = checkedReads(repository);
  const mailable = mailableBy(suppress);
  return {
    sources: recordingSources(reads, mailable),
    prepare: recordingPrepares({ reads, mailable, product }),
  };
}
