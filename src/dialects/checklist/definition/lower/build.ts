import type { Block, BlockId, DoBlock, Expr, Label, Write } from "../../../../program/index.ts";
import { engineBlock } from "../../../../source/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "../checklist-definition.ts";

/** What lowering a part of a checklist needs of the whole. */
export interface Builder {
  readonly definition: ChecklistDefinition;
  readonly lists: Lists;
  /** Keeps a block; answers the id it has in the program. */
  readonly put: (block: Block) => BlockId;
}

/** An effect. `writes`: state path of its result. */
export function engine(
  id: BlockId,
  what: string,
  args: Readonly<Record<string, Expr>>,
  { writes, as }: { readonly writes?: string; readonly as?: string } = {},
): DoBlock {
  const written: Write[] = writes === undefined ? [] : [{ path: { as: "path", of: writes }, op: "set" }];
  return engineBlock(id, what, args, { writes: written, ...(as === undefined ? {} : { as }) });
}

export function phaseLabel(phase: PhaseDefinition | undefined): { readonly label?: Label } {
  return phase === undefined ? {} : { label: { kind: "phase", text: phase.id } };
}

/** Names of the worklists of a part: a workflow that is called has files of its own; findings and changes are the run's. */
export interface Lists {
  readonly files: string;
  readonly findings: string;
  readonly changes: string;
}

export function listsOf(main: boolean, type: string): Lists {
  return { files: main ? "files" : `${type}/files`, findings: "findings", changes: "changes" };
}

/** Phases that are worked on together, in order. */
export function stagesOf(phases: readonly PhaseDefinition[]): PhaseDefinition[][] {
  const stages: PhaseDefinition[][] = [];
  for (const phase of phases) {
    const current = stages.at(-1);
    const apart =
      current === undefined ||
      phase.role !== "review" ||
      current[0]?.role !== "review" ||
      phase.hardStop ||
      phase.after.some((id) => current.some((other) => other.id === id));
    if (apart) stages.push([phase]);
    else current.push(phase);
  }
  return stages;
}
