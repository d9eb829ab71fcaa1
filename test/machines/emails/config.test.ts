import { describe, expect, it } from "vitest";
import {
  decideConfig,
  EMAIL_CONFIG_LOCK_KEY,
  emailConfigRecord,
  parseEmailConfig,
} from "../../../src/machines/emails/config.ts";
import { jobIdOf } from "../../../src/machines/emails/record.ts";
import { at } from "./given.ts";

const ensure = { kind: "ensureEnabledAt" } as const;
const cursor = { createdAt: "2026-01-01T00:00:00Z", id: "row-1" };
const enabled = { enabledAt: "2026-01-01T00:00:00.000Z" };

function set(name: string, value: typeof cursor | null = cursor) {
  return { kind: "setCursor", name, cursor: value } as const;
}

describe("the configuration record", () => {
  it("its lock is the id of a literal key (golden vector)", () => {
    expect(jobIdOf(EMAIL_CONFIG_LOCK_KEY)).toBe(
      "7f8fe9e52fae8871720cbbe547a68248f8925d1ca6a44314ce91e7f37253d3ad",
    );
  });

  it("is read with its legacy cursor and written back, in the order of its fields", () => {
    const fields = {
      enabledAt: "2026-01-01T01:00:00+01:00",
      reconciliationCursor: cursor,
      shareDiscoveryCursor: null,
      reminderCursor: cursor,
      firstViewCursor: null,
      firstImportCursor: cursor,
    };
    const shuffled = Object.fromEntries(Object.entries(fields).reverse());
    const read = parseEmailConfig(shuffled);
    expect(read).toEqual({ ok: true, config: fields });
    const written = read.ok ? emailConfigRecord(read.config) : null;
    expect(JSON.stringify(written)).toBe(JSON.stringify(fields));
  });

  it("an absent cursor stays absent", () => {
    const read = parseEmailConfig(enabled);
    expect(read.ok && emailConfigRecord(read.config)).toEqual(enabled);
  });

  it.each([
    [{}, "enabledAt: invalid_type"],
    [{ enabledAt: "yesterday" }, "enabledAt: invalid_format"],
    [{ ...enabled, colour: "red" }, "colour: unknown property"],
    [{ ...enabled, reminderCursor: { id: "x" } }, "reminderCursor.createdAt: invalid_type"],
    [{ ...enabled, reminderCursor: { ...cursor, id: "" } }, "reminderCursor.id: too_small"],
    [{ ...enabled, firstAgentViewCursor: null }, "firstAgentViewCursor: unknown property"],
  ])("EMAIL-57 %j is unreadable", (fields, reason) => {
    expect(parseEmailConfig(fields)).toEqual({ ok: false, reason });
  });
});

describe("ensuring enabledAt", () => {
  it("EMAIL-56 sets it to now, once", () => {
    expect(decideConfig(null, ensure, at(1_000))).toEqual({
      kind: "apply",
      next: { enabledAt: "2026-01-01T00:00:01.000Z" },
    });
    const config = { ...enabled, reminderCursor: cursor };
    expect(decideConfig(config, ensure, at(9_000))).toEqual({ kind: "unchanged", state: config });
  });
});

describe("setting a cursor", () => {
  it.each(["shareDiscoveryCursor", "reminderCursor", "firstViewCursor", "firstImportCursor"])(
    "EMAIL-58 changes %s and nothing else",
    (name) => {
      const other = { createdAt: "2026-01-01T00:00:00Z", id: "row-0" };
      const config = {
        ...enabled,
        reconciliationCursor: other,
        shareDiscoveryCursor: other,
        reminderCursor: other,
        firstViewCursor: other,
        firstImportCursor: other,
      };
      expect(decideConfig(config, set(name), at(1))).toEqual({
        kind: "apply",
        next: { ...config, [name]: cursor },
      });
    },
  );

  it("EMAIL-58 null is stored as null", () => {
    expect(decideConfig(enabled, set("reminderCursor", null), at(1))).toEqual({
      kind: "apply",
      next: { ...enabled, reminderCursor: null },
    });
  });

  it.each(["reconciliationCursor", "enabledAt", "nextCursor", "toString", ""])(
    "EMAIL-58 there is no cursor %j to set",
    (name) => {
      expect(decideConfig(enabled, set(name), at(1))).toEqual({
        kind: "reject",
        rejection: { kind: "cursor_not_found" },
      });
    },
  );

  it("EMAIL-60 is refused where there is no configuration", () => {
    expect(decideConfig(null, set("reminderCursor"), at(1))).toEqual({
      kind: "reject",
      rejection: { kind: "config_not_found" },
    });
  });

  it("to a row of the same id and another time is a change", () => {
    const config = { ...enabled, reminderCursor: { ...cursor, createdAt: "2026-01-02T00:00:00Z" } };
    expect(decideConfig(config, set("reminderCursor"), at(1))).toEqual({
      kind: "apply",
      next: { ...enabled, reminderCursor: cursor },
    });
  });

  it("to what it is already writes nothing", () => {
    const config = { ...enabled, reminderCursor: cursor, firstViewCursor: null };
    for (const command of [set("reminderCursor", { ...cursor }), set("firstViewCursor", null)]) {
      expect(decideConfig(config, command, at(1))).toEqual({ kind: "unchanged", state: config });
    }
  });
});
