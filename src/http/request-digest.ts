/** The hash of a request's body, which its route can read all the same. */
import type { HonoRequest } from "hono";
import { utf8Length } from "../core/json.ts";

/** Hex SHA-256. Null: it has more than `bytesMax`, and no more than about that was held in memory. */
export async function bodyDigest(req: HonoRequest, bytesMax: number): Promise<string | null> {
  if (Number(req.header("content-length") ?? 0) > bytesMax) return null;
  const [firstRead] = Object.keys(req.bodyCache);
  // Hono would make the body anew of a form, with another boundary each time.
  if (firstRead === "formData") return formDigest(await req.formData(), bytesMax);
  // What was read before is Hono's to give again; else the route reads its own copy.
  const bytes = req.raw.bodyUsed
    ? new Uint8Array(await req.arrayBuffer())
    : await bytesOf(req.raw.clone().body, bytesMax);
  return bytes === null || bytes.byteLength > bytesMax ? null : hexDigest(bytes);
}

/** Of the names, values and files in their order. */
async function formDigest(form: FormData, bytesMax: number): Promise<string | null> {
  const fields: (readonly string[])[] = [];
  let length = 0;
  for (const [name, value] of form) {
    length += utf8Length(name) + (typeof value === "string" ? utf8Length(value) : value.size);
    if (length > bytesMax) return null;
    fields.push(typeof value === "string" ? [name, value] : [name, ...(await fileParts(value))]);
  }
  return hexDigest(new TextEncoder().encode(JSON.stringify(fields)));
}

async function fileParts(file: File): Promise<readonly string[]> {
  return [file.name, file.type, await hexDigest(new Uint8Array(await file.arrayBuffer()))];
}

async function hexDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function bytesOf(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    length += read.value.byteLength;
    if (length > bytesMax) {
      // Not awaited: it ends when the other copy is let go, too.
      reader.cancel().catch(() => {});
      return null;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
