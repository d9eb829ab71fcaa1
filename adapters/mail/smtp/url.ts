/** What an SMTP URL says. Without nodemailer, so that a configuration can be read without it. */

export interface SmtpServer {
  /** IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * - `implicit`: TLS from the first byte (`smtps:`).
   * - `required`: STARTTLS before anything else is said, or nothing is sent.
   * - `optional`: STARTTLS where the server offers it; who is on the line can strip the offer.
   * - `off`: never.
   */
  readonly tls: "implicit" | "required" | "optional" | "off";
  /** Null: none are presented. */
  readonly credentials: SmtpCredentials | null;
}

export interface SmtpCredentials {
  readonly user: string;
  readonly password: string;
}

const URL_CHARS_MAX = 2_048;

/** Of submission, and of submission over TLS (RFC 8314). */
const PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/**
 * `smtp://user:password@host:port` or `smtps://…`, reserved characters percent-encoded; null for anything
 * else. `?tls=required`, `optional` or `off` goes with `smtp:`; without it TLS is `off` on a loopback
 * host, `required` where there are credentials, else `optional`.
 */
export function parseSmtpUrl(text: string): SmtpServer | null {
  if (text.length > URL_CHARS_MAX || /\s/.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, hash, username, password, searchParams } = new URL(
    text,
  );
  const host = hostOf(hostname);
  const credentials = credentialsOf(username, password);
  if (protocol !== "smtp:" && protocol !== "smtps:") return null;
  if (host === null || credentials === undefined || !["", "/"].includes(pathname) || hash !== "") {
    return null;
  }
  const byDefault = isLoopback(host) ? "off" : credentials === null ? "optional" : "required";
  const tls = tlsOf(protocol, searchParams, byDefault);
  if (tls === null || port === "0") return null;
  return { host, port: port === "" ? PORTS[protocol] : Number(port), tls, credentials };
}

function hostOf(hostname: string): string | null {
  if (/^\[[0-9a-f:.]+\]$/i.test(hostname)) return hostname.slice(1, -1);
  return /^[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?$/i.test(hostname)
    ? hostname.toLowerCase()
    : null;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Both or none; undefined for one alone and for what is not well encoded. */
function credentialsOf(user: string, password: string): SmtpCredentials | null | undefined {
  if (user === "" && password === "") return null;
  if (user === "" || password === "") return undefined;
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

function tlsOf(
  protocol: "smtp:" | "smtps:",
  parameters: URLSearchParams,
  byDefault: SmtpServer["tls"],
): SmtpServer["tls"] | null {
  const given = [...parameters];
  if (given.length === 0) return protocol === "smtps:" ? "implicit" : byDefault;
  const [[name, value] = []] = given;
  if (protocol === "smtps:" || given.length > 1 || name !== "tls") return null;
  return value === "required" || value === "optional" || value === "off" ? value : null;
}
