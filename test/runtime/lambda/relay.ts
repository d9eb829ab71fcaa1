/** What lies between a function and its storage: connections through it can die, loudly or without a word. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Relay {
  readonly endpoint: string;
  /** How many connections there ever were. */
  readonly count: number;
  /** Resets every connection there is. */
  cut(): void;
  /** Passes on nothing of what comes through connections there are: they stay, and are dead. */
  mute(): void;
  close(): Promise<void>;
}

export async function relay(endpoint: string): Promise<Relay> {
  const { hostname, port } = new URL(endpoint);
  const pairs = new Set<readonly [Socket, Socket]>();
  let count = 0;
  const server = createServer((near) => {
    count += 1;
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        for (const one of pair) one.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    get count() {
      return count;
    },
    cut() {
      for (const [near] of pairs) near.resetAndDestroy();
    },
    mute() {
      for (const [near, far] of pairs) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    async close() {
      for (const [near] of pairs) near.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
