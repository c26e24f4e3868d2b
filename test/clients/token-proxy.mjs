// @ts-check
import { createServer, request as send } from "node:http";

/**
 * Passes requests on as they are, Host and Origin included, and adds the token that the conformance tool cannot send.
 *
 * @param {string} target address of the server
 * @param {string} token
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function openTokenProxy(target, token) {
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const onward = send({ hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    // A client that goes away ends its request at the server too: closing the stream is how calls are cancelled.
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
