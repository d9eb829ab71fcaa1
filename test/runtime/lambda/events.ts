/** Events in the shapes that AWS sends them in, field by field; what they say is made up. */

export interface Asked {
  readonly method?: string;
  /** As the service that sends the event tells it. */
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

const FORWARDED = {
  "x-amzn-trace-id": "Root=1-00000000-000000000000000000000000",
  "x-forwarded-for": "192.0.2.1",
  "x-forwarded-port": "443",
  "x-forwarded-proto": "https",
};

/** Format 2.0, through `domainName`. */
function format2(asked: Asked, domainName: string, stage: string) {
  const { method = "GET", path = "/", query = "", headers = {}, cookies } = asked;
  const { body = null, isBase64Encoded = false } = asked;
  const [domainPrefix = ""] = domainName.split(".");
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    ...(cookies === undefined ? {} : { cookies }),
    headers: { accept: "*/*", host: domainName, ...FORWARDED, ...headers },
    ...(query === ""
      ? {}
      : { queryStringParameters: Object.fromEntries(new URLSearchParams(query)) }),
    requestContext: {
      accountId: "anonymous",
      apiId: domainPrefix,
      domainName,
      domainPrefix,
      http: {
        method,
        path,
        protocol: "HTTP/1.1",
        sourceIp: "192.0.2.1",
        userAgent: "curl/8.7.1",
      },
      requestId: "00000000-0000-4000-8000-000000000001",
      routeKey: "$default",
      stage,
      time: "30/Nov/2026:12:00:00 +0000",
      timeEpoch: 1_796_040_000_000,
    },
    ...(body === null ? {} : { body }),
    isBase64Encoded,
  };
}

export function functionUrlEvent(asked: Asked) {
  return format2(
    asked,
    "abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws",
    "$default",
  );
}

export function httpApiEvent(asked: Asked, stage = "$default") {
  return {
    ...format2(asked, "abcde12345.execute-api.eu-central-1.amazonaws.com", stage),
    pathParameters: null,
    stageVariables: null,
  };
}

/** Format 1.0 as REST APIs send it: everything once alone, and once with all of its values. */
export function restEvent(asked: Asked, stage = "live") {
  const { method = "GET", path = "/", query = "", headers = {}, cookies = [] } = asked;
  const { body = null, isBase64Encoded = false } = asked;
  const host = "abcde12345.execute-api.eu-central-1.amazonaws.com";
  const all = {
    accept: "*/*",
    Host: host,
    ...FORWARDED,
    ...headers,
    ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
  };
  const parameters = new URLSearchParams(query);
  const names = [...new Set(parameters.keys())];
  return {
    resource: "/{proxy+}",
    path,
    httpMethod: method,
    headers: all,
    multiValueHeaders: Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: names.length === 0 ? null : Object.fromEntries(parameters),
    multiValueQueryStringParameters:
      names.length === 0
        ? null
        : Object.fromEntries(names.map((name) => [name, parameters.getAll(name)])),
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "abcde12345",
      domainName: host,
      domainPrefix: "abcde12345",
      extendedRequestId: "ATfSdF7nPHcErRA=",
      httpMethod: method,
      identity: { sourceIp: "192.0.2.1", userAgent: "curl/8.7.1" },
      path: `/${stage}${path}`,
      protocol: "HTTP/1.1",
      requestId: "00000000-0000-4000-8000-000000000001",
      requestTime: "30/Nov/2026:12:00:00 +0000",
      requestTimeEpoch: 1_796_040_000_000,
      resourceId: "al6gqb",
      resourcePath: "/{proxy+}",
      stage,
    },
    body,
    isBase64Encoded,
  };
}

/** `isMulti`: of a target group with lambda.multi_value_headers.enabled. Parameters stay as they came. */
export function balancerEvent(asked: Asked, isMulti: boolean) {
  const { method = "GET", path = "/", query = "", headers = {}, cookies = [] } = asked;
  const { body = "", isBase64Encoded = false } = asked;
  const all = {
    accept: "*/*",
    host: "jobs-1234567890.eu-central-1.elb.amazonaws.com",
    ...FORWARDED,
    ...headers,
    ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
  };
  const pairs = query === "" ? [] : query.split("&").map((pair) => pair.split("="));
  const single = Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
  const multi: Record<string, string[]> = {};
  for (const [name = "", value = ""] of pairs) multi[name] = [...(multi[name] ?? []), value];
  const own = isMulti
    ? {
        multiValueQueryStringParameters: multi,
        multiValueHeaders: Object.fromEntries(
          Object.entries(all).map(([name, value]) => [name, [value]]),
        ),
      }
    : { queryStringParameters: single, headers: all };
  return {
    requestContext: {
      elb: {
        targetGroupArn:
          "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/jobs/0123456789abcdef",
      },
    },
    httpMethod: method,
    path,
    ...own,
    body,
    isBase64Encoded,
  };
}

/** Of a rule of EventBridge; its scheduler sends what its target says, by default this without `resources`. */
export function ruleEvent() {
  return {
    version: "0",
    id: "00000000-0000-4000-8000-000000000001",
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: "123456789012",
    time: "2026-11-30T12:00:00Z",
    region: "eu-central-1",
    resources: ["arn:aws:events:eu-central-1:123456789012:rule/reconcile"],
    detail: {},
  };
}

export function schedulerEvent() {
  return {
    version: "0",
    id: "00000000-0000-4000-8000-000000000001",
    "detail-type": "Scheduled Event",
    source: "aws.scheduler",
    account: "123456789012",
    time: "2026-11-30T12:00:00Z",
    region: "eu-central-1",
    resources: ["arn:aws:scheduler:eu-central-1:123456789012:schedule/default/reconcile"],
    detail: "{}",
  };
}

/** Ids are `message-1` and so on. */
export function queueEvent(bodies: readonly string[], queue = "jobs") {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `message-${index + 1}`,
      receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
      body,
      attributes: {
        ApproximateReceiveCount: "1",
        SentTimestamp: "1796040000000",
        SenderId: "AIDAIENQZJOLO23YVJ4VO",
        ApproximateFirstReceiveTimestamp: "1796040000001",
        ...(queue.endsWith(".fifo") ? { MessageGroupId: "emails" } : {}),
      },
      messageAttributes: {},
      md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:eu-central-1:123456789012:${queue}`,
      awsRegion: "eu-central-1",
    })),
  };
}
