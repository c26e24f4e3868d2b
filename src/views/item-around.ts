import { isObject, shortenMiddle, type Json } from "../base/index.ts";
import { readListName, type RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

const longestItem = 40;

/** The item of a list that a strand works for, as `2: src/b.ts`; undefined where what is worked on has a name of its own. */
export function itemAround(run: { readonly program: Program; readonly state: RunState }, strand: string | undefined): string | undefined {
  const held = strand === undefined ? undefined : run.state.strands[strand];
  if (held === undefined) return undefined;
  const { item, frames, parent } = held;
  const block = run.program.blocks[readListName(item?.list ?? "")?.block ?? ""];
  if (item === undefined || block?.kind !== "work" || block.unit !== "item") return itemAround(run, parent);
  // A list without ids counts its items.
  const place = item.id.startsWith(`${block.id}.`) ? Number(item.id.slice(block.id.length + 1)) : Number.NaN;
  if (!Number.isInteger(place)) return itemAround(run, parent);
  const value = frames[0]?.locals?.["item"];
  return value === undefined ? String(place + 1) : `${place + 1}: ${shortenMiddle(itemText(value), longestItem)}`;
}

/** Of an object its first text, which is its id or its name more often than not. */
function itemText(value: Json): string {
  const text = isObject(value) ? Object.values(value).find((each) => typeof each === "string") : value;
  return (typeof text === "string" ? text : JSON.stringify(value)).replaceAll(/\s+/g, " ").trim();
}
