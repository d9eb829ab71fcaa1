/** What the command line writes: tables and JSON on standard output, the rest on standard error. */

export interface Output {
  /** Machine-readable, in place of `lines`. */
  readonly isJson: boolean;
  /** Standard output. */
  readonly lines: (...lines: readonly string[]) => void;
  readonly json: (value: unknown) => void;
  /** Standard output, as it is, without an end of line. */
  readonly text: (text: string) => void;
  /** Standard output. Rejects when it cannot be written, which ends the process elsewhere. */
  readonly sure: (text: string) => Promise<void>;
  /** One line on standard error. */
  readonly note: (line: string) => void;
}

let isWatched = false;
let isSure = false;

function watchOutput(): void {
  if (isWatched) return;
  isWatched = true;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (isSure) return;
    // Whoever reads has seen enough, such as `head`: that is no failure.
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`holdfast: standard output: ${error.message}\n`);
    process.exit(1);
  });
}

export function output(isJson: boolean): Output {
  watchOutput();
  return {
    isJson,
    lines: (...lines) => {
      for (const line of lines) process.stdout.write(`${line}\n`);
    },
    text: (text) => void process.stdout.write(text),
    json: (value) => process.stdout.write(`${jsonText(value, 2)}\n`),
    sure(text) {
      isSure = true;
      return new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => {
          if (error == null) resolve();
          else reject(error);
        });
      });
    },
    note: (line) => process.stderr.write(`${oneLine(line)}\n`),
  };
}

/** Controls, also those that turn the direction of text, and what ends a line. */
const OBEYED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text from outside without what a terminal would obey, but for newlines. */
export function printable(text: string): string {
  return text.replace(OBEYED, (char) => (char === "\n" ? char : escaped(char)));
}

/** The same where a newline could pass for the end of what is told. */
export function oneLine(text: string): string {
  return text.replace(OBEYED, escaped);
}

/** What turns the direction of text, and with it what is before one's eyes. */
const TURNING = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const OBEYED_IN_PROSE = new RegExp(`(?![\\n\\t])[\\p{Cc}${TURNING}]`, "gu");

/** The same of text that people write, in which tabs and what joins characters is part of it. */
export function prose(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(OBEYED_IN_PROSE, escaped);
}

/** JSON that says the same, without what a terminal would obey. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  // What is left of newlines is the indentation.
  return text.replace(OBEYED, (char) => (char === "\n" ? char : unitsOf(char)));
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

function unitsOf(char: string): string {
  return char
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Columns as wide as they must be; the last one is not filled up. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => printable(cell).replace(/\n/g, " ")),
  );
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => (row[column] ?? "").length)),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  "),
  );
}

export interface Progress {
  /** How far it is; shown now and then. */
  tell(text: string): void;
  end(): void;
}

const SHOWN_EVERY_MS = 200;
const LOGGED_EVERY_MS = 5_000;

/** On a terminal one line that changes, elsewhere a line every few seconds. */
export function progress(): Progress {
  const isTerminal = process.stderr.isTTY === true;
  const every = isTerminal ? SHOWN_EVERY_MS : LOGGED_EVERY_MS;
  let shownAt = Date.now();
  let isShown = false;
  return {
    tell(text) {
      if (Date.now() - shownAt < every) return;
      shownAt = Date.now();
      isShown = true;
      process.stderr.write(isTerminal ? `\r\u001b[K${printable(text)}` : `${printable(text)}\n`);
    },
    end() {
      if (isShown && isTerminal) process.stderr.write("\r\u001b[K");
    },
  };
}
