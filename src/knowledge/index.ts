/**
 * What is known about code, in topics: markdown files with front matter, in layers that replace each other. Finds topics, says
 * which of them a piece of code calls for, answers questions from their text, and reads conversion guides. Files come through a
 * port; the room never touches a disk, a clock or a network, and never invents an answer. Begin at `open-knowledge.ts`.
 */
export { knowledgeCodes } from "./codes.ts";
export { guideSection } from "./guides/find-guides.ts";
export { patternsOf } from "./guides/guide-patterns.ts";
export { type Knowledge, openKnowledge } from "./open-knowledge.ts";
export { parseVersion } from "./versions.ts";
