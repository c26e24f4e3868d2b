import { isObject } from "../base/index.ts";
import { childBlocks, type Block, type BlockId, type Part, type Program } from "../program/index.ts";

/**
 * Puts a program of any dialect into another one, so that one run and one journal serve both. Its blocks get a prefix; the names
 * that agents see stay as they are. A part of a name that is there already is taken to be the same workflow. Worklists belong to the
 * run: one whose name another part has already gets the name of its own part in front, unless its dialect shares its lists.
 */
export function mergeProgram(into: Program, other: Program, { prefix, sharesLists }: Merging): Program {
  const rename = (id: BlockId): BlockId => `${prefix}${id}`;
  const parts: Record<string, Part> = { ...into.parts };
  const blocks: Record<BlockId, Block> = {};
  const lists = new Set(Object.values(into.parts).flatMap(({ worklists }) => worklists.map(({ id }) => id)));
  for (const [name, part] of Object.entries(other.parts)) {
    if (parts[name] !== undefined) continue;
    const taken = sharesLists(part.dialect) ? [] : part.worklists.map(({ id }) => id).filter((id) => lists.has(id));
    const listNames = Object.fromEntries(taken.map((id) => [id, `${name}/${id}`]));
    parts[name] = renamedPart(part, rename, listNames);
    for (const block of blocksOf(other, part)) blocks[rename(block.id)] = withList(renamed(block, rename), listNames);
  }
  const kept = Object.fromEntries(
    Object.values(other.blocks).flatMap(({ id }) => (blocks[rename(id)] === undefined ? [] : [[rename(id), blocks[rename(id)]!]])),
  );
  const places = Object.fromEntries(
    Object.entries(other.places).flatMap(([id, place]) => (kept[rename(id)] === undefined ? [] : [[rename(id), place]])),
  );
  return { ...into, parts, blocks: { ...into.blocks, ...kept }, places: { ...into.places, ...places } };
}

interface Merging {
  readonly prefix: string;
  /** Whether parts of a dialect use the lists of the run when another part has them already. */
  readonly sharesLists: (dialect: string) => boolean;
}

type ListNames = Readonly<Record<string, string>>;

/** The engine finds a renamed list under its own name in `config.lists`. */
function renamedPart(part: Part, rename: (id: BlockId) => BlockId, lists: ListNames): Part {
  const known = isObject(part.config["lists"]) ? part.config["lists"] : {};
  return {
    ...part,
    ...(Object.keys(lists).length === 0 ? {} : { config: { ...part.config, lists: { ...known, ...lists } } }),
    root: rename(part.root),
    entries: Object.fromEntries(Object.entries(part.entries).map(([key, entry]) => [key, { ...entry, root: rename(entry.root) }])),
    worklists: part.worklists.map((list) => ({ ...list, id: lists[list.id] ?? list.id })),
    ...(part.onFailure?.body === undefined ? {} : { onFailure: { ...part.onFailure, body: rename(part.onFailure.body) } }),
  };
}

function withList(block: Block, lists: ListNames): Block {
  const name = block.kind === "work" && block.list !== undefined ? lists[block.list] : undefined;
  return name === undefined ? block : ({ ...block, list: name } as Block);
}

function blocksOf(program: Program, { root, entries, onFailure }: Part): Block[] {
  const found = new Map<BlockId, Block>();
  const open = [root, ...Object.values(entries).map((entry) => entry.root), ...(onFailure?.body === undefined ? [] : [onFailure.body])];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const block = program.blocks[id];
    if (block === undefined || found.has(id)) continue;
    found.set(id, block);
    open.push(...childBlocks(block));
  }
  return [...found.values()];
}

/** The program without one of its parts and the blocks that only it has. */
export function withoutPart(program: Program, name: string): Program {
  const { [name]: gone, ...parts } = program.parts;
  const blocks = { ...program.blocks };
  const open = gone === undefined ? [] : [gone.root, ...Object.values(gone.entries).map((entry) => entry.root)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const block = blocks[id];
    if (block === undefined) continue;
    open.push(...childBlocks(block));
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
