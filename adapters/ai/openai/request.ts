/** What is sent to the provider. */
import type { RunnerExecution } from "../../../src/ports/runner.ts";

/** The body of the request, as JSON. */
export function requestBody(execution: RunnerExecution, model: string): string {
  const { query, reference, effort } = execution;
  const earlier =
    reference === null
      ? []
      : [
          { role: "user", content: reference.query },
          { role: "assistant", content: reference.response },
        ];
  return JSON.stringify({
    model,
    messages: [...earlier, { role: "user", content: query }],
    stream: true,
    ...(effort === null ? {} : { reasoning_effort: effort }),
  });
}

/** What the provider is given and must not come back in a message. */
export function secretsOf(execution: RunnerExecution, key: string | null): readonly string[] {
  const { query, reference } = execution;
  const given = reference === null ? [query] : [query, reference.query, reference.response];
  return [...(key === null ? [] : [key]), ...given];
}
