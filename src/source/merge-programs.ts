import { isObject } from "../base/index.ts";
import { blocksInside, rootsOf, withChildren, type Block, type BlockId, type Part, type Program } from "../program/index.ts";

/**
 * Puts a program of any dialect into another one, so that one run and one journal serve both. Its blocks get a prefix; the names
 * that agents see stay as they are. A part of a name that is there already is taken to be the same workflow. Worklists belong to the
 * run: one whose name another part has already gets the name of its own part in front, unless its dialect shares its lists.
 */
export function mergeProgram(into: Program, other: Program, { prefix, sharesLists }: Merging): Program {
  const rename = (id: BlockId): BlockId => `${prefix}${id}`;
  const parts: Record<string, Part> = { ...into.parts };
  const added = new Map<BlockId, ListNames>();
  const lists = new Set(Object.values(into.parts).flatMap(({ worklists }) => worklists.map(({ id }) => id)));
  for (const [name, part] of Object.entries(other.parts)) {
    if (parts[name] !== undefined) continue;
    const taken = sharesLists(part.dialect) ? [] : part.worklists.map(({ id }) => id).filter((id) => lists.has(id));
    const listNames = Object.fromEntries(taken.map((id) => [id, `${name}/${id}`]));
    parts[name] = renamedPart(part, rename, listNames);
    for (const id of blocksInside(other, rootsOf(part))) added.set(id, listNames);
  }
  const blocks = Object.values(other.blocks).flatMap((block) => {
    const listNames = added.get(block.id);
    return listNames === undefined ? [] : [renamed(block, rename, listNames)];
  });
  const places = Object.entries(other.places).flatMap(([id, place]) => (added.has(id) ? [[rename(id), place] as const] : []));
  return {
    ...into,
    parts,
    blocks: { ...into.blocks, ...Object.fromEntries(blocks.map((block) => [block.id, block])) },
    places: { ...into.places, ...Object.fromEntries(places) },
  };
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

function renamed(block: Block, rename: (id: BlockId) => BlockId, lists: ListNames): Block {
  const own = { ...withChildren(block, rename), id: rename(block.id) };
  if (own.kind === "do")
    return {
      ...own,
      name: own.name ?? { as: "text", of: block.id.replaceAll("{{", "{ {") },
      ...(own.continues === undefined ? {} : { continues: own.continues.map(rename) }),
    };
  if (own.kind !== "work" || own.list === undefined) return own;
  return { ...own, list: lists[own.list] ?? own.list };
}

/** The program without one of its parts and the blocks that only it has. */
export function withoutPart(program: Program, name: string): Program {
  const { [name]: gone, ...parts } = program.parts;
  if (gone === undefined) return program;
  const own = blocksInside(program, rootsOf(gone));
  return { ...program, parts, blocks: Object.fromEntries(Object.entries(program.blocks).filter(([id]) => !own.has(id))) };
}
