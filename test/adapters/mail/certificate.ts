/** A certificate for localhost and 127.0.0.1 that signs itself, made anew: no key lies in the repository. */
import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export function selfSigned(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(hex("06082a8648ce3d040302")); // ecdsa-with-SHA256
  const name = sequence(
    der(0x31, sequence(hex("0603550403"), der(0x0c, Buffer.from("localhost")))), // CN
  );
  const names = sequence(
    der(0x82, Buffer.from("localhost")),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = sequence(
    sequence(hex("0603551d11"), der(0x04, names)), // subjectAltName
    sequence(hex("0603551d13"), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))), // CA
  );
  const body = sequence(
    der(0xa0, hex("020102")),
    hex("020101"),
    algorithm,
    name,
    sequence(time("20200101000000Z"), time("21200101000000Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const cert = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = cert.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, "hex");
const time = (text: string): Buffer => der(0x18, Buffer.from(text));
