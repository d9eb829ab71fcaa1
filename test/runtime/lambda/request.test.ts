/** What request is made of an event, whatever its headers say. */
import { expect, it } from "vitest";
import { httpEventOf } from "../../../adapters/runtime/lambda/event.ts";
import { BadRequestError, requestOf } from "../../../adapters/runtime/lambda/request.ts";
import { functionUrlEvent } from "./events.ts";

function urlOf(path: string, host: string): string {
  const event = httpEventOf(functionUrlEvent({ path, headers: { host } }));
  return requestOf(event).url;
}

it.each(["jobs.example.com", "jobs.example.com:8443", "[::1]:80", "localhost"])(
  "has the host %s that was asked for",
  (host) => {
    expect(urlOf("/healthz", host)).toBe(`https://${host}/healthz`);
  },
);

it.each(["h/v1/erasures#", "h?x=", "ann@example.com", "h\\v1", "", "a b", "h:80:80"])(
  "takes no other path from the host %j",
  (host) => {
    const { pathname, search, hash } = new URL(urlOf("/healthz", host));
    expect([pathname, search, hash]).toEqual(["/healthz", "", ""]);
  },
);

it("refuses a path that is none", () => {
  const event = { ...httpEventOf(functionUrlEvent({ path: "/" })), path: "@other.example/x" };
  expect(() => requestOf(event)).toThrow(BadRequestError);
});
