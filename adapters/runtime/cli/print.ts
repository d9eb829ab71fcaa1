/** What the command line writes: tables and JSON on standard output, the rest on standard error. */

export interface Output {
  /** Machine-readable, in place of `lines`. */
  readonly isJson: boolean;
  /** Standard output. */
  readonly lines: (...lines: readonly string[]) => void;
  readonly json: (value: unknown) => void;
  /** Standard error. */
  readonly note: (line: string) => void;
}

export function output(isJson: boolean): Output {
  // Whoever reads has seen enough, such as `head`: that is no failure.
  process.stdout.on("error", () => process.exit(0));
  return {
    isJson,
    lines: (...lines) => {
      for (const line of lines) process.stdout.write(`${line}\n`);
    },
    json: (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: (line) => process.stderr.write(`${printable(line)}\n`),
  };
}

/** Text from outside without what a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return char === "\n" ? char : `\\u{${code.toString(16)}}`;
  });
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
