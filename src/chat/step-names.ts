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

/** A step in a list of them: numbered steps are as many as there are, of others a name is there once. */
type Listed = Pick<ShownStep, "name" | "of">;

/** Steps in the order of the definition, without what is inside of a labelled one or in a workflow that is called. */
function listedSteps({ blocks, parts, main }: Program): readonly Listed[] {
  const walk = (id: string): readonly Listed[] => {
    const block = blocks[id];
    if (block === undefined) return [];
    const own = listed({ blocks }, block);
    return own === undefined ? childBlocks(block).flatMap(walk) : [own];
  };
  const steps = new Map(walk(parts[main]?.root ?? "").map((step) => [`${step.of ?? ""} ${step.name}`, step]));
  // Where all that has a name is a question, the steps are rows of a list, which has them when it runs.
  const isAsked = [...steps.values()].every(({ name }) => {
    const block = blocks[name];
    return block?.kind === "do" && block.who === "person";
  });
  return isAsked ? [] : [...steps.values()];
}

function listed(program: Pick<Program, "blocks">, block: Block): Listed | undefined {
  const labelled = block.label === undefined ? undefined : stepOfLabel(block.label);
  if (labelled?.of !== undefined || block.kind !== "do") return labelled;
  const plain = nameOfBlock(program, block.id);
  const name = block.label?.kind === "step" ? plain : (labelled?.name ?? plain);
  return name === undefined ? undefined : { name };
}

/** Of steps without a number. */
const mostShown = 30;

/** `a → b → c`; empty where there are no steps. */
export function stepsText(program: Program): string {
  const steps = listedSteps(program);
  const shown = steps.some(({ of }) => of !== undefined) ? steps : steps.slice(0, mostShown);
  return [...shown.map(({ name }) => name), ...(shown.length < steps.length ? ["..."] : [])].join(" → ");
}
