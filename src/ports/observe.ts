/** What a deployment can count: a fixed vocabulary, no identifiers, no free text (semantics B5). */

export type Observation =
  | "store.put.resent"
  | "store.put.own_write_recognised"
  | "store.put.outcome_unknown"
  | "store.contended"
  | "store.record_corrupt"
  | "store.due.mended"
  | "folder.lock.taken_over"
  | "folder.lock.lost"
  | "folder.rebuild.started"
  | "folder.rebuild.scanned"
  | "folder.rebuild.finished"
  | "folder.leftovers.swept"
  | "email.enqueued"
  | "email.duplicate"
  | "email.leased"
  | "email.lease_lost"
  | "email.settled"
  | "email.given_back"
  | "email.exhausted"
  | "email.retired"
  | "email.erased"
  | "email.discovered"
  | "email.promoted"
  | "email.sent"
  | "email.retried"
  | "email.failed"
  | "email.cancelled"
  | "email.stale"
  | "email.skipped"
  | "email.pass.started"
  | "email.pass.finished"
  | "email.pass.failure"
  | "email.mailer_unavailable";

/** Called synchronously with how many at once, 1 or more. Must not throw; a throw is ignored. */
export type Observe = (name: Observation, count: number) => void;
