import type { BlockId, Expr } from "../../../../program/index.ts";
import { condition, value } from "../../../../source/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "../checklist-definition.ts";
import { engine, phaseLabel, type Builder } from "./build.ts";

/**
 * What an effect that may run the tools says about them, so that a permission covers every line. The definition in the part is what is run: the
 * two are of one program. Lines for one file are in two parts, because the program would fill in `{{file}}` itself.
 */
export function toolArgs({ tools }: Pick<ChecklistDefinition, "tools">): Readonly<Record<string, Expr>> {
  if (tools === undefined) return {};
  const lines = tools.map(({ command, perFile }) => ({ command, ...(perFile === undefined ? {} : { per_file: { ...perFile } }) }));
  return { tools: value(lines) };
}

/** The tools look at the files before the scan, which makes rows of what they say. One that fails stops the run until a retry. */
export function toolsBefore(builder: Builder, phase: PhaseDefinition | undefined): BlockId[] {
  const { definition, lists, put } = builder;
  if (definition.tools === undefined) return [];
  const args = { list: value(lists.files), ...toolArgs(definition) };
  const look = put({ ...engine("tools", "run_tools", args, { writes: "raw.tools" }), rescue: { then: "block" }, ...phaseLabel(phase) });
  return definition.chooseTools === true ? [...choice(builder), look] : [look];
}

/** Which tools are there is known when the run begins; where there is more than one, the user chooses. */
function choice({ put }: Builder): BlockId[] {
  const find = put(engine("tools.find", "find_tools", {}, { writes: "raw.tool_choice" }));
  const ask = put({
    id: "tools.which",
    kind: "do",
    who: "person",
    what: "ask",
    args: { prompt: { as: "text", of: "{{ raw.tool_choice.question }}" }, options: value("{{ raw.tool_choice.options }}") },
    writes: [{ path: { as: "path", of: "raw.chosen_tools" }, op: "set" }],
    ask: { answerBy: "relay" },
  });
  const branches = [{ when: condition("raw.tool_choice.options.length > 1"), then: ask }];
  return [find, put({ id: "tools.choose", kind: "choose", branches })];
}

/** After the files of a round: reports that wait are settled by another look, and what the edits of the round brought is found. */
export function toolsAfter(builder: Builder, phase: PhaseDefinition | undefined): BlockId[] {
  const { definition, lists, put } = builder;
  if (definition.tools === undefined) return [];
  const args = { list: value(lists.files), ...toolArgs(definition) };
  return [
    put({
      ...engine("tools.again", "look_again", args, { writes: "raw.looked", as: "looked" }),
      rescue: { then: "block" },
      ...phaseLabel(phase),
    }),
  ];
}
