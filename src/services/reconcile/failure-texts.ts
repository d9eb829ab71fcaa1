/** Everything that can go wrong in a pass: what it means, and what to do about it. */

export interface FailureText {
  /** Nothing of any job's content, here and below. */
  readonly why: string;
  readonly action: string;
}

const NEXT_PASS = "nothing: the next pass goes on; look at the storage when it stays";

const TEXTS = {
  source_timeout: {
    why: "the source did not answer in its share of the time; after two tenants it is not asked again in a pass",
    action: "make it read less or faster, or give passes a larger budget",
  },
  source_failed: {
    why: "the source threw",
    action: "read what it threw in the log; it is asked for the same page by the next pass",
  },
  source_unfinished: {
    why: "the time was up before all jobs of the source's page were enqueued; its place was kept",
    action:
      "nothing while it passes: what was enqueued costs the next pass little; else give passes a larger budget",
  },
  source_invalid_page: {
    why: "the source answered with no page of { jobs, next }",
    action:
      "read in the log where it is wrong, and mend the source; the next pass asks for the same page",
  },
  source_page_too_long: {
    why: "the source answered with more jobs than its limit; the first ones were taken",
    action: "make the source keep to its limit, or rows behind them are passed over",
  },
  source_cursor_stuck: {
    why: "the source named a last row that is not behind the one it was asked for; its place was kept",
    action: "order its rows by creation time, then id, and read behind the row that it is given",
  },
  source_invalid_job: {
    why: "the source named a job that cannot be enqueued; the others of its page were",
    action:
      "read in the log where it is wrong, and mend the source: a job is a key and a payload of its kind, with nothing beside",
  },
  prepare_timeout: {
    why: "the kind's prepare did not answer in time; nothing was sent",
    action: "make it faster; the job is tried again while it has attempts left",
  },
  prepare_failed: {
    why: "the kind's prepare threw, or suppress did; nothing was sent",
    action: "read the log, or the job's lastError; it is tried again while it has attempts left",
  },
  invalid_content: {
    why: "the kind's prepare answered with what is no content; nothing was sent",
    action: "read the job's lastError and mend prepare",
  },
  out_of_time: {
    why: "the time was up before anything was sent",
    action: "make prepare faster, or give passes a larger budget; the job is tried again",
  },
  lease_over: {
    why: "the lease was over before anything was sent: the process or the machine stood still, or its clock was set forward",
    action: "nothing: whoever takes the job next sends it; look at the machine when it stays",
  },
  lease_lost: {
    why: "another lease or settlement came during the send, so the mail may go out twice",
    action:
      "look for clocks that differ and for mails that take minutes; the other one's word counts",
  },
  mailer_timeout: {
    why: "the mailer did not say in time what became of the mail, which may have been sent",
    action:
      "look at the mail server; a kind may say that such a job is failed instead of tried again",
  },
  mailer_failed: {
    why: "the mailer threw or answered nonsense, so the mail may have been sent",
    action: "read the job's lastError and mend the mailer",
  },
  mailer_unavailable: {
    why: "the mailer is not there, so mails were given back untried",
    action:
      "read what it said in the log, or as lastError of jobs that are ready; the next pass tries again",
  },
  store_timeout: {
    why: "the storage did not answer while the pass could wait; what was asked may be done still",
    action: NEXT_PASS,
  },
  unavailable: {
    why: "the storage does not answer as it should",
    action: NEXT_PASS,
  },
  throttled: {
    why: "the storage refused for load; nothing was written",
    action: "nothing: the next pass goes on; give the storage more capacity when it stays",
  },
  outcome_unknown: {
    why: "a write may have been done or not",
    action: NEXT_PASS,
  },
  contended: {
    why: "others kept changing the same record; nothing was written",
    action: NEXT_PASS,
  },
  record_corrupt: {
    why: "the record cannot be read: it is damaged, of a newer release, or of a kind or an operation that is not registered; it is left as it is",
    action:
      "run the newer release, or register what is missing; else restore the record from a copy, or move it away",
  },
  record_too_large: {
    why: "the record would be larger than a record may be; nothing was written",
    action: "keep large content elsewhere and put its address into the payload",
  },
  job_not_found: {
    why: "the job's record was gone when its attempt was to be settled",
    action: "find out who removes records by hand",
  },
  config_not_found: {
    why: "the configuration was gone when a place was to be kept",
    action: "nothing: the next pass makes it; find out who removes records by hand",
  },
  misconfigured: {
    why: "the storage cannot be used as it is configured",
    action: "run holdfast doctor",
  },
  folder_in_use: {
    why: "the folder belongs to another process",
    action: "let one process have the folder, or share it",
  },
  unexpected: {
    why: "a fault that nobody foresaw; it stopped nothing else",
    action: "read its text in the log: it may be of what the application brings; else report it",
  },
} as const satisfies Readonly<Record<string, FailureText>>;

export type PassFailureCode = keyof typeof TEXTS;

export const FAILURE_TEXTS: Readonly<Record<PassFailureCode, FailureText>> = TEXTS;

export const FAILURE_CODES = Object.keys(TEXTS) as PassFailureCode[];

/** The code of that name; anything else is told as what nobody foresaw. */
export function failureCode(name: unknown): PassFailureCode {
  return typeof name === "string" && Object.hasOwn(TEXTS, name)
    ? (name as PassFailureCode)
    : "unexpected";
}
