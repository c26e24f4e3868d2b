/**
 * The eight blocks that every dialect is lowered to. Data only: no dialect, no clock, nothing that runs.
 * Begin with `program.ts`, then `block.ts`.
 */
export type { Block, CallBlock, ChooseBlock, DoBlock, LeaveBlock, RepeatBlock, SeqBlock, WorkBlock } from "./block.ts";
export type { Ask, BlockId, ItemFailure, Label, Limit, LostPolicy, MachineState, Rescue, TaskHandout } from "./block.ts";
export type { Expr, Write, WriteOperation } from "./block.ts";
export { opOf } from "./block.ts";
export type { Budget, ComputedField, InputSpec, OnFailure, Part, Program, ResumePolicy, Tier, Tracking } from "./program.ts";
export { programVersion } from "./program.ts";
export { itemStatuses, type Item, type ItemQuery, type ItemStatus } from "./worklist.ts";
export { blocksInside, childBlocks, checkProgram, parallelCalls } from "./check-program.ts";
export { standardTaskPrompt } from "./standard-task-prompt.ts";
export { permittedForm, upcastProgram, type StoredProgram } from "./upcast-program.ts";
