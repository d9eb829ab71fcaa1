/** serverless.yml, by what is made of it: what is deployed, and what that may. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tableDefinition } from "../../../adapters/storage/dynamodb/index.ts";
import {
  allowancesOf,
  type Deployment,
  deploymentOf,
  functionNames,
  PACKAGING_MS,
  type Resource,
  type Storage,
  type Template,
  workshop,
} from "./deployment.ts";

const ALARMS = "arn:aws:sns:eu-central-1:123456789012:alarms";

const shop = workshop();
afterAll(() => shop.remove());

function only(template: Template, type: string): Resource {
  const [found, ...others] = Object.values(template.Resources).filter(({ Type }) => Type === type);
  if (found === undefined || others.length > 0) throw new Error(`not one ${type}`);
  return found;
}

function named(template: Template, name: string): Resource {
  const found = template.Resources[name];
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

const TABLE = { "Fn::GetAtt": ["Table", "Arn"] };
const BUCKET = { "Fn::GetAtt": ["Bucket", "Arn"] };
const TABLE_ACTIONS = [
  {
    actions: ["GetItem", "PutItem", "DeleteItem", "Query", "Scan"].map(dynamodb),
    resources: [TABLE],
  },
  {
    actions: ["Query", "Scan"].map(dynamodb),
    resources: [{ "Fn::Sub": `\${Table.Arn}/index/due` }],
  },
];
const BUCKET_ACTIONS = [
  {
    actions: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
    resources: [{ "Fn::Sub": `\${Bucket.Arn}/*` }],
  },
  { actions: ["s3:ListBucket"], resources: [BUCKET] },
];

function dynamodb(action: string): string {
  return `dynamodb:${action}`;
}

/** Beside those by which the platform takes log lines. */
function allowed(template: Template) {
  return allowancesOf(template).filter(({ actions }) => !actions.some((one) => /^logs:/.test(one)));
}

describe.each<[Storage, readonly unknown[], number]>([
  ["dynamodb", TABLE_ACTIONS, 300],
  ["s3", BUCKET_ACTIONS, 330],
])("serverless.yml with storage=%s", (storage, actions, zippedKbMax) => {
  let made: Deployment;
  beforeAll(async () => {
    made = await deploymentOf(shop, storage);
  }, PACKAGING_MS);

  it("deploys the service and the pass, from one bundle, on arm64", () => {
    const { template } = made;
    expect(functionNames(template)).toEqual(["http", "reconcile"]);
    for (const name of ["Http", "Reconcile"]) {
      const { Properties } = named(template, `${name}LambdaFunction`);
      expect(Properties).toMatchObject({
        Handler: `dist/lambda/${storage}/index.${name.toLowerCase()}`,
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
      });
      const logs = named(template, `${name}LogGroup`).Properties;
      expect(logs["RetentionInDays"]).toBe(30);
    }
  });

  it("streams by a function URL that a stream of 55 seconds fits into", () => {
    const url = only(made.template, "AWS::Lambda::Url").Properties;
    expect(url).toMatchObject({ InvokeMode: "RESPONSE_STREAM", AuthType: "NONE" });
    const { Timeout: timeout, MemorySize: memory } = named(
      made.template,
      "HttpLambdaFunction",
    ).Properties;
    expect(timeout).toBeGreaterThanOrEqual(55 + 10);
    expect(memory).toBe(1_024);
  });

  it("begins a pass each minute, which has time for its budget and its end, and is not repeated", () => {
    const { template } = made;
    const rule = only(template, "AWS::Events::Rule").Properties;
    expect(rule).toMatchObject({ ScheduleExpression: "rate(1 minute)", State: "ENABLED" });
    const { Timeout: timeout, MemorySize: memory } = named(
      template,
      "ReconcileLambdaFunction",
    ).Properties;
    expect(timeout).toBeGreaterThanOrEqual(25 + 10);
    expect(memory).toBe(512);
    expect(only(template, "AWS::Lambda::EventInvokeConfig").Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    const alarm = only(template, "AWS::CloudWatch::Alarm").Properties;
    expect(alarm).toMatchObject({
      MetricName: "Errors",
      Dimensions: [{ Name: "FunctionName", Value: { Ref: "ReconcileLambdaFunction" } }],
      AlarmActions: [{ Ref: "AWS::NoValue" }],
    });
  });

  it("allows what the adapter asks for, on its own storage alone", () => {
    expect(allowed(made.template)).toEqual(actions);
    expect(JSON.stringify(allowancesOf(made.template))).not.toContain('["*"]');
  });

  it("names no key and no secret, but where CloudFormation finds the keys", () => {
    const http = named(made.template, "HttpLambdaFunction").Properties["Environment"];
    expect(http).toMatchObject({
      Variables: { HOLDFAST_KEYS: "{{resolve:ssm:/holdfast/dev/keys}}", HOLDFAST_SECRET: "" },
    });
  });

  it(`packages the bundle and nothing else, ${zippedKbMax} KB of it zipped`, () => {
    const { zip, inputs } = made;
    expect(zip.length).toBeGreaterThan(1);
    expect(zip.filter(({ name }) => !/^dist\/lambda\/\w+\/[\w-]+\.mjs$/.test(name))).toEqual([]);
    const zipped = zip.reduce((sum, { zippedBytes }) => sum + zippedBytes, 0);
    expect(zipped).toBeLessThan(zippedKbMax * 1_000);
    const other = storage === "s3" ? "dynamodb" : "s3";
    const unwanted = new RegExp(`nodemailer|/dist-cjs/|storage/(?:${other}|filesystem|memory|r2)`);
    expect(inputs.filter((input) => unwanted.test(input))).toEqual([]);
    expect(inputs.some((input) => input.includes(`adapters/storage/${storage}`))).toBe(true);
  });
});

describe("serverless.yml", { timeout: PACKAGING_MS }, () => {
  let table: Template;
  beforeAll(async () => {
    await shop.bundle("dynamodb");
    ({ template: table } = await shop.package({}));
  }, PACKAGING_MS);

  it("makes the table that `holdfast table create` makes, and keeps it", () => {
    const { Properties, ...policies } = only(table, "AWS::DynamoDB::Table");
    const {
      PointInTimeRecoverySpecification,
      DeletionProtectionEnabled,
      SSESpecification,
      ...own
    } = Properties;
    expect(own).toEqual(tableDefinition("holdfast-dev"));
    expect(policies).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
    expect(PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    expect(DeletionProtectionEnabled).toBe(true);
    expect(SSESpecification).toEqual({ SSEEnabled: true });
  });

  it("makes a bucket that is closed, kept, and has no versions and no rules", async () => {
    await shop.bundle("s3");
    const { template } = await shop.package({ storage: "s3" });
    const { Properties, ...policies } = named(template, "Bucket");
    expect(policies).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
    expect(Properties["PublicAccessBlockConfiguration"]).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(Object.keys(Properties)).not.toContain("VersioningConfiguration");
    expect(Object.keys(Properties)).not.toContain("LifecycleConfiguration");
  });

  it("lets mail out by SES as one identity, where it is asked for", async () => {
    const ses = { mailer: "ses", mailFrom: "jobs@example.com", sesIdentity: "example.com" };
    const { template } = await shop.package(ses);
    const identity =
      "arn:$" +
      "{AWS::Partition}:ses:$" +
      "{AWS::Region}:$" +
      "{AWS::AccountId}:identity/$" +
      "{SesIdentity}";
    expect(allowed(template).filter(({ actions }) => actions.includes("ses:SendEmail"))).toEqual([
      { actions: ["ses:SendEmail"], resources: [{ "Fn::Sub": identity }] },
    ]);
    expect(allowed(table).some(({ actions }) => actions.includes("ses:SendEmail"))).toBe(false);
  });

  it("takes emails from a queue whose refused messages end in another, where it is asked for", async () => {
    const { template } = await shop.package({ queue: "on", alarmTopic: ALARMS });
    expect(functionNames(template)).toEqual(["enqueue", "http", "reconcile"]);
    expect(only(template, "AWS::Lambda::EventSourceMapping").Properties).toMatchObject({
      EventSourceArn: { "Fn::GetAtt": ["Queue", "Arn"] },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    const { Timeout: timeout } = named(template, "EnqueueLambdaFunction").Properties;
    const queue = named(template, "Queue").Properties;
    expect(queue["VisibilityTimeout"]).toBeGreaterThanOrEqual(6 * Number(timeout));
    expect(queue["RedrivePolicy"]).toMatchObject({
      deadLetterTargetArn: { "Fn::GetAtt": ["DeadLetters", "Arn"] },
    });
    for (const alarm of ["PassAlarm", "DeadLetterAlarm"]) {
      expect(named(template, alarm).Properties["AlarmActions"]).toEqual([ALARMS]);
    }
    const ofQueue = allowed(template).filter(({ actions }) => /^sqs:/.test(String(actions[0])));
    expect(ofQueue).toEqual([
      {
        actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
        resources: [{ "Fn::GetAtt": ["Queue", "Arn"] }],
      },
    ]);
  });

  it("puts the same function behind an HTTP API, where it is asked for", async () => {
    const { template } = await shop.package({ api: "on" });
    expect(functionNames(template)).toEqual(["http", "reconcile"]);
    expect(only(template, "AWS::ApiGatewayV2::Route").Properties["RouteKey"]).toBe("$default");
    expect(only(template, "AWS::ApiGatewayV2::Integration").Properties).toMatchObject({
      PayloadFormatVersion: "2.0",
      IntegrationUri: { "Fn::GetAtt": ["HttpLambdaFunction", "Arn"] },
    });
  });

  it("refuses a storage that it does not have", async () => {
    await expect(shop.package({ storage: "folder" })).rejects.toThrow();
  });
});
