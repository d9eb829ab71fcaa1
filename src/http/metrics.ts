/** What a process counted, as Prometheus reads it: a fixed vocabulary, and nobody's names. */

/** Of each observation how many there were. */
export type Counts = ReadonlyMap<string, number>;

/** Text format 0.0.4. */
export function metricsText(counts: Counts): string {
  const lines = [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `holdfast_observed_total{what="${name}"} ${count}`);
  return [
    "# HELP holdfast_observed_total What happened since the process started, by the fixed vocabulary.",
    "# TYPE holdfast_observed_total counter",
    ...lines,
    "",
  ].join("\n");
}
