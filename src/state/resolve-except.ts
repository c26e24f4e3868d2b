import type { AnyNode } from "acorn";
import { isList, isObject, textOf, type Json } from "../base/index.ts";
import { analyse, editText, type Edit } from "./analyse.ts";
import type { FreeReference } from "./free-names.ts";
import { hasTemplates, isBad, parseTemplate, soleHole, type Hole } from "./template.ts";

/** The value of an expression now; undefined when it has none yet. */
export type ValueOf = (js: string) => Promise<Json | undefined>;

/** A tree with templates in which everything that has a value is filled in; what has none yet stays a template, its known names filled in. */
export async function resolveTree(value: Json, valueOf: ValueOf): Promise<Json> {
  if (!hasTemplates(value)) return value;
  if (typeof value === "string") return resolveTemplate(value, valueOf);
  if (isList(value)) return Promise.all(value.map((entry) => resolveTree(entry, valueOf)));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(async ([key, entry]): Promise<[string, Json]> => [key, await resolveTree(entry, valueOf)]);
  return Object.fromEntries(await Promise.all(entries));
}

async function resolveTemplate(text: string, valueOf: ValueOf): Promise<Json> {
  const sole = soleHole(text);
  if (sole !== undefined) return (await valueOf(sole.source)) ?? (await openHole(sole, valueOf));
  let resolved = "";
  for (const part of parseTemplate(text)) {
    if (typeof part === "string" || isBad(part)) resolved += typeof part === "string" ? part : part.text;
    else {
      const value = await valueOf(part.source);
      resolved += value === undefined ? await openHole(part, valueOf) : textOf(value);
    }
  }
  return resolved;
}

async function openHole({ source, text, filters }: Hole, valueOf: ValueOf): Promise<string> {
  return filters.length > 0 ? text : `{{ ${await resolveScript(source.trim(), valueOf)} }}`;
}

/** JavaScript with the names that have a value replaced by it. */
export async function resolveScript(js: string, valueOf: ValueOf): Promise<string> {
  const analysed = analyse(js);
  if ("error" in analysed) return js;
  const edits: Edit[] = [];
  for (const reference of analysed.free) {
    const { start, end } = chainOf(reference);
    const value = await valueOf(js.slice(start, end));
    if (value !== undefined) edits.push({ start, end, text: literalOf(value) });
  }
  return editText(js, edits);
}

/** The whole of `inputs.who` for the name `inputs`, so that no more than what is read is filled in; a called method is not part of it. */
function chainOf({ node, around }: FreeReference): { readonly start: number; readonly end: number } {
  let chain: AnyNode = node;
  for (const [index, outer] of around.toReversed().entries()) {
    if (outer.type !== "MemberExpression" || outer.object !== chain || outer.computed) break;
    const caller = around.at(-2 - index);
    if (caller?.type === "CallExpression" && caller.callee === outer) break;
    chain = outer;
  }
  return chain;
}

function literalOf(value: Json): string {
  return isObject(value) ? `(${JSON.stringify(value)})` : JSON.stringify(value);
}
