import { mainStrand, type RunState, type Strand } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

/** Whether the strand hands out its work to everyone who asks. */
export function handsOut(program: Program, strand: Strand | undefined): boolean {
  const frame = strand?.frames.at(-1);
  const block = frame === undefined ? undefined : program.blocks[frame.block];
  return frame?.kind === "work" && frame.mode === "strands" && block?.kind === "work" && block.pull === true;
}

/** Whether everybody may ask for work, and not the driver of the run alone. */
export function handsOutWork({ program, state }: { readonly program: Program; readonly state: RunState }): boolean {
  return handsOut(program, state.strands[mainStrand]);
}

/** Lists whose items are handed out to anybody who asks: nobody was started for one of them alone. */
export function listsOnRequest({ blocks }: Program): ReadonlySet<string> {
  return new Set(Object.values(blocks).flatMap((block) => (block.kind === "work" && block.pull === true ? (block.list ?? []) : [])));
}
