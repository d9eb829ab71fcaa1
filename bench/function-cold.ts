/**
 * A fresh process that loads a bundle as AWS Lambda would and asks it one thing: `<bundle> <key>`. Prints, in
 * milliseconds, how long loading took, how long it was from its start to the first answer, and its CPU until then.
 */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

type Streaming = (event: unknown, stream: PassThrough, context: unknown) => Promise<unknown>;

const from = (stream: PassThrough, metadata: unknown): PassThrough => {
  stream.write(JSON.stringify(metadata));
  return stream;
};
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Streaming) => handler,
    HttpResponseStream: { from },
  },
});

const [bundle = "", key = ""] = process.argv.slice(2);
const begun = performance.now();
const { http }: { readonly http: Streaming } = await import(pathToFileURL(bundle).href);
const loaded = performance.now();

const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
const path = "/v1/emails";
const event = {
  version: "2.0",
  rawPath: path,
  rawQueryString: "",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  requestContext: {
    domainName: "bench.lambda-url.eu-central-1.on.aws",
    http: { method: "POST", path },
  },
  body: JSON.stringify({ logicalKey: `cold:${process.pid}:${Date.now()}`, payload }),
  isBase64Encoded: false,
};
const stream = Object.assign(new PassThrough(), { setContentType: () => {} });
const answer = text(stream);
await http(event, stream, { awsRequestId: "bench", getRemainingTimeInMillis: () => 70_000 });
const answered = performance.now();
const { user, system } = process.cpuUsage();
const cpuMs = (user + system) / 1_000;
if (!(await answer).includes('"statusCode":201')) throw new Error(await answer);
process.stdout.write(JSON.stringify({ loadMs: loaded - begun, answerMs: answered, cpuMs }), () =>
  process.exit(),
);
