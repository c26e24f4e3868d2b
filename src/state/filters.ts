import { isList, isObject, pathToKey, textOf, type Json } from "../base/index.ts";
import { shellWords } from "./shell-words.ts";

type Filter = (value: Json, args: readonly Json[]) => Json;

const filters: Readonly<Record<string, Filter>> = {
  path_to_key: (value) => pathToKey(textOf(value)),
  raw: (value) => value,
  q: (value) => shellWords(value),
  json: (value) => JSON.stringify(value),
  upper: (value) => textOf(value).toUpperCase(),
  lower: (value) => textOf(value).toLowerCase(),
  trim: (value) => textOf(value).trim(),
  length: (value) => (isList(value) || typeof value === "string" ? value.length : isObject(value) ? Object.keys(value).length : 0),
  join: (value, [separator]) => (isList(value) ? value.map(textOf).join(typeof separator === "string" ? separator : ", ") : textOf(value)),
  default: (value, [other]) => (value === null || value === "" ? (other ?? null) : value),
};

export const filterNames: ReadonlySet<string> = new Set(Object.keys(filters));

export function applyFilter(name: string, value: Json, args: readonly Json[]): Json {
  return filters[name]?.(value, args) ?? null;
}
