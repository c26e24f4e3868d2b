/** What runs of chains show: the lines of their log, and the signal that ends a loop. Pure. Begin with `log-lines.ts`. */
export type { LoggedRecord } from "./log-line.ts";
export { logLines } from "./log-lines.ts";
export { readSignal } from "./read-signal.ts";
