/** The configuration: since when emails are made, where each scan goes on (EMAIL-56 to 61). */
import { describe, expect, it } from "vitest";
import type { EmailCursorName } from "../../../src/machines/emails/inputs.ts";
import { ConfigNotFoundError, CursorNotFoundError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import { thrownBy } from "./given.ts";

/** The id of the configuration record: SHA-256 of the literal `transactional-email-config`. */
const CONFIG_KEY = "emails/config/7f8fe9e52fae8871720cbbe547a68248f8925d1ca6a44314ce91e7f37253d3ad";

export function describeConfig(bench: CurrentBench): void {
  describe("configuration", () => {
    describeEnabledAt(bench);
    describeCursors(bench);
  });
}

function describeEnabledAt(bench: CurrentBench): void {
  it("EMAIL-60 there is no configuration at first", async () => {
    expect(await bench().emails.readConfig()).toBeNull();
  });

  it("EMAIL-56 it is enabled once, at the time of the first call", async () => {
    const { emails, clock, at } = bench();
    expect(await emails.ensureEnabledAt()).toEqual({ enabledAt: at(0) });
    clock.advance(60_000);
    expect(await emails.ensureEnabledAt()).toEqual({ enabledAt: at(0) });
    expect(await emails.readConfig()).toEqual({ enabledAt: at(0) });
  });

  it("EMAIL-56 two first calls at once, of two instances, answer the same", async () => {
    const { emails, another } = bench();
    const other = await another();
    const [one, two] = await Promise.all([
      emails.ensureEnabledAt(),
      other.emails.ensureEnabledAt(),
    ]);
    expect(one).toEqual(two);
  });

  it.each([
    ["no JSON", '{"enabledAt":'],
    ["an unknown field", '{"enabledAt":"2026-01-01T00:00:00.000Z","colour":"red"}'],
    ["no time", '{"enabledAt":"yesterday"}'],
    ["a half cursor", '{"enabledAt":"2026-01-01T00:00:00.000Z","reminderCursor":{"id":"a"}}'],
  ])("EMAIL-57 a configuration with %s is told, and left as it is", async (_, body) => {
    const { emails, plant, contents } = bench();
    await plant(CONFIG_KEY, body);
    const corrupt = { code: "record_corrupt" };
    expect(await thrownBy(() => emails.ensureEnabledAt())).toMatchObject(corrupt);
    expect(await thrownBy(() => emails.readConfig())).toMatchObject(corrupt);
    const update = () => emails.updateReconciliationCursor("reminderCursor", null);
    expect(await thrownBy(update)).toMatchObject(corrupt);
    expect((await contents()).get(CONFIG_KEY)).toBe(body);
  });

  it("EMAIL-61 a creation cut off before it is stored leaves none", async () => {
    const { emails, another, at } = bench();
    const broken = await another();
    broken.interference.isBlind = true;
    broken.interference.beforePut = async () => {
      throw new Error("cut off");
    };
    await expect(broken.emails.ensureEnabledAt()).rejects.toThrow();
    expect(await emails.readConfig()).toBeNull();
    expect(await emails.ensureEnabledAt()).toEqual({ enabledAt: at(0) });
  });

  it("EMAIL-61 a creation cut off after it was stored leaves a whole one", async () => {
    const { emails, another, at } = bench();
    const broken = await another();
    broken.interference.afterPut = async () => {
      broken.interference.isBlind = true;
      throw new Error("cut off");
    };
    await expect(broken.emails.ensureEnabledAt()).rejects.toMatchObject({
      code: "outcome_unknown",
    });
    expect(await emails.readConfig()).toEqual({ enabledAt: at(0) });
  });
}

const CURSOR = { createdAt: "2026-02-03T04:05:06.789Z", id: "row-7" };

function describeCursors(bench: CurrentBench): void {
  const set = (name: string, cursor: unknown) =>
    bench().emails.updateReconciliationCursor(name as EmailCursorName, cursor as typeof CURSOR);

  it.each(["shareDiscoveryCursor", "reminderCursor", "firstViewCursor", "firstImportCursor"])(
    "EMAIL-58 %s is set, and taken back to null, without touching another",
    async (name) => {
      const { emails, at } = bench();
      await emails.ensureEnabledAt();
      await set("reminderCursor", { createdAt: "2026-01-01T00:00:00Z", id: "other" });
      const others = { enabledAt: at(0), reminderCursor: expect.anything() };
      expect(await set(name, CURSOR)).toEqual({ ...others, [name]: CURSOR });
      const taken = { ...others, [name]: null };
      expect(await set(name, null)).toEqual(taken);
      expect(await emails.readConfig()).toEqual(taken);
    },
  );

  it.each([
    ["no time", { createdAt: "yesterday", id: "row-7" }],
    ["no id", { createdAt: "2026-02-03T04:05:06.789Z" }],
    ["an empty id", { createdAt: "2026-02-03T04:05:06.789Z", id: "" }],
    ["an unknown property", { ...CURSOR, page: 2 }],
    ["nothing at all", undefined],
  ])("EMAIL-58 a cursor with %s is refused", async (_, cursor) => {
    await bench().emails.ensureEnabledAt();
    const before = await bench().contents();
    const error = await thrownBy(() => set("reminderCursor", cursor));
    expect(String(error)).toMatch(/cursor/);
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(await bench().contents()).toEqual(before);
  });

  it.each(["reconciliationCursor", "enabledAt", "__proto__", "toString", ""])(
    "EMAIL-58 the cursor name %j is refused",
    async (name) => {
      await bench().emails.ensureEnabledAt();
      const before = await bench().contents();
      expect(await thrownBy(() => set(name, CURSOR))).toBeInstanceOf(CursorNotFoundError);
      expect(await bench().contents()).toEqual(before);
    },
  );

  it("EMAIL-58 the cursor of an older version is kept", async () => {
    const { emails, plant } = bench();
    const old = { enabledAt: "2026-01-01T00:00:00.000Z", reconciliationCursor: CURSOR };
    await plant(CONFIG_KEY, JSON.stringify(old));
    const config = await emails.updateReconciliationCursor("reminderCursor", null);
    expect(config).toEqual({ ...old, reminderCursor: null });
    expect(await emails.readConfig()).toEqual(config);
  });

  it("EMAIL-59 updates of different cursors at once, by two instances, all survive", async () => {
    const { emails, another, at } = bench();
    const other = await another();
    await emails.ensureEnabledAt();
    const names = [
      "shareDiscoveryCursor",
      "reminderCursor",
      "firstViewCursor",
      "firstImportCursor",
    ];
    await Promise.all(
      names.map((name, index) =>
        (index % 2 === 0 ? emails : other.emails).updateReconciliationCursor(
          name as EmailCursorName,
          { ...CURSOR, id: name },
        ),
      ),
    );
    expect(await emails.readConfig()).toEqual({
      enabledAt: at(0),
      shareDiscoveryCursor: { ...CURSOR, id: "shareDiscoveryCursor" },
      reminderCursor: { ...CURSOR, id: "reminderCursor" },
      firstViewCursor: { ...CURSOR, id: "firstViewCursor" },
      firstImportCursor: { ...CURSOR, id: "firstImportCursor" },
    });
  });

  it("EMAIL-60 a cursor is not set before there is a configuration", async () => {
    expect(await thrownBy(() => set("reminderCursor", CURSOR))).toBeInstanceOf(ConfigNotFoundError);
    expect(await bench().emails.readConfig()).toBeNull();
  });

  it("the same cursor again writes nothing", async () => {
    const { emails, contents } = bench();
    await emails.ensureEnabledAt();
    await set("reminderCursor", CURSOR);
    const before = await contents();
    await set("reminderCursor", { ...CURSOR });
    expect(await contents()).toEqual(before);
  });
}
