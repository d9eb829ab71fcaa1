/** The journal of an original query store, as an import reads it: lines in files, only added to. */

/** Where a line is. */
export interface JournalPlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
}

export interface JournalLine {
  readonly place: JournalPlace;
  /** Null: it is longer than a row can be. */
  readonly text: string | null;
}

export interface QueryJournal {
  /** Throws MisconfiguredError: there is none, or it cannot be read. */
  check(): Promise<void>;
  /**
   * Every line that is not blank, in the order in which they were written, a few in memory at a time.
   * Throws what `check` throws.
   */
  lines(): AsyncIterable<JournalLine>;
  /** The texts of lines that were shown before, in the order of `places`. Throws MisconfiguredError. */
  read(places: readonly JournalPlace[]): AsyncIterable<string>;
}
