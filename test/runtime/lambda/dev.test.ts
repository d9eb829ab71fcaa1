/** `npm run dev:lambda`, as a developer starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const DEV = fileURLToPath(new URL("./dev.js", import.meta.url));

let child: ChildProcess | null = null;
afterEach(() => {
  child?.kill("SIGKILL");
});

/** What it printed, once `pattern` is in it. */
async function started(pattern: RegExp): Promise<string> {
  const server = spawn(process.execPath, [DEV, "--port", "0"], {
    env: { PATH: process.env["PATH"] },
  });
  child = server;
  let printed = "";
  return new Promise((resolve, reject) => {
    server.stdout.on("data", (chunk) => {
      printed += chunk;
      if (pattern.test(printed)) resolve(printed);
    });
    server.stderr.resume();
    server.on("exit", () => reject(new Error(`it ended: ${printed}`)));
  });
}

describe("npm run dev:lambda", () => {
  it("serves the bundle over a table in memory, shows a key and a command, and passes", async () => {
    const printed = await started(/^pass: /m);
    const [, authorization = "", url = ""] =
      /^curl -H 'Authorization: (Bearer [^']+)' (http\S+)$/m.exec(printed) ?? [];
    expect(printed).toContain(`HOLDFAST_KEY=${authorization.slice("Bearer ".length)}`);
    const health = await fetch(url, { headers: { authorization } });
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ emails: { deliver: { due: 0 } } });
    expect((await fetch(url)).status).toBe(401);
    expect(printed).toMatch(/^pass: \{"emails":/m);
  });

  it("ends when it is told to", async () => {
    await started(/^pass: /m);
    child?.kill("SIGTERM");
    const [code] = child === null ? [] : await once(child, "exit");
    expect(code).toBe(0);
  });
});
