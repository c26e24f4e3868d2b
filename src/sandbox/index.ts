/**
 * The expression sandbox: the port `Sandbox` on an interpreter compiled to WebAssembly, in a worker thread that is killed
 * when a call does not end. Never runs an author's code in this thread or with anything of Node in reach.
 * Begin with `create-sandbox.ts`, then `interpreter-worker.ts`.
 */
export { createSandbox } from "./create-sandbox.ts";
export { sandboxCodes } from "./codes.ts";
