/**
 * The eight blocks that every dialect is lowered to. Data only: no dialect, no clock, nothing that runs.
 * Begin with `program.ts`, then `block.ts`.
 */
export type {
  Ask,
  Block,
  BlockId,
  CallBlock,
  ChooseBlock,
  DoBlock,
  ItemFailure,
  Label,
  LeaveBlock,
  Limit,
  LostPolicy,
  MachineBlock,
  MachineState,
  RepeatBlock,
  Rescue,
  SeqBlock,
  TaskHandout,
  WorkBlock,
} from "./block.ts";
export { opOf } from "./block.ts";
export type { Expr, Write, WriteOperation } from "./expr.ts";
export {
  programVersion,
  type Budget,
  type ComputedField,
  type Entry,
  type InputSpec,
  type OnFailure,
  type Part,
  type Program,
  type ResumePolicy,
  type Tier,
  type Tracking,
} from "./program.ts";
export { itemStatuses, type Item, type ItemQuery, type ItemStatus, type WorklistSpec } from "./worklist.ts";
export { childBlocks, checkProgram } from "./check-program.ts";
export { parallelCalls, type ParallelCall } from "./parallel-calls.ts";
export { standardTaskPrompt } from "./standard-task-prompt.ts";
export { permittedForm, upcastProgram, type StoredProgram } from "./upcast-program.ts";
