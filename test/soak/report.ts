/** What came of a soak, as tables in Markdown. */
import { median, quantile, table } from "../../bench/measure.ts";
import { counted, of } from "./checks.ts";
import type { SoakReport } from "./soak.ts";

export function reportText(report: SoakReport): string {
  const { storage, minutes, quietSeconds, broken } = report;
  const told =
    broken.length === 0
      ? "Nothing was lost, done twice, stuck, or grew without a bound."
      : `${broken.length} things do not hold:\n\n${broken.map((one) => `- ${one}`).join("\n")}`;
  return [
    `## ${storage}: ${minutes} minutes, and ${quietSeconds} s until all was at its end`,
    told,
    table(["", ""], workRows(report)),
    table(
      ["the service that lived through it", "after warm-up", "at the end", "slope, an hour"],
      report.growths.map(({ what, unit, from, to, slopePerHour }) => [
        `${what}${unit === "" ? "" : `, ${unit}`}`,
        from.toFixed(1),
        to.toFixed(1),
        slopePerHour.toFixed(1),
      ]),
    ),
    table(["milliseconds", "p50", "p99", "max"], delayRows(report)),
    "",
  ].join("\n\n");
}

function workRows({ facts, stored, services, deaths, size, said }: SoakReport) {
  const { emails, waiting, receipts, queries, stuck } = stored;
  const mails = of(facts, "mailed");
  const states = (values: readonly string[]): string =>
    [...counted(values)].map(([state, count]) => `${count} ${state}`).join(", ");
  const repeats = mails.length - new Set(mails.map(({ key }) => key)).size;
  const byPass = mails.filter(({ token }) => token === null).length;
  const effects = of(facts, "effect");
  const events = queries.reduce((sum, one) => sum + one.events.length, 0);
  return [
    ["services killed · stopped in order", `${services.kills} · ${services.stops}`],
    ["senders, callers and runners that died", String(deaths)],
    ["emails", states(emails.map(({ state }) => state))],
    ["mails: by passes · by workers", `${byPass} · ${mails.length - byPass}`],
    ["mails that went out again after a death", String(repeats)],
    ["receipts", states(receipts.map(({ state }) => state))],
    ["side effects, each of another receipt", String(effects.length)],
    ["queries", states(queries.map(({ job }) => job.status))],
    ["events in their logs", String(events)],
    ["streams read to their end", String(of(facts, "read").length)],
    ["emails whose next attempt is still to come", String(waiting.size)],
    ["for a person, as was meant", String(stuck.length)],
    ["the storage at the end", size],
    ["refusals and outages met by callers", states(of(facts, "met").map(({ what }) => what))],
    ["warnings and errors of services", [...said].map(([what, n]) => `${n} ${what}`).join(", ")],
  ];
}

function delayRows({ latencies, samples }: SoakReport): readonly (readonly string[])[] {
  const delays = samples.map(({ delayMs }) => delayMs);
  const row = (what: string, values: readonly number[]) => [
    what,
    ...values.map((value) => value.toFixed(1)),
  ];
  return [
    row("`GET /healthz`", [median(latencies), quantile(latencies, 0.99), quantile(latencies, 1)]),
    row("event loop delay", [
      median(delays.map(({ p50 }) => p50)),
      median(delays.map(({ p99 }) => p99)),
      quantile(
        delays.map(({ max }) => max),
        1,
      ),
    ]),
  ];
}
