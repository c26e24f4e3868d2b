/**
 * Findings as text: what linters and compilers print becomes `Finding`s, and what Waymark found becomes what CI, editors and reviewers read.
 * Pure: text in, findings out, and back; it runs no tool and reads no file. Begin with `severity.ts`.
 */
export { isAtLeast, severities } from "./severity.ts";
