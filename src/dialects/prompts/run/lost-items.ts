import { counted, isList, isObject, shorten, textOf, type Json } from "../../../base/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import type { GraphNode } from "../definition/index.ts";
import { branchSentences } from "./apart/put-away.ts";

/** An item of a `fan_out` that failed without failing its node. */
export interface LostItem {
  /** Counted from 1, as everywhere where people see it. */
  readonly number: number;
  readonly item: Json;
  readonly error: string;
}

/** What was lost of a node that is done. */
export interface LostOfNode {
  readonly node: string;
  readonly total: number;
  readonly items: readonly LostItem[];
}

/** Undefined where nothing was lost. Only for a node that is done: what another one lost is its reason. */
export function lostOf({ state }: RunHandle, { block, does }: GraphNode): LostOfNode | undefined {
  if (does.kind !== "call" || does.fanOut === undefined) return undefined;
  const { fan, fanned } = state.scopes[mainScope]?.raw ?? {};
  const items = isObject(fan) ? fan[block] : undefined;
  const results = isObject(fanned) ? fanned[block] : undefined;
  if (!isList(items) || !isObject(results)) return undefined;
  const lost = items.flatMap((item, index): LostItem[] => {
    const result = results[String(index)];
    const error = isObject(result) ? result["error"] : "It was not done.";
    return error === undefined ? [] : [{ number: index + 1, item, error: textOf(error) }];
  });
  return lost.length === 0 ? undefined : { node: block, total: items.length, items: lost };
}

/** In a few words: how many of which node. */
export function lostText({ node, total, items }: LostOfNode): string {
  if (items.length < total) return `${items.length} of ${counted(total, "item")} of \`${node}\` failed`;
  return total === 1 ? `the only item of \`${node}\` failed` : `all ${total} items of \`${node}\` failed`;
}

/** One line for each of the first ones, and how many there are beside them. */
export function lostLines({ node, items }: LostOfNode, most: number): readonly string[] {
  const lines = items
    .slice(0, most)
    .map(({ number, item, error }) => `item ${number} of \`${node}\` (${shorten(oneLine(textOf(item)), itemShown)}): ${errorText(error)}`);
  return items.length > most ? [...lines, `and ${items.length - most} more of \`${node}\``] : lines;
}

const itemShown = 60;
const errorShown = 300;

/** Cut where it is long, but not the branches that it names: they have what the item did. */
export function errorText(error: string): string {
  const branches = branchSentences(error);
  const rest = branches.reduce((text, sentence) => text.replace(sentence, ""), error);
  // The line says which item of which node it is.
  return [shorten(oneLine(rest.replace(/^Call `[^`]+`: /, "")), errorShown), ...branches].join(" ");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
