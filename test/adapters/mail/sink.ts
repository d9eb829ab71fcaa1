/** An SMTP server that takes every mail, or goes wrong exactly where it is told to. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import type { Certificate } from "./certificate.ts";

/** `body`: the first bytes of a message are there; `dot`: all of it is. */
export type Step =
  | "greeting"
  | "ehlo"
  | "starttls"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "body"
  | "dot"
  | "quit";

/**
 * `drop` ends the connection without a word, `last` says it and ends it, `hang` says nothing and reads
 * nothing any more, `raw` goes out without a line's end before the connection ends.
 */
export type Fault =
  | { readonly kind: "drop" }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" }
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "last"; readonly text: string }
  | { readonly kind: "raw"; readonly text: string }
  | { readonly kind: "slow"; readonly ms: number };

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, dots unstuffed. */
  readonly raw: Buffer;
  readonly isSecure: boolean;
  readonly login: string | null;
}

export interface SinkOptions {
  readonly certificate?: Certificate;
  readonly implicit?: boolean;
  /** Extensions beside those that belong to TLS and log-in. */
  readonly extensions?: readonly string[];
  readonly auth?: boolean;
  /** No STARTTLS though there is a certificate. */
  readonly hidesTls?: boolean;
}

export interface Sink {
  readonly port: number;
  readonly received: readonly Received[];
  /** Command lines of all connections, AUTH included. */
  readonly commands: readonly string[];
  readonly connections: number;
  readonly open: number;
  /** From now on; `times` of them, then as it should be. */
  fault(step: Step, fault: Fault, times?: number): void;
  close(): Promise<void>;
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const { certificate } = options;
  const received: Received[] = [];
  const commands: string[] = [];
  const faults = new Map<Step, { fault: Fault; left: number }>();
  const sockets = new Set<Socket>();
  let connections = 0;

  function faultAt(step: Step): Fault | null {
    const found = faults.get(step);
    if (found === undefined || found.left === 0) return null;
    found.left -= 1;
    return found.fault;
  }

  const accept = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, options, { received, commands, faultAt });
  };
  const server: Server =
    options.implicit === true && certificate !== undefined
      ? createTlsServer(certificate, accept)
      : createServer(accept);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    received,
    commands,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    fault: (step, fault, times = Number.POSITIVE_INFINITY) =>
      void faults.set(step, { fault, left: times }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Shared {
  readonly received: Received[];
  readonly commands: string[];
  readonly faultAt: (step: Step) => Fault | null;
}

const END = Buffer.from("\r\n.\r\n");

function serve(first: Socket, options: SinkOptions, { received, commands, faultAt }: Shared): void {
  const { certificate } = options;
  let socket = first;
  let isSecure = options.implicit === true;
  let buffered: Buffer = Buffer.alloc(0);
  let mode: "command" | "body" = "command";
  let isBusy = false;
  let isBodyBegun = false;
  let login: string | null = null;
  let from = "";
  let to: string[] = [];

  /** Says `text` as the answer to a step, unless something else is to happen there. */
  function answer(step: Step, text: string, then: () => void = () => {}): void {
    const fault = faultAt(step);
    const say = (): void => {
      isBusy = false;
      if (!socket.destroyed) socket.write(`${text}\r\n`);
      then();
    };
    if (fault === null) say();
    else if (fault.kind !== "slow") goWrong(fault);
    else {
      isBusy = true;
      setTimeout(() => {
        say();
        read();
      }, fault.ms);
    }
  }

  function goWrong(fault: Exclude<Fault, { kind: "slow" }>): void {
    switch (fault.kind) {
      case "hang":
        return void socket.pause();
      case "drop":
        return void socket.destroy();
      case "reset":
        return void socket.resetAndDestroy();
      case "reply":
        return void socket.write(`${fault.text}\r\n`);
      case "last":
        return void socket.end(`${fault.text}\r\n`);
      case "raw":
        return void socket.end(fault.text);
    }
  }

  function extensions(): string {
    const lines = ["sink", ...(options.extensions ?? ["8BITMIME"])];
    if (certificate !== undefined && !isSecure && options.hidesTls !== true) lines.push("STARTTLS");
    if (options.auth === true) lines.push("AUTH PLAIN LOGIN");
    return lines.map((line, n) => `250${n === lines.length - 1 ? " " : "-"}${line}`).join("\r\n");
  }

  function toTls(): void {
    if (certificate === undefined) return;
    first.removeAllListeners("data");
    buffered = Buffer.alloc(0);
    isSecure = true;
    socket = new TLSSocket(first, { isServer: true, ...certificate });
    listen(socket);
  }

  function command(line: string): void {
    commands.push(line);
    const [, address = ""] = /<(.*?)>/.exec(line) ?? [];
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO":
      case "HELO":
        answer("ehlo", extensions());
        break;
      case "STAR":
        answer("starttls", "220 go", toTls);
        break;
      case "AUTH":
        login = line;
        answer("auth", "235 2.7.0 welcome");
        break;
      case "MAIL":
        from = address;
        to = [];
        answer("mail", "250 2.1.0 ok");
        break;
      case "RCPT":
        answer("rcpt", "250 2.1.5 ok", () => void to.push(address));
        break;
      case "DATA":
        if (to.length === 0) socket.write("554 5.5.1 no valid recipients\r\n");
        else answer("data", "354 go", toBody);
        break;
      case "QUIT":
        answer("quit", "221 2.0.0 bye", () => void socket.end());
        break;
      default:
        socket.write("502 5.5.1 what\r\n");
    }
  }

  function toBody(): void {
    mode = "body";
    isBodyBegun = false;
  }

  /** Whether a message was at its end. */
  function body(): boolean {
    if (!isBodyBegun && buffered.length > 0) {
      isBodyBegun = true;
      const fault = faultAt("body");
      if (fault !== null && fault.kind !== "slow") goWrong(fault);
      if (socket.destroyed || socket.isPaused()) return false;
    }
    const end = buffered.indexOf(END);
    if (end === -1) return false;
    const text = buffered.subarray(0, end + 2).toString("latin1");
    const raw = Buffer.from(text.replace(/(^|\r\n)\.\./g, "$1."), "latin1");
    buffered = buffered.subarray(end + END.length);
    mode = "command";
    answer("dot", "250 2.0.0 queued", () => void received.push({ from, to, raw, isSecure, login }));
    return true;
  }

  function read(): void {
    for (;;) {
      if (isBusy || socket.destroyed || socket.isPaused()) return;
      if (mode === "body") {
        if (!body()) return;
        continue;
      }
      const end = buffered.indexOf("\r\n");
      if (end === -1) return;
      const line = buffered.subarray(0, end).toString("utf8");
      buffered = buffered.subarray(end + 2);
      command(line);
    }
  }

  function listen(to: Socket): void {
    to.on("data", (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      read();
    });
    to.on("error", () => {});
  }

  listen(socket);
  answer("greeting", "220 sink ESMTP");
}
