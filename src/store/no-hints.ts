import type { WorkHints } from "../ports/index.ts";

/** Of a store that tells nobody anything: who looks for work looks from time to time. */
export const noHints: WorkHints = { listen: () => () => undefined, close: async () => undefined };
