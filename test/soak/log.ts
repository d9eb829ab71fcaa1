/** What the services of a soak say: counted, and what none of them should say under any kill. */
import type { ProblemCode } from "../../src/http/problem.ts";

export interface Log {
  hears(line: string): void;
  /** Lines by level, event, and what they are about; without numbers, which differ. */
  readonly said: ReadonlyMap<string, number>;
  readonly broken: readonly string[];
}

const TOLD_CHARS = 600;

export function openLog(progress: (line: string) => void): Log {
  const said = new Map<string, number>();
  const broken: string[] = [];
  return {
    said,
    broken,
    hears(line) {
      progress(line);
      const fields = fieldsOf(line);
      if (fields === null) {
        broken.push(`a service said what is no line of a log: ${line.slice(0, TOLD_CHARS)}`);
        return;
      }
      const { level, event, code, codes, what, fault } = fields;
      const about = [code, codes, what, fault].filter((part) => typeof part === "string");
      const told = [level, event, ...about].join(" ").replace(/ \d+/g, "");
      said.set(told, (said.get(told) ?? 0) + 1);
      if (level === "error" && !isOutage(fields)) {
        broken.push(`a service met what nobody expected: ${line.slice(0, TOLD_CHARS)}`);
      }
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(line: string): Fields | null {
  try {
    return Object(JSON.parse(line)) as Fields;
  } catch {
    return null;
  }
}

const UNEXPECTED: ProblemCode = "internal_error";

/** A storage that is slow, or contention: only the product's own faults are logged with their message. */
function isOutage({ event, code, message }: Fields): boolean {
  if (event === "request") return code !== UNEXPECTED;
  return event === "fault" && typeof message === "string";
}
