/** The mailer that sends nothing: what it keeps, where, and who can read that. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { captureMailer, MAILS_KEPT_MAX } from "../../../adapters/mail/capture.ts";
import { epochMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Mail } from "../../../src/ports/mailer.ts";

const MAIL: Mail = {
  from: "jobs@example.com",
  to: "ann@example.net",
  subject: "Schöne Grüße",
  text: "Hello\n",
  html: "<p>Hello</p>",
  replyTo: "help@example.com",
  headers: { "X-A": "b" },
};

const clock: Clock = {
  now: () => epochMs(1_790_000_000_000),
  elapsed: () => 0,
  sleep: async () => {},
};
const { signal } = new AbortController();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-capture-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing of the mail was tried. */
function unavailable(error: RegExp) {
  return { kind: "retry", error: expect.stringMatching(error), isUnavailable: true };
}

it("keeps mails in memory without a folder", async () => {
  const mailer = captureMailer({ clock });
  const result = await mailer.send(MAIL, { idempotencyKey: "key", signal });
  expect(result).toEqual({ kind: "sent", id: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(mailer.mails).toEqual([
    {
      id: result.kind === "sent" && result.id,
      at: "2026-09-21T14:13:20.000Z",
      idempotencyKey: "key",
      mail: MAIL,
    },
  ]);
});

it("writes each try to a file of its own that nobody else can read", async () => {
  const directory = join(folder, "deep", "mail");
  const mailer = captureMailer({ directory, clock });
  for (const key of ["welcome:ann@example.net", "welcome:ann@example.net", "b"]) {
    expect(await mailer.send(MAIL, { idempotencyKey: key, signal })).toMatchObject({
      kind: "sent",
    });
  }
  const names = readdirSync(directory);
  expect(names).toHaveLength(3);
  for (const name of names) {
    expect(name).toMatch(/^2026-09-21T14-13-20\.000Z-[0-9a-f]{12}(-2)?\.json$/);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(directory, name), "utf8"))).toMatchObject({ mail: MAIL });
  }
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

it("answers as a mailer that sends: refused, later, or stopped", async () => {
  writeFileSync(join(folder, "file"), "");
  const given = { idempotencyKey: "key", signal };
  const broken = captureMailer({ directory: join(folder, "file") });
  expect(await broken.send(MAIL, given)).toEqual(unavailable(/\(EEXIST\)$/));
  const mailer = captureMailer();
  expect(await mailer.send({ ...MAIL, to: "a@b.example, c@d.example" }, given)).toEqual({
    kind: "permanent",
    error: "to: not one address",
  });
  const stopped = { ...given, signal: AbortSignal.abort() };
  expect(await mailer.send(MAIL, stopped)).toEqual(unavailable(/^stopped$/));
  await mailer.close();
  expect(await mailer.send(MAIL, given)).toEqual(unavailable(/closed$/));
  expect([...broken.mails, ...mailer.mails]).toEqual([]);
});

it("is not led elsewhere by a link, neither in the place of its folder nor of a mail", async () => {
  const [elsewhere, directory] = [join(folder, "elsewhere"), join(folder, "mail")];
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, directory);
  const given = { idempotencyKey: "key", signal };
  for (const behind of ["/", "/.", "//"]) {
    const led = captureMailer({ directory: directory + behind, clock });
    expect(await led.send(MAIL, given)).toEqual(unavailable(/\(ENOTDIR\)$/));
  }
  const mailer = captureMailer({ directory, clock });
  expect(await mailer.send(MAIL, given)).toEqual(unavailable(/\(ENOTDIR\)$/));
  expect(readdirSync(elsewhere)).toEqual([]);

  rmSync(directory);
  expect(await mailer.send(MAIL, given)).toMatchObject({ kind: "sent" });
  const [name = ""] = readdirSync(directory);
  rmSync(join(directory, name));
  symlinkSync(join(elsewhere, "target"), join(directory, name));
  expect(await mailer.send(MAIL, given)).toMatchObject({ kind: "sent" });
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(readdirSync(directory)).toHaveLength(2);
});

it.each(["", "  "])(
  "refuses the directory %j, which would be where it was started",
  (directory) => {
    expect(() => captureMailer({ directory })).toThrow(MisconfiguredError);
  },
);

it("tells no path of what it could not write", async () => {
  writeFileSync(join(folder, "file"), "");
  for (const path of [["file"], ["file", "mail"]]) {
    const mailer = captureMailer({ directory: join(folder, ...path) });
    const result = await mailer.send(MAIL, { idempotencyKey: "key", signal });
    expect(result).toEqual(unavailable(/\(E[A-Z]+\)$/));
    expect(JSON.stringify(result)).not.toContain(folder);
  }
});

it("forgets the oldest", async () => {
  const mailer = captureMailer();
  for (let n = 0; n <= MAILS_KEPT_MAX; n += 1) {
    await mailer.send(MAIL, { idempotencyKey: String(n), signal });
  }
  expect(mailer.mails).toHaveLength(MAILS_KEPT_MAX);
  expect(mailer.mails[0]?.idempotencyKey).toBe("1");
});
