import type { gatherFacts } from "../../engine/index.ts";

/** What replies about a checklist run are made from. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>;
