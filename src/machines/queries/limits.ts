/** What bounds a query (semantics C6). Characters are UTF-16 units. */
import { minutes, seconds } from "../../core/time.ts";

/** Characters of a prompt, and of the earlier prompt that a request refers to; before they are cleaned. */
export const QUERY_CHARS_MAX = 48_000;

/** Characters of an answer, whole or so far, and of the earlier answer that a request refers to. */
export const ANSWER_CHARS_MAX = 128_000;

/** Characters of one delta: more is refused over HTTP, and shown cut and flagged to subscribers. */
export const DELTA_CHARS_MAX = 16_000;

/** Characters of the text of an activity or of an error. */
export const NOTICE_CHARS_MAX = 2_000;

/** Activities of a snapshot: the latest. */
export const ACTIVITIES_MAX = 64;

export const ATTACHMENTS_MAX = 5;

export const SESSION_ID_CHARS_MAX = 128;

/** Characters of a model that was resolved, and of each other id of a provider's. */
export const RESOLVED_MODEL_CHARS_MAX = 64;
export const LINKAGE_ID_CHARS_MAX = 256;

/** Images of each sort that an answer's stats count. */
export const IMAGES_MAX = 1_000;

/** How long a session is held after a run was interrupted whose provider may still be at work. */
export const ORPHAN_FENCE_MS = minutes(21);

/** How long a job is kept from its admission on, unless a deployment says otherwise. */
export const RETENTION_MS = minutes(7 * 24 * 60);

/** A run's lease, unless its caller says otherwise (http-api). */
export const RUN_LEASE_MS = seconds(60);

/** Earlier generations of one client job whose logs are still kept (protocols 4.1). */
export const HISTORY_MAX = 64;
