import type { Block, BlockId } from "./block.ts";
import type { Program } from "./program.ts";

/** Ids of the blocks directly inside a block, rescue bodies included. */
export function childBlocks(block: Block): BlockId[] {
  const rescue = block.rescue?.body === undefined ? [] : [block.rescue.body];
  switch (block.kind) {
    case "seq":
      return [...block.blocks, ...rescue];
    case "choose":
      return [...block.branches.map((branch) => branch.then), ...(block.otherwise === undefined ? [] : [block.otherwise]), ...rescue];
    case "repeat":
    case "work":
      return [block.body, ...rescue];
    case "machine":
      return [...Object.values(block.states).map((state) => state.body), ...rescue];
    case "call":
      return [...(block.onComplete === undefined ? [] : [block.onComplete]), ...rescue];
    case "do":
    case "leave":
      return rescue;
  }
}

/** Broken invariants of a program, in words; an empty list means it can run. A dialect that lowers into a broken one has a bug. */
export function checkProgram(program: Program): string[] {
  const found: string[] = [];
  const roots = Object.values(program.parts).flatMap((part) => [
    part.root,
    ...Object.values(part.entries).map((entry) => entry.root),
    ...(part.onFailure?.body === undefined ? [] : [part.onFailure.body]),
  ]);
  const parents = new Map<BlockId, number>();
  for (const [id, block] of Object.entries(program.blocks)) {
    if (block.id !== id) found.push(`block \`${id}\` calls itself \`${block.id}\``);
    for (const child of childBlocks(block)) parents.set(child, (parents.get(child) ?? 0) + 1);
    if (block.kind === "call" && program.parts[block.part] === undefined)
      found.push(`block \`${id}\` calls the unknown part \`${block.part}\``);
    if (block.kind === "machine") found.push(...checkMachine(id, block.states, block.initial));
    if (block.kind === "work" && (block.fill === undefined) === (block.list === undefined))
      found.push(`work \`${id}\` needs exactly one of fill and list`);
  }
  for (const root of roots) parents.set(root, (parents.get(root) ?? 0) + 1);
  for (const [id, count] of parents) {
    if (program.blocks[id] === undefined) found.push(`block \`${id}\` does not exist`);
    if (count > 1) found.push(`block \`${id}\` has ${count} parents`);
  }
  for (const id of Object.keys(program.blocks)) if (!parents.has(id)) found.push(`block \`${id}\` cannot be reached`);
  if (program.parts[program.main] === undefined) found.push(`main part \`${program.main}\` does not exist`);
  return found;
}

function checkMachine(
  id: BlockId,
  states: Readonly<Record<string, { readonly outcomes: readonly { readonly to: string | null }[] }>>,
  initial: string,
): string[] {
  const found = states[initial] === undefined ? [`machine \`${id}\` starts in the unknown state \`${initial}\``] : [];
  for (const [name, state] of Object.entries(states)) {
    for (const outcome of state.outcomes) {
      if (outcome.to !== null && states[outcome.to] === undefined)
        found.push(`machine \`${id}\`: state \`${name}\` leads to the unknown state \`${outcome.to}\``);
    }
  }
  return found;
}
