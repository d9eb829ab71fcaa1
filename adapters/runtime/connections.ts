/** The connections of an HTTP server: which have a request in progress, and how all of them end. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Connections {
  /** To be called with every request before it is answered. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Whether clients that do not read leave so much of their answers here that no other fits. */
  isFull(): boolean;
  /** Whether part of an answer has been sent, so that another one would end up inside it. */
  isAnswering(socket: Socket): boolean;
  /**
   * Takes no more of them. What is being answered is answered to its last byte, for up to `graceMs`;
   * the others are closed, after two seconds also those whose request is not all there.
   */
  drain(graceMs: number): Promise<void>;
}

interface Connection {
  /** Each answer with its request. */
  readonly inProgress: Map<ServerResponse, IncomingMessage>;
  /** When it was opened, or its last answer was sent. */
  idleSince: number;
}

/** A client that just connected, or just got an answer, may have a request on its way. */
const LINGER_MS = 250;

/** What is still to come of a request when the end begins; nothing is done for it before it is there. */
const ARRIVAL_MS = 2_000;
const POLL_MS = 25;

/** Of answers that are made and not taken yet. */
const HELD_BYTES_MAX = 256 * 1_024 * 1_024;
const FEW_CONNECTIONS = 32;

export function watchConnections(http: Server): Connections {
  const open = new Map<Socket, Connection>();
  let isDraining = false;

  function connectionOf(socket: Socket): Connection {
    const known = open.get(socket);
    if (known !== undefined) return known;
    const connection = {
      inProgress: new Map<ServerResponse, IncomingMessage>(),
      idleSince: performance.now(),
    };
    open.set(socket, connection);
    socket.once("close", () => open.delete(socket));
    return connection;
  }

  function closeIdle(): void {
    const now = performance.now();
    for (const [socket, { inProgress, idleSince }] of open) {
      if (inProgress.size === 0 && now - idleSince >= LINGER_MS) socket.destroySoon();
    }
  }

  function closeUnfinished(): void {
    for (const [socket, { inProgress }] of open) {
      const waits = [...inProgress].some(
        ([{ headersSent }, { complete }]) => headersSent || complete,
      );
      if (inProgress.size > 0 && !waits) socket.destroySoon();
    }
  }

  /** Only looked at when so many answers are under way that it may matter. */
  function isFull(): boolean {
    if (open.size < FEW_CONNECTIONS) return false;
    let bytes = 0;
    for (const { inProgress } of open.values()) {
      for (const answer of inProgress.keys()) bytes += answer.writableLength;
    }
    return bytes > HELD_BYTES_MAX;
  }

  http.maxConnections = connectionsMax();
  http.on("connection", connectionOf);
  return {
    isFull,
    begin(incoming, outgoing) {
      const connection = connectionOf(incoming.socket);
      connection.inProgress.set(outgoing, incoming);
      if (isDraining) announceEnd(outgoing);
      // Not when it was ended: until then the system has not taken all of it.
      outgoing.once("close", () => {
        connection.inProgress.delete(outgoing);
        connection.idleSince = performance.now();
      });
    },
    isAnswering(socket) {
      const answers = [...(open.get(socket)?.inProgress.keys() ?? [])];
      return answers.some(({ headersSent }) => headersSent);
    },
    async drain(graceMs) {
      isDraining = true;
      // `close` calls it, and it takes an answer that was ended for one that was sent.
      http.closeIdleConnections = () => {};
      let isClosed = false;
      const closed = new Promise<void>((resolve) => {
        http.close(() => {
          isClosed = true;
          resolve();
        });
      });
      for (const { inProgress } of open.values()) [...inProgress.keys()].forEach(announceEnd);
      const begun = performance.now();
      while (!isClosed && performance.now() < begun + graceMs) {
        closeIdle();
        if (performance.now() >= begun + ARRIVAL_MS) closeUnfinished();
        await Promise.race([closed, sleep(POLL_MS)]);
      }
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}

function announceEnd(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader("connection", "close");
}

const CONNECTIONS_MAX = 16_384;

/** What the storage and the process itself may have open at once. */
const OTHER_FILES = 256;

/** Connections must not take the descriptors that writing a record needs. */
function connectionsMax(): number {
  const files = openFilesMax();
  // Of few the storage gets half.
  return Math.min(CONNECTIONS_MAX, Math.max(files - OTHER_FILES, Math.floor(files / 2)));
}

/** Infinity: not known. */
function openFilesMax(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
