/**
 * The list of dialects: one folder and one line each, joined by its `dialect.ts`. General code gets what it needs of them from the
 * composition root and never names one. Begin with a `dialect.ts`, then its `definition/`.
 */
export type { DialectEntry } from "./dialect-entry.ts";
export { bots } from "./bots/dialect.ts";
export { checklist } from "./checklist/dialect.ts";
export { machine } from "./machine/dialect.ts";
export { prompts } from "./prompts/dialect.ts";
export { steps } from "./steps/dialect.ts";
