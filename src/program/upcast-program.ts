import { isObject, type JsonObject } from "../base/index.ts";
import type { Part, Program } from "./program.ts";

type StoredPart = Omit<Part, "dialect"> & { readonly dialect?: string };
export type StoredProgram = Omit<Program, "parts"> & { readonly parts: Readonly<Record<string, StoredPart>> };

/**
 * A program as it was pinned, by this version or an earlier one, in the form of this version. Parts that do not say which dialect they are
 * of get it from what that dialect kept in their configuration; the main part is of the program's dialect.
 */
export function upcastProgram(stored: StoredProgram): Program {
  const parts = Object.entries(stored.parts).map(([name, part]): [string, Part] => {
    const dialect = part.dialect ?? (name === stored.main ? stored.dialect : dialectIn(part.config));
    return [name, { ...part, dialect }];
  });
  return { ...stored, parts: Object.fromEntries(parts) };
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
 * What a permission is given for. Attributes that programs have got since are left out at their defaults, and `Part.dialect` always,
 * since it follows from the rest: so what a person allowed stays allowed.
 */
export function permittedForm(program: Program): StoredProgram {
  const parts = Object.entries(program.parts).map(([name, { dialect: _dialect, ...part }]): [string, StoredPart] => [name, part]);
  return { ...program, parts: Object.fromEntries(parts) };
}
