/**
 * A small S3 in this process: one bucket, path style, over a real socket. Its answers are those that AWS
 * documents for conditional writes: 412 for a condition that does not hold, 404 for If-Match on what is
 * not there, 409 when others write at the same time. `faultOf` makes it fail as stores and networks do.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type FakeOperation = "get" | "put" | "list" | "delete";

export interface FakeRequest {
  readonly operation: FakeOperation;
  /** The object's key, or the prefix of a listing. */
  readonly key: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * What happens to one request. `apply_then_…`: it is carried out, and no good answer comes. `late`: no
 * answer, carried out by `applyLate`, its condition checked then. `never`: no answer, never carried out.
 * `cut`: the answer breaks off in the middle of its body; `stall`: it stops there, and stays. `answer`:
 * this instead, nothing carried out.
 */
export type FakeFault =
  | "apply_then_reset"
  | "apply_then_500"
  | "apply_then_hang"
  | "late"
  | "never"
  | "cut"
  | "stall"
  | { readonly answer: FakeAnswer };

export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface FakeObject {
  readonly body: string;
  readonly etag: string;
  readonly modifiedAt: number;
}

export interface FakeS3 {
  readonly bucket: string;
  readonly endpoint: string;
  readonly objects: Map<string, FakeObject>;
  /** Everything that was asked for, in order. */
  readonly requests: FakeRequest[];
  /** Asked for every request. */
  faultOf: (request: FakeRequest) => FakeFault | null;
  /** While true, conditions are not looked at, as by stores that do not know them. */
  ignoresConditions: boolean;
  /** While true, a listing shows what was there when this was set. */
  lagsInLists(lags: boolean): void;
  /** What every object is said to be written at. */
  now: () => number;
  applyLate(): void;
  plant(key: string, body: string): void;
  /** How many requests of each operation there were since the last call. */
  counted(): Readonly<Record<FakeOperation, number>>;
  close(): Promise<void>;
}

const BUCKET = "jobs";

export async function fakeS3(): Promise<FakeS3> {
  const objects = new Map<string, FakeObject>();
  const late: (() => void)[] = [];
  let lagging: ReadonlyMap<string, FakeObject> | null = null;
  let countedTo = 0;

  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => handle(request, response, body),
      () => response.destroy(),
    );
  });

  function handle(message: IncomingMessage, response: ServerResponse, body: string): void {
    const url = new URL(message.url ?? "/", "http://fake");
    const request = requestOf(message, url);
    fake.requests.push(request);
    const fault = fake.faultOf(request);
    const run = (): FakeAnswer => answerTo(request, url.searchParams, body);
    if (fault === null) send(response, run());
    else if (typeof fault === "object") send(response, fault.answer);
    else failed(fault, response, run);
  }

  function failed(
    fault: Exclude<FakeFault, object>,
    response: ServerResponse,
    run: () => FakeAnswer,
  ): void {
    switch (fault) {
      case "late":
        late.push(run);
        break;
      case "never":
        break;
      case "cut":
        sendHalf(response, run(), () => response.socket?.resetAndDestroy());
        return;
      case "stall":
        sendHalf(response, run(), () => {});
        return;
      case "apply_then_hang":
        run();
        return;
      case "apply_then_500":
        run();
        send(response, errorAnswer(500, "InternalError"));
        return;
      case "apply_then_reset":
        run();
    }
    response.socket?.resetAndDestroy();
  }

  function answerTo(request: FakeRequest, query: URLSearchParams, body: string): FakeAnswer {
    if (!request.url.startsWith(`/${BUCKET}`)) return errorAnswer(404, "NoSuchBucket");
    switch (request.operation) {
      case "get":
        return get(request.key);
      case "put":
        return put(request, body);
      case "delete":
        objects.delete(request.key);
        return { status: 204 };
      case "list":
        return list(lagging ?? objects, query);
    }
  }

  function get(key: string): FakeAnswer {
    const found = objects.get(key);
    if (found === undefined) return errorAnswer(404, "NoSuchKey");
    return { status: 200, headers: { etag: found.etag }, body: found.body };
  }

  function put({ key, headers }: FakeRequest, body: string): FakeAnswer {
    const current = objects.get(key);
    const wanted = headers["if-match"];
    if (!fake.ignoresConditions) {
      if (headers["if-none-match"] === "*" && current !== undefined) {
        return errorAnswer(412, "PreconditionFailed");
      }
      if (wanted !== undefined && current === undefined) return errorAnswer(404, "NoSuchKey");
      if (wanted !== undefined && wanted !== current?.etag) {
        return errorAnswer(412, "PreconditionFailed");
      }
    }
    return { status: 200, headers: { etag: store(key, body).etag } };
  }

  function store(key: string, body: string): FakeObject {
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const object = { body, etag, modifiedAt: fake.now() };
    objects.set(key, object);
    return object;
  }

  const fake: FakeS3 = {
    bucket: BUCKET,
    endpoint: "",
    objects,
    requests: [],
    faultOf: () => null,
    ignoresConditions: false,
    lagsInLists(lags) {
      lagging = lags ? new Map(objects) : null;
    },
    now: () => Date.now(),
    applyLate() {
      for (const run of late.splice(0)) run();
    },
    plant: (key, body) => void store(key, body),
    counted() {
      const counts = { get: 0, put: 0, list: 0, delete: 0 };
      for (const { operation } of fake.requests.slice(countedTo)) counts[operation] += 1;
      countedTo = fake.requests.length;
      return counts;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, { endpoint: `http://127.0.0.1:${port}` });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function requestOf({ method, headers, url: asked = "" }: IncomingMessage, url: URL): FakeRequest {
  const key = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length));
  const operation = { GET: "get", PUT: "put", DELETE: "delete" } as const;
  if (url.searchParams.get("list-type") === "2") {
    return {
      operation: "list",
      key: url.searchParams.get("prefix") ?? "",
      url: asked,
      headers,
    };
  }
  return { operation: operation[method as keyof typeof operation], key, url: asked, headers };
}

/** Keys in the order of their UTF-8 bytes, after a token or `start-after`, at most `max-keys`. */
function list(objects: ReadonlyMap<string, FakeObject>, query: URLSearchParams): FakeAnswer {
  const prefix = query.get("prefix") ?? "";
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : atob(token);
  const max = Math.min(Number(query.get("max-keys") ?? 1_000), 1_000);
  const all = [...objects]
    .filter(([key]) => key.startsWith(prefix) && Buffer.compare(bytes(key), bytes(after)) > 0)
    .sort(([one], [other]) => Buffer.compare(bytes(one), bytes(other)));
  const page = all.slice(0, max);
  const isTruncated = all.length > page.length;
  const named = query.get("encoding-type") === "url";
  const contents = page.map(([key, { etag, body, modifiedAt }]) => {
    const name = named ? encodeName(key) : escapeXml(key);
    // S3 tells whole seconds.
    const at = new Date(Math.floor(modifiedAt / 1_000) * 1_000).toISOString();
    const size = Buffer.byteLength(body);
    return `<Contents><Key>${name}</Key><LastModified>${at}</LastModified><ETag>${escapeXml(etag)}</ETag><Size>${size}</Size></Contents>`;
  });
  const next = isTruncated
    ? `<NextContinuationToken>${btoa(page.at(-1)?.[0] ?? "")}</NextContinuationToken>`
    : "";
  const xml =
    `<ListBucketResult><Name>${BUCKET}</Name><KeyCount>${page.length}</KeyCount>` +
    `${named ? "<EncodingType>url</EncodingType>" : ""}` +
    `<IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`;
  return { status: 200, headers: { "content-type": "application/xml" }, body: xml };
}

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

/** As forms do it, but for the slashes. */
function encodeName(text: string): string {
  return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%20", "+");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** An error as S3 words it. */
export function errorAnswer(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): FakeAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, headers: { "content-type": "application/xml", ...headers }, body };
}

function send(response: ServerResponse, { status, headers, body }: FakeAnswer): void {
  response.writeHead(status, headers).end(body);
}

function sendHalf(
  response: ServerResponse,
  { status, headers, body = "" }: FakeAnswer,
  then: () => void,
): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2), then);
}
