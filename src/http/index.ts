/**
 * The engine on a loopback port: the Model Context Protocol for agents at `/mcp`, a few JSON calls for people at `/api`. Holds who may
 * ask (Host, Origin, tokens) and nothing else; never listens beyond this computer, never writes into the workspace. Begin with
 * `serve-http.ts`.
 */
export { httpCodes } from "./codes.ts";
export { serveHttp } from "./serve-http.ts";
export { serveStrands } from "./serve-strands.ts";
export { bridgeToStrand } from "./bridge-to-strand.ts";
export { createTestAdapter } from "./test-adapter.ts";
