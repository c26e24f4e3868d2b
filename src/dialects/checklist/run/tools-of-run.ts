import { isList, isObject, type JsonObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { ToolDefinition } from "../definition/index.ts";
import { textList, type ChecklistRun } from "./checklist-run.ts";

/** The tools that a run uses: those that its first look was made with. */
export function toolsOf({ definition: { tools = [] }, raw }: Pick<ChecklistRun, "definition" | "raw">): readonly ToolDefinition[] {
  const used = isObject(raw["tools"]) ? raw["tools"]["used"] : undefined;
  return isList(used) ? tools.filter(({ id }) => used.includes(id)) : tools;
}

/** Tools that are in this workspace. */
export function presentTools({ host }: Pick<EngineContext, "host">, tools: readonly ToolDefinition[] = []): readonly ToolDefinition[] {
  const isThere = (path: string): boolean => oneOf(path).some((each) => host.hasPath(`${host.workspace}/${each}`));
  return tools.filter(({ ifPresent = [] }) => ifPresent.every(isThere));
}

/** `a.{js,ts}` is `a.js` or `a.ts`. */
function oneOf(path: string): readonly string[] {
  const { before, inside, after } = /^(?<before>[^{]*)\{(?<inside>[^{}]*)\}(?<after>.*)$/.exec(path)?.groups ?? {};
  if (before === undefined || inside === undefined || after === undefined) return [path];
  return inside.split(",").flatMap((each) => oneOf(`${before}${each.trim()}${after}`));
}

/** The tools that a start named in its options; undefined when it named none. */
export function namedTools(options: JsonObject): readonly string[] | undefined {
  const named = textList(options["tools"]).flatMap((each) => each.split(",").map((id) => id.trim()));
  return named.length === 0 || named.includes("all") ? undefined : named;
}

/** Those of the tools that are there which the start or the user chose. */
export function chosenTools(context: Pick<EngineContext, "host">, { definition, options, raw }: ChecklistRun): readonly ToolDefinition[] {
  const present = presentTools(context, definition.tools);
  const answer = raw["chosen_tools"];
  const named = namedTools(options) ?? (typeof answer === "string" && answer !== "all" ? [answer] : undefined);
  return named === undefined ? present : present.filter(({ id }) => named.includes(id));
}

/** What the tools that are not here would need, for people. */
export function missingTools({ tools = [] }: Pick<ChecklistRun["definition"], "tools">): string {
  return tools.flatMap(({ id, ifPresent = [] }) => (ifPresent.length === 0 ? [] : [`${id} (${ifPresent.join(" and ")})`])).join(", ");
}
