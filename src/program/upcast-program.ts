import { isObject, type JsonObject } from "../base/index.ts";
import type { Block } from "./block.ts";
import type { Part, Program } from "./program.ts";

type StoredPart = Omit<Part, "dialect"> & { readonly dialect?: string };
export type StoredProgram = Omit<Program, "parts"> & { readonly parts: Readonly<Record<string, StoredPart>> };

/**
 * A program as it was pinned, by this version or an earlier one, in the form of this version. Parts that do not say which dialect they are
 * of get it from what that dialect kept in their configuration; the main part is of the program's dialect.
 */
export function upcastProgram(stored: StoredProgram): Program {
  const parts = Object.entries(stored.parts).map(([name, part]): [string, Part] => [
    name,
    { ...part, dialect: part.dialect ?? dialectOf(stored, name, part) },
  ]);
  return { ...stored, parts: Object.fromEntries(parts) };
}

/** The dialect that a part is of where it does not say so. */
function dialectOf({ main, dialect }: StoredProgram, name: string, { config }: StoredPart): string {
  return name === main ? dialect : dialectIn(config);
}

/** Authors of steps choose the keys of `config` themselves, so a key alone says nothing. */
function dialectIn(config: JsonObject): string {
  const holds = (key: string, inner: string): boolean => isObject(config[key]) && Object.hasOwn(config[key], inner);
  if (holds("checklist", "phases") && holds("lists", "files")) return "checklist";
  if (Object.keys(config).length !== 1) return "steps";
  if (holds("bot", "behaviours")) return "bots";
  return holds("machine", "states") ? "machine" : "steps";
}

/**
 * What a permission is given for. Attributes that programs have got since are left out at their defaults, and `Part.dialect` where it
 * follows from the rest: so what a person allowed stays allowed, and a part of another dialect is other content.
 */
export function permittedForm(program: Program): StoredProgram {
  const parts = Object.entries(program.parts).map(([name, { dialect, ...part }]): [string, StoredPart] => [
    name,
    dialect === dialectOf(program, name, part) ? part : { dialect, ...part },
  ]);
  const blocks = Object.entries(program.blocks).map(([id, block]) => [id, withoutTries(block)] as const);
  return { ...program, parts: Object.fromEntries(parts), blocks: Object.fromEntries(blocks) };
}

function withoutTries(block: Block): Block {
  if (block.kind !== "do" || block.ask?.tries === undefined) return block;
  const { tries: _tries, ...ask } = block.ask;
  return { ...block, ask };
}
