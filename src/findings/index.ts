/**
 * Findings as text: what linters and compilers print becomes `Finding`s, and what Waymark found becomes what CI, editors and reviewers read.
 * Pure: text in, findings out, and back; it runs no tool and reads no file. Begin with `read/read-findings.ts`; results are written by `write/`.
 */
export { BaselineCounter, type BaselineEntry, readBaseline, renderBaseline } from "./baseline.ts";
export { findingsCodes } from "./codes.ts";
export { readFindings } from "./read/read-findings.ts";
export { isAtLeast } from "./severity.ts";
export { findingRows, placeOf, rowLines, type RowLook } from "./write/finding-rows.ts";
export {
  findingData,
  isStanding,
  type ReportedEdit,
  type ReportedFinding,
  type ReportedRule,
  type ResultsAbout,
} from "./write/reported-finding.ts";
export { writeGithub } from "./write/write-github.ts";
export { writeGitlab } from "./write/write-gitlab.ts";
export { writeJson, writeJsonLines } from "./write/write-json.ts";
export { writeJunit } from "./write/write-junit.ts";
export { writeSarif } from "./write/write-sarif.ts";
