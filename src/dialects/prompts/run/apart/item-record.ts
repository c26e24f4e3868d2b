import { cutText, isList, isObject, textOf, visibleText, type Json, type JsonObject } from "../../../../base/index.ts";
import { refused, type EffectJob } from "../../../../engine/index.ts";
import type { PromptsDefinition } from "../../definition/index.ts";
import type { OfNode } from "./outer-place.ts";

export type ApartJob = EffectJob<PromptsDefinition>;

/** What the strand of an item came to. */
export interface ItemRecord extends JsonObject {
  /** Of its worktree. */
  readonly name: string;
  /** The commit of its worktree, and the one that it is on top of; null where nothing was changed. */
  readonly commit: string | null;
  readonly base: string;
  /** A line of the commit's message that no other one has. */
  readonly mark: string;
  /** Hashes of the files that its worktree was given beside what git has. */
  readonly given: JsonObject;
}

/** In which files it conflicts with the newest result, and how often it was given back. */
export interface Conflict {
  readonly files: readonly string[];
  readonly rounds: number;
}

/** The item that an effect is about. */
export interface Item extends OfNode {
  readonly node: string;
  readonly index: number;
  readonly title: string;
  readonly record: ItemRecord | undefined;
  readonly conflict: Conflict;
}

export function itemOf({ scope, effect: { args } }: ApartJob): Item {
  const node = textOf(args["node"]);
  const held = isObject(args["record"]) ? args["record"] : undefined;
  const conflict = isObject(held?.["conflict"]) ? held["conflict"] : {};
  const { files, rounds } = conflict;
  return {
    scope,
    node,
    block: textOf(args["block"]),
    index: Number(args["index"]),
    title: cutText(visibleText(`${node}: ${textOf(args["item"] ?? "")}`).replace(/\s+/g, " "), 100),
    record: held as ItemRecord | undefined,
    conflict: { files: isList(files) ? files.map(textOf) : [], rounds: Number(rounds ?? 0) },
  };
}

/** What the strand's own worktree is, as the effect that made it said. */
export function apartOf({ effect }: ApartJob): { readonly name: string; readonly base: string; readonly given: JsonObject } {
  const apart: Json = effect.args["apart"] ?? null;
  if (!isObject(apart)) throw refused("PROMPTS_GIT_FAILED", "The worktree of the strand is not known.");
  return { name: textOf(apart["name"]), base: textOf(apart["base"]), given: isObject(apart["given"]) ? apart["given"] : {} };
}
