/** What an application knows and the emails of the original kinds tell. Null: it does not know. */

export interface ProductFacts {
  readonly productName: string;
  /** One line at the end: why this came, who sends it. */
  readonly footer: string | null;
  /** How to address the recipient. */
  readonly recipientName: string | null;
}

export interface RecordingFacts {
  readonly title: string;
  /** Where it is watched; left out unless it is http or https. */
  readonly url: string | null;
}

export interface SharedRecordingFacts extends RecordingFacts {
  readonly sharerName: string | null;
}

/** The recipient owns the recording. */
export interface FirstViewFacts extends ProductFacts {
  readonly recording: RecordingFacts;
  readonly viewerName: string | null;
}

export interface UnviewedReminderFacts extends ProductFacts {
  readonly recording: SharedRecordingFacts;
}

/** The recipient owns the recording. */
export interface FirstImportFacts extends ProductFacts {
  readonly recording: RecordingFacts;
}

export interface TwoClipsFacts extends ProductFacts {
  readonly recordings: readonly [SharedRecordingFacts, SharedRecordingFacts];
}

/** By the name of the kind. */
export interface PresetFacts {
  readonly "first-view": FirstViewFacts;
  readonly "unviewed-reminder": UnviewedReminderFacts;
  readonly "first-import": FirstImportFacts;
  readonly "two-clips": TwoClipsFacts;
}
