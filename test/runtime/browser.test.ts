/** A real browser's EventSource against the service, from a page of another origin, over a line that is cut. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { TICKET_SECRET } from "../http/fixture.ts";
import { eventsPath, eventually } from "../http/streams.ts";
import { type ServerProcess, startServer } from "./process.ts";
import { posted, runningJob } from "./queries.ts";

/** Debian's name, and others'. */
const BROWSER = ["chromium", "chromium-browser", "google-chrome"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);

const KEY = `hf_app_${"k".repeat(43)}`;
const BEARER = { authorization: `Bearer ${KEY}` };

/** What the page tells of: an event, the opening or a failure of the connection, or an answer's status. */
interface Report {
  readonly what: string;
  readonly id?: string;
  readonly state?: number;
  readonly status?: number;
}

/** The page: follows `events` and cancels by `cancel`, when it is told to; one report after the other. */
const PAGE = `<!doctype html><script>
const given = new URLSearchParams(location.search);
let last = Promise.resolve();
const report = (told) => (last = last.then(() =>
  fetch("/report", { method: "POST", body: JSON.stringify(told) })));
const source = new EventSource(given.get("events"));
source.onopen = () => report({ what: "open" });
source.onerror = () => report({ what: "error", state: source.readyState });
for (const type of ["accepted", "starting", "running", "chunk", "completed", "canceled", "rotate"]) {
  source.addEventListener(type, ({ lastEventId: id }) => {
    report({ what: type, id });
    if (type === "completed" || type === "canceled") source.close();
    if (type === "chunk" && given.has("cancel")) {
      fetch(given.get("cancel"), {
        method: "POST",
        headers: { authorization: "Bearer " + given.get("ticket"), "content-type": "application/json" },
        body: JSON.stringify({ generation: 1 }),
      }).then(({ status }) => report({ what: "cancel", status }), () => report({ what: "cancel", status: 0 }));
    }
  });
}
</script>`;

const portOf = (server: HttpServer | Server): number => (server.address() as AddressInfo).port;

describe.skipIf(BROWSER === undefined)(
  `a page in a browser${BROWSER === undefined ? " (skipped: no chromium is installed)" : ""}`,
  () => {
    let profile: string;
    let pages: HttpServer;
    let line: Server;
    let service: ServerProcess;
    let browser: ChildProcess | null;
    /** What goes through the line now, and what browsers have sent through it. */
    let sockets: Set<Socket>;
    let sent: string;
    let reports: Report[];

    beforeEach(async () => {
      profile = mkdtempSync(join(tmpdir(), "holdfast-browser-"));
      [browser, sockets, sent, reports] = [null, new Set(), "", []];
      pages = createHttpServer((incoming, outgoing) => {
        if (incoming.method === "GET") {
          outgoing.setHeader("content-type", "text/html");
          outgoing.end(PAGE);
          return;
        }
        let text = "";
        incoming.setEncoding("utf8").on("data", (some: string) => {
          text += some;
        });
        incoming.on("end", () => {
          reports.push(JSON.parse(text));
          outgoing.end();
        });
      }).listen(0, "127.0.0.1");
      await once(pages, "listening");
      service = await startServer({
        HOLDFAST_STORAGE: "memory",
        HOLDFAST_SECRET: TICKET_SECRET,
        HOLDFAST_CORS_ORIGINS: `http://127.0.0.1:${portOf(pages)}`,
        HOLDFAST_KEYS: JSON.stringify([{ id: "app", scopes: ["*"], sha256: sha256Hex(KEY) }]),
      });
      line = createServer((near) => {
        const far = connect(Number(new URL(service.url).port), "127.0.0.1");
        for (const one of [near, far]) {
          sockets.add(one);
          one.on("error", () => {});
          one.on("close", () => {
            sockets.delete(one);
            (one === near ? far : near).destroy();
          });
        }
        near.on("data", (bytes) => {
          sent += bytes.toString("latin1");
        });
        near.pipe(far);
        far.pipe(near);
      }).listen(0, "127.0.0.1");
      await once(line, "listening");
    });

    afterEach(async () => {
      if (browser !== null) {
        browser.kill("SIGKILL");
        await once(browser, "close");
      }
      await service.kill("SIGKILL");
      cut();
      line.close();
      pages.closeAllConnections();
      pages.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    });

    function cut(): void {
      for (const socket of sockets) socket.destroy();
    }

    const throughLine = (path: string): string => `http://127.0.0.1:${portOf(line)}${path}`;

    function open(host: string, given: Readonly<Record<string, string>>): void {
      const page = `http://${host}:${portOf(pages)}/?${new URLSearchParams(given)}`;
      const options = [
        "--headless",
        // As root, which continuous integration mostly is.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--remote-debugging-port=0",
        `--user-data-dir=${profile}`,
        page,
      ];
      browser = spawn(BROWSER ?? "", options, { stdio: "ignore" });
    }

    async function jobWithTicket() {
      const job = await runningJob(service.url, BEARER);
      const path = `/v1/query-jobs/${job.jobId}/tickets`;
      const { ticket } = await posted(service.url, path, { generation: 1 }, BEARER);
      const events = throughLine(`${eventsPath(job.jobId)}&ticket=${ticket}`);
      return { job, ticket: String(ticket), events };
    }

    const ids = () => reports.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    const told = (what: string) => reports.filter((report) => report.what === what);

    it("of another origin follows a job by its ticket, and goes on by itself where the line was cut", async () => {
      const { job, events } = await jobWithTicket();
      open("127.0.0.1", { events });
      await eventually(() => expect(ids()).toEqual([1, 2, 3]), 60_000);
      cut();
      await job.chunk("Whales ");
      await job.chunk("are ");
      await eventually(() => expect(ids()).toEqual([1, 2, 3, 4, 5]), 60_000);
      expect(sent).toMatch(/\r\nLast-Event-ID: 3\r\n/i);
      expect(sent).toContain(`Origin: http://127.0.0.1:${portOf(pages)}\r\n`);
      await job.complete();
      await eventually(() => expect(told("completed")).toHaveLength(1), 60_000);
      expect(ids()).toEqual([1, 2, 3, 4, 5, 6]);
      expect(told("open")).toHaveLength(2);
    });

    it("cancels the job by the same ticket as a bearer, which its preflight asks for", async () => {
      const { job, ticket, events } = await jobWithTicket();
      const cancel = throughLine(`/v1/query-jobs/${job.jobId}/cancel`);
      open("127.0.0.1", { events, cancel, ticket });
      await eventually(() => expect(ids()).toEqual([1, 2, 3]), 60_000);
      await job.chunk("Whales ");
      await eventually(() => expect(told("canceled")).toHaveLength(1), 60_000);
      await eventually(
        () => expect(told("cancel").map(({ status }) => status)).toEqual([200]),
        60_000,
      );
      expect(sent).toMatch(/^OPTIONS /m);
    });

    it.each([
      ["with an altered ticket", "127.0.0.1", "x"],
      // The same page by another name is another origin.
      ["of an origin that is not listed", "localhost", ""],
    ])("%s is shut out for good", async (_, host, more) => {
      const { events } = await jobWithTicket();
      open(host, { events: events + more });
      // 2: closed, so that the browser does not try again.
      await eventually(() => expect(reports).toEqual([{ what: "error", state: 2 }]), 60_000);
    });
  },
);
