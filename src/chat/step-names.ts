import { childBlocks, type Block, type Label, type Program } from "../program/index.ts";
import { nameOfBlock } from "../views/index.ts";

/** A step as people know it, and its number where its workflow counts its steps. */
export interface ShownStep {
  readonly name: string;
  readonly of?: string;
  /** What it is called where it is not a step: `node`, `state`, `phase`. */
  readonly kind: string;
}

/** Labels of several steps at once say what their own labels say again. */
const together = "steps";

export function stepOfLabel({ kind, text }: Label): ShownStep | undefined {
  if (kind === together) return undefined;
  const [, of, name] = /^Step (\d+\/\d+): ([^]*)$/.exec(text) ?? [];
  return of === undefined || name === undefined ? { kind, name: text } : { kind, of, name };
}

/** Steps in the order of the definition, without what is inside of a labelled one or in a workflow that is called. */
export function stepNames({ blocks, parts, main }: Program): readonly string[] {
  const walk = (id: string): readonly string[] => {
    const block = blocks[id];
    if (block === undefined) return [];
    const own = nameOf({ blocks }, block);
    return own === undefined ? childBlocks(block).flatMap(walk) : [own];
  };
  const names = new Set(walk(parts[main]?.root ?? ""));
  // Where all that has a name is a question, the steps are rows of a list, which has them when it runs.
  const isAsked = [...names].every((name) => {
    const block = blocks[name];
    return block?.kind === "do" && block.who === "person";
  });
  return isAsked ? [] : [...names];
}

function nameOf(program: Pick<Program, "blocks">, block: Block): string | undefined {
  const labelled = block.label === undefined ? undefined : stepOfLabel(block.label);
  if (block.kind !== "do") return labelled?.name;
  const plain = nameOfBlock(program, block.id);
  return labelled?.of === undefined && block.label?.kind === "step" ? plain : (labelled?.name ?? plain);
}

const mostShown = 30;

/** `a → b → c`; empty where there are no steps. */
export function stepsText(program: Program): string {
  const names = stepNames(program);
  return [...names.slice(0, mostShown), ...(names.length > mostShown ? ["..."] : [])].join(" → ");
}
