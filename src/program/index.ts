/**
 * The eight blocks that every dialect is lowered to. Data only: no dialect, no clock, nothing that runs.
 * Begin with `program.ts`, then `block.ts`.
 */
export {
  type Ask,
  type Block,
  type BlockId,
  type CallBlock,
  type DoBlock,
  type Expr,
  type FilledExpr,
  type ItemFailure,
  type Label,
  type LeaveBlock,
  type Limit,
  type LostPolicy,
  type MachineState,
  type PlainExpr,
  type RepeatBlock,
  type Rescue,
  type SeqBlock,
  type WorkBlock,
  type Write,
  type WriteOperation,
  opOf,
} from "./block.ts";
export { blocksInside, bodyOf, checkProgram, childBlocks, parallelCalls, rootsOf, withChildren } from "./check-program.ts";
export {
  type Budget,
  type ComputedField,
  type DeclaredState,
  type InputSpec,
  type OnFailure,
  type Part,
  type Program,
  type ResumePolicy,
  type Tier,
  type Tracking,
  programVersion,
} from "./program.ts";
export { standardTaskPrompt } from "./standard-task-prompt.ts";
export { movedPrograms } from "./moved-programs.ts";
export { type StoredProgram, permittedForm, upcastProgram } from "./upcast-program.ts";
export { type Item, type ItemQuery, type ItemStatus, itemStatuses } from "./worklist.ts";
