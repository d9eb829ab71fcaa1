/** How a Worker reaches AWS: by variables and secrets of its own, since the SDK finds none there. */
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Texts } from "./environment.ts";

export interface AwsAccess {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** What each is set by; only the region is no secret. */
const NEEDED = {
  AWS_REGION: 'under [vars] in wrangler.toml, such as AWS_REGION = "eu-central-1"',
  AWS_ACCESS_KEY_ID: "with `wrangler secret put AWS_ACCESS_KEY_ID`",
  AWS_SECRET_ACCESS_KEY: "with `wrangler secret put AWS_SECRET_ACCESS_KEY`",
} as const;

/** Throws MisconfiguredError, with a line for each that is missing. */
export function awsAccess(texts: Texts): AwsAccess {
  const missing = Object.entries(NEEDED).filter(([name]) => (texts[name] ?? "") === "");
  if (missing.length > 0) {
    throw new MisconfiguredError(
      missing.map(([name, how]) => `${name} must be set ${how}`).join("\n"),
    );
  }
  const {
    AWS_REGION: region = "",
    AWS_ACCESS_KEY_ID: accessKeyId = "",
    AWS_SECRET_ACCESS_KEY: secretAccessKey = "",
    AWS_SESSION_TOKEN: sessionToken = "",
  } = texts;
  const session = sessionToken === "" ? {} : { sessionToken };
  return { region, credentials: { accessKeyId, secretAccessKey, ...session } };
}
