/**
 * What all dialects share: documents whose values know their place, complaints about them, the contract `Dialect`, and the linker that
 * makes one program of workflows of any dialect. It knows no dialect by name: they come in as a list. Files come in with their text;
 * nothing is read, run or evaluated here. Begin with `source-node.ts`, then `dialect.ts` and `link-workflows.ts`.
 */
export { type BlockSheet, condition, createSheet, engineBlock, value } from "./blocks.ts";
export {
  type ShapeCheck,
  type ShapeIssue,
  type ShapeRules,
  type Where,
  checkShape,
  isMissing,
  keysOfShape,
  kindOf,
  nearestNode,
  shown,
} from "./check-shape.ts";
export { sourceCodes } from "./codes.ts";
export { type Complain, type Complaint, articleFor, collectInto, didYouMean, quoteList, sortDiagnostics, suggest } from "./complaint.ts";
export {
  type CallingSet,
  type Dialect,
  type DialectReference,
  type Explanation,
  type PlayedRoles,
  type ExpressionChecker,
  type FolderFile,
  type ImportNode,
  type LoweredWorkflow,
  type References,
  type SourceSet,
  type TextFolders,
  type WholeFolder,
  type WorkflowInfo,
  type WorkflowPlace,
  type WorkflowReference,
  importKey,
} from "./dialect.ts";
export { type FoundWorkflow, gatherSources } from "./gather-sources.ts";
export { inputShape, readInput, typeWords } from "./input-spec.ts";
export { explainToPeople, withoutHoles } from "./explain-to-people.ts";
export type { Told } from "./told.ts";
export { type Linker, type LoneCall, createLinker, explainProgram } from "./link-workflows.ts";
export { withoutPart } from "./merge-programs.ts";
export { onePerLine, parseFile, parseYaml } from "./parse-file.ts";
export { readJson, withoutMark } from "./read-json.ts";
export { type Zone, readTime } from "./read-time.ts";
export { readRouting, routingKeys, routingShape } from "./routing-keys.ts";
export {
  type DocumentPath,
  type ParsedFile,
  type SourceFile,
  type SourceNode,
  type TextNode,
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
  referenceTo,
  textAt,
  textLeaves,
  textsAt,
} from "./source-node.ts";
export {
  checkFreshRole,
  checkReturns,
  contextWords,
  longestWait,
  lostContextWords,
  permissionShape,
  readPermission,
  readTask,
  retriesKey,
  taskExpressions,
  taskKeys,
} from "./task-shape.ts";
export { type TaskSpec, checkedTask, taskArgs, taskBlocks } from "./task-blocks.ts";
export { type FaultCodes, type JsonFault, type TextProblem, renderDiagnostic, textDiagnostics } from "./text-problem.ts";
