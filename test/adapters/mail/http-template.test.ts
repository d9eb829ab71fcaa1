/** Templates of what a provider is posted: those of common providers, and what no template may be. */
import { expect, it } from "vitest";
import {
  type BodyTemplate,
  filledTemplate,
  templateProblem,
} from "../../../adapters/mail/http/template.ts";
import type { Mail } from "../../../src/ports/mailer.ts";

const FULL: Mail = {
  from: "Example, Inc. <jobs@example.com>",
  to: "Ann <ann@example.net>",
  subject: "Hello\tthere",
  text: "Good to have you here: {{to}}.",
  html: "<p>Hello</p>",
  replyTo: "Help <help@example.com>",
  headers: { "X-A": "b", "X-C": "d" },
};

const LEAST: Mail = {
  from: "jobs@example.com",
  to: "ann@example.net",
  subject: "",
  text: "",
  html: null,
  replyTo: null,
  headers: {},
};

const RESEND: BodyTemplate = {
  from: "{{from}}",
  to: ["{{to}}"],
  subject: "{{subject}}",
  text: "{{text}}",
  html: "{{html?}}",
  reply_to: "{{replyTo?}}",
  headers: "{{headers?}}",
};

const POSTMARK: BodyTemplate = {
  From: "{{from}}",
  To: "{{to}}",
  Subject: "{{subject}}",
  TextBody: "{{text}}",
  HtmlBody: "{{html?}}",
  ReplyTo: "{{replyTo?}}",
  Headers: [{ Name: "{{header.name}}", Value: "{{header.value}}" }],
  Metadata: { key: "{{idempotencyKey}}" },
};

const SENDGRID: BodyTemplate = {
  personalizations: [{ to: [{ email: "{{to.address}}", name: "{{to.name?}}" }] }],
  from: { email: "{{from.address}}", name: "{{from.name?}}" },
  reply_to: { email: "{{replyTo.address}}", name: "{{replyTo.name?}}" },
  subject: "{{subject}}",
  content: [
    { type: "text/plain", value: "{{text}}" },
    { type: "text/html", value: "{{html}}" },
  ],
  headers: "{{headers?}}",
};

it.each<[string, BodyTemplate, Mail, object]>([
  [
    "Resend",
    RESEND,
    FULL,
    {
      from: '"Example, Inc." <jobs@example.com>',
      to: ["Ann <ann@example.net>"],
      subject: "Hello there",
      text: "Good to have you here: {{to}}.",
      html: "<p>Hello</p>",
      reply_to: "Help <help@example.com>",
      headers: { "X-A": "b", "X-C": "d" },
    },
  ],
  [
    "Resend",
    RESEND,
    LEAST,
    { from: "jobs@example.com", to: ["ann@example.net"], subject: "", text: "" },
  ],
  [
    "Postmark",
    POSTMARK,
    FULL,
    {
      From: '"Example, Inc." <jobs@example.com>',
      To: "Ann <ann@example.net>",
      Subject: "Hello there",
      TextBody: "Good to have you here: {{to}}.",
      HtmlBody: "<p>Hello</p>",
      ReplyTo: "Help <help@example.com>",
      Headers: [
        { Name: "X-A", Value: "b" },
        { Name: "X-C", Value: "d" },
      ],
      Metadata: { key: "k" },
    },
  ],
  [
    "Postmark",
    POSTMARK,
    LEAST,
    {
      From: "jobs@example.com",
      To: "ann@example.net",
      Subject: "",
      TextBody: "",
      Headers: [],
      Metadata: { key: "k" },
    },
  ],
  [
    "SendGrid",
    SENDGRID,
    FULL,
    {
      personalizations: [{ to: [{ email: "ann@example.net", name: "Ann" }] }],
      from: { email: "jobs@example.com", name: "Example, Inc." },
      reply_to: { email: "help@example.com", name: "Help" },
      subject: "Hello there",
      content: [
        { type: "text/plain", value: "Good to have you here: {{to}}." },
        { type: "text/html", value: "<p>Hello</p>" },
      ],
      headers: { "X-A": "b", "X-C": "d" },
    },
  ],
  [
    "SendGrid",
    SENDGRID,
    LEAST,
    {
      personalizations: [{ to: [{ email: "ann@example.net" }] }],
      from: { email: "jobs@example.com" },
      subject: "",
      content: [{ type: "text/plain", value: "" }],
    },
  ],
])("of %s is filled with %#", (_, template, mail, body) => {
  expect(templateProblem(template)).toBeNull();
  expect(filledTemplate(template, mail, "k")).toEqual(body);
});

it("keeps everything that is no placeholder", () => {
  const template = { a: 1, b: [true, null, "text", ["{{to}}"]], c: { d: {} }, "{{to}}": "e" };
  expect(templateProblem(template)).toBeNull();
  expect(filledTemplate(template, LEAST, "k")).toEqual({
    ...template,
    b: [true, null, "text", ["ann@example.net"]],
  });
});

it.each<[unknown, RegExp]>([
  [undefined, /^must be a JSON object$/],
  [null, /^must be a JSON object$/],
  ["{{to}}", /^must be a JSON object$/],
  [["{{to}}"], /^must be a JSON object$/],
  [{ a: "{{recipient}}" }, /^has \{\{recipient\}\} where/],
  [{ a: { b: ["to {{to}}"] } }, /^has \{\{to\}\} where/],
  [{ a: "{{to}}{{to}}" }, /^has \{\{to\}\} where/],
  [{ a: "{{ S3cret" }, /^has \{\{ where/],
  [{ a: "{{header.name}}" }, /^has \{\{header\.name\}\} where/],
  [{ a: { b: "{{header.value}}" } }, /^has \{\{header\.value\}\} where/],
  [{ a: "{{html}}" }, /^would be left out as a whole/],
])("is not %j", (value, problem) => {
  expect(templateProblem(value)).toMatch(problem);
});
