import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What a client sends at the end of a transaction; names of columns begin with the same letters. */
export const commitSent = "commit\0";

/** Stands between a client and a database server and loses what tests tell it to. */
export interface DatabaseProxy {
  readonly url: string;
  /**
   * Cuts the connection the next time a client sends this text: before the server sees it, or when the server has answered it. New connections lead
   * to the port from then on, if one is given.
   */
  readonly cut: (sent: string, when: "before" | "after", port?: number) => void;
  /** How many connections were cut so. */
  readonly cuts: () => number;
  /** From now on new connections lead there; those that there are end. */
  readonly leadTo: (port: number) => void;
  readonly close: () => Promise<void>;
}

/** In front of the server with this address. */
export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const address = new URL(url);
  let port = Number(address.port);
  let awaited: { readonly sent: string; readonly when: "before" | "after"; readonly port: number | undefined } | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isOver = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", () => (sockets.delete(socket), end()));
    }
    client.on("data", (bytes) => {
      if (awaited !== undefined && bytes.includes(awaited.sent)) {
        const { when } = awaited;
        port = awaited.port ?? port;
        awaited = undefined;
        cuts += 1;
        if (when === "before") return end();
        isOver = true;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => (isOver ? end() : client.write(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address.port = String((server.address() as { port: number }).port);
  const endAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: address.href,
    cut: (sent, when, to) => void (awaited = { sent, when, port: to }),
    cuts: () => cuts,
    leadTo: (other) => {
      port = other;
      endAll();
    },
    close: async () => {
      server.close();
      endAll();
      await once(server, "close");
    },
  };
}
