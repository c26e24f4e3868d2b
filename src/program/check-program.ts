import type { Block, BlockId, MachineBlock, WorkBlock } from "./block.ts";
import type { Part, Program } from "./program.ts";

/** The block with other ids for the blocks directly inside it, its rescue's body included. */
export function withChildren(block: Block, idFor: (id: BlockId) => BlockId): Block {
  const body = block.rescue?.body;
  const rescue = body === undefined ? {} : { rescue: { ...block.rescue!, body: idFor(body) } };
  switch (block.kind) {
    case "do":
    case "leave":
      return { ...block, ...rescue };
    case "seq":
      return { ...block, blocks: block.blocks.map(idFor), ...rescue };
    case "choose": {
      const branches = block.branches.map(({ when, then }) => ({ when, then: idFor(then) }));
      return { ...block, branches, ...(block.otherwise === undefined ? {} : { otherwise: idFor(block.otherwise) }), ...rescue };
    }
    case "repeat":
      return { ...block, body: idFor(block.body), ...rescue };
    case "work": {
      const bodies = block.bodies && Object.entries(block.bodies).map(([item, id]) => [item, idFor(id)]);
      return { ...block, body: idFor(block.body), ...(bodies && { bodies: Object.fromEntries(bodies) }), ...rescue };
    }
    case "machine": {
      const states = Object.entries(block.states).map(([name, state]) => [name, { ...state, body: idFor(state.body) }]);
      return { ...block, states: Object.fromEntries(states), ...rescue };
    }
    case "call":
      return { ...block, ...(block.onComplete === undefined ? {} : { onComplete: idFor(block.onComplete) }), ...rescue };
  }
}

/** Ids of the blocks directly inside a block, rescue bodies included. */
export function childBlocks(block: Block): BlockId[] {
  const found: BlockId[] = [];
  withChildren(block, (id) => (found.push(id), id));
  return found;
}

/** The block that is run for an item of a work. */
export function bodyOf({ body, bodies = {} }: WorkBlock, item: string): BlockId {
  return Object.hasOwn(bodies, item) ? (bodies[item] ?? body) : body;
}

/** The blocks that a part begins with: its body, its entries, and what runs when it fails. */
export function rootsOf({ root, entries, onFailure }: Part): BlockId[] {
  return [root, ...Object.values(entries).map((entry) => entry.root), ...(onFailure?.body === undefined ? [] : [onFailure.body])];
}

/** The blocks and all that are inside them, however deep; with `called` also those of the parts that they call. */
export function blocksInside(
  { blocks, parts }: Pick<Program, "blocks" | "parts">,
  roots: BlockId | readonly BlockId[],
  called = false,
): ReadonlySet<BlockId> {
  const found = new Set<BlockId>();
  const open = [roots].flat();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const block = blocks[id];
    if (block === undefined || found.has(id)) continue;
    found.add(id);
    open.push(...childBlocks(block));
    if (called && block.kind === "call") open.push(parts[block.part]?.root ?? "");
  }
  return found;
}

/** Broken invariants of a program, in words; an empty list means it can run. A dialect that lowers into a broken one has a bug. */
export function checkProgram(program: Program): string[] {
  const found: string[] = [];
  const parents = new Map<BlockId, number>();
  for (const [id, block] of Object.entries(program.blocks)) {
    if (block.id !== id) found.push(`block \`${id}\` calls itself \`${block.id}\``);
    for (const child of childBlocks(block)) parents.set(child, (parents.get(child) ?? 0) + 1);
    if (block.kind === "call" && program.parts[block.part] === undefined)
      found.push(`block \`${id}\` calls the unknown part \`${block.part}\``);
    if (block.kind === "machine") found.push(...checkMachine(block));
    if (block.kind === "work" && (block.fill === undefined) === (block.list === undefined))
      found.push(`work \`${id}\` needs exactly one of fill and list`);
  }
  for (const root of Object.values(program.parts).flatMap(rootsOf)) parents.set(root, (parents.get(root) ?? 0) + 1);
  for (const [id, count] of parents) {
    if (program.blocks[id] === undefined) found.push(`block \`${id}\` does not exist`);
    if (count > 1) found.push(`block \`${id}\` has ${count} parents`);
  }
  for (const id of Object.keys(program.blocks)) if (!parents.has(id)) found.push(`block \`${id}\` cannot be reached`);
  if (program.parts[program.main] === undefined) found.push(`main part \`${program.main}\` does not exist`);
  return found;
}

function checkMachine({ id, states, initial }: MachineBlock): string[] {
  const found = states[initial] === undefined ? [`machine \`${id}\` starts in the unknown state \`${initial}\``] : [];
  for (const [name, { outcomes }] of Object.entries(states))
    for (const { to } of outcomes)
      if (to !== null && states[to] === undefined) found.push(`machine \`${id}\`: state \`${name}\` leads to the unknown state \`${to}\``);
  return found;
}

/** A part that is called in strands of a block. */
interface ParallelCall {
  readonly block: BlockId;
  readonly part: string;
  /** Several of the strands may run at the same time. */
  readonly atOnce: boolean;
  /** The strands are tasks that the agent of the run hands on. */
  readonly tasks: boolean;
}

/** Parts that are called, however deep, from the strands that a block opens. */
export function parallelCalls(program: Program): readonly ParallelCall[] {
  return Object.values(program.blocks).flatMap((block) => {
    if (block.kind !== "work" || block.mode !== "strands") return [];
    const inner = [...blocksInside(program, [block.body, ...Object.values(block.bodies ?? {})], true)].map((id) => program.blocks[id]);
    const called = new Set(inner.flatMap((each) => (each?.kind === "call" ? [each.part] : [])));
    // What nobody waits for runs beside everything that follows.
    const how = { atOnce: block.parallel !== 1 || block.join === "later", tasks: block.task !== undefined };
    return [...called].map((part) => ({ block: block.id, part, ...how }));
  });
}
