import type { Block, BlockId, Part, Program } from "../program/index.ts";

/**
 * Puts a program of any dialect into another one, so that one run and one journal serve both. Its blocks get a prefix; the names
 * that agents see stay as they are. A part of a name that is there already is taken to be the same workflow.
 */
export function mergeProgram(into: Program, other: Program, prefix: string): Program {
  const rename = (id: BlockId): BlockId => `${prefix}${id}`;
  const parts: Record<string, Part> = { ...into.parts };
  for (const [name, part] of Object.entries(other.parts)) {
    if (parts[name] !== undefined) continue;
    parts[name] = {
      ...part,
      root: rename(part.root),
      entries: Object.fromEntries(Object.entries(part.entries).map(([key, entry]) => [key, { ...entry, root: rename(entry.root) }])),
      ...(part.onFailure?.body === undefined ? {} : { onFailure: { ...part.onFailure, body: rename(part.onFailure.body) } }),
    };
  }
  const blocks = Object.fromEntries(Object.values(other.blocks).map((block) => [rename(block.id), renamed(block, rename)]));
  const places = Object.fromEntries(Object.entries(other.places).map(([id, place]) => [rename(id), place]));
  return { ...into, parts, blocks: { ...into.blocks, ...blocks }, places: { ...into.places, ...places } };
}

/** The program without one of its parts and the blocks that only it has. */
export function withoutPart(program: Program, name: string, children: (block: Block) => readonly BlockId[]): Program {
  const { [name]: gone, ...parts } = program.parts;
  const blocks = { ...program.blocks };
  const open = gone === undefined ? [] : [gone.root, ...Object.values(gone.entries).map((entry) => entry.root)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const block = blocks[id];
    if (block === undefined) continue;
    open.push(...children(block));
    delete blocks[id];
  }
  return { ...program, parts, blocks };
}

function renamed(block: Block, rename: (id: BlockId) => BlockId): Block {
  const rescue = block.rescue?.body === undefined ? {} : { rescue: { ...block.rescue, body: rename(block.rescue.body) } };
  const base = { id: rename(block.id), ...rescue };
  switch (block.kind) {
    case "do":
      return { ...block, ...base, name: block.name ?? { as: "text", of: block.id.replaceAll("{{", "{ {") } };
    case "leave":
      return { ...block, ...base };
    case "seq":
      return { ...block, ...base, blocks: block.blocks.map(rename) };
    case "choose":
      return {
        ...block,
        ...base,
        branches: block.branches.map(({ when, then }) => ({ when, then: rename(then) })),
        ...(block.otherwise === undefined ? {} : { otherwise: rename(block.otherwise) }),
      };
    case "repeat":
    case "work":
      return { ...block, ...base, body: rename(block.body) };
    case "machine":
      return {
        ...block,
        ...base,
        states: Object.fromEntries(Object.entries(block.states).map(([name, state]) => [name, { ...state, body: rename(state.body) }])),
      };
    case "call":
      return { ...block, ...base, ...(block.onComplete === undefined ? {} : { onComplete: rename(block.onComplete) }) };
  }
}
