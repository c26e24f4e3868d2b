/**
 * What all dialects share: documents whose values know their place, complaints about them, the contract `Dialect`, and the linker that
 * makes one program of workflows of any dialect. It knows no dialect by name: they come in as a list. Files come in with their text;
 * nothing is read, run or evaluated here. Begin with `source-node.ts`, then `dialect.ts` and `link-workflows.ts`.
 */
export { condition, createSheet, engineBlock, value, type BlockSheet } from "./blocks.ts";
export { checkShape, isMissing, type ShapeCheck, type ShapeIssue, type ShapeRules } from "./check-shape.ts";
export { sourceCodes } from "./codes.ts";
export { articleFor, collectInto, didYouMean, quoteList, sortDiagnostics, suggest, type Complain, type Complaint } from "./complaint.ts";
export type { CallingSet, Dialect, DialectReference, Explanation, References, WorkflowReference } from "./dialect.ts";
export type { ExpressionChecker } from "./expression-checker.ts";
export { explainProgram } from "./explain-program.ts";
export { inputShape, readInput, typeWords } from "./input-spec.ts";
export { createLinker, type Linker } from "./link-workflows.ts";
export { findLoneCalls } from "./lone-calls.ts";
export type { ImportNode, LoweredWorkflow, WorkflowInfo } from "./lowered-workflow.ts";
export { withoutPart } from "./merge-programs.ts";
export { parseFile, parseYaml } from "./parse-file.ts";
export { readJson, withoutMark } from "./read-json.ts";
export { readTime, type Zone } from "./read-time.ts";
export { referenceTo } from "./reference-to.ts";
export { renderDiagnostic, type RenderOptions } from "./render-diagnostic.ts";
export { keysOfShape, kindOf, nearestNode, shown, type Where } from "./shape-words.ts";
export {
  child,
  descend,
  entriesOf,
  flagAt,
  formatDocumentPath,
  has,
  isText,
  listedTexts,
  membersOf,
  numberAt,
  textAt,
  textLeaves,
  textsAt,
  type DocumentPath,
  type ParsedFile,
  type SourceFile,
  type SourceNode,
  type TextNode,
} from "./source-node.ts";
export { importKey, type FolderFile, type SourceSet } from "./source-set.ts";
export { textDiagnostics, type FaultCodes, type JsonFault, type ParsedDocument, type TextProblem } from "./text-problem.ts";
export type { WholeFolder, WorkflowPlace } from "./workflow-place.ts";
