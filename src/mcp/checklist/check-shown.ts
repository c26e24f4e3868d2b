import { isObject, type JsonObject } from "../../base/index.ts";
import type { CheckDescription } from "../../dialects/checklist/definition/index.ts";
import type { Position } from "../../engine/index.ts";
import { stepFor, type CallSpec } from "../../views/index.ts";
import type { CheckAction } from "../../dialects/checklist/views/index.ts";
import { sessionArguments, type Driver, type Shown } from "./driver.ts";

export type OpenStanding = Extract<Position["standing"], { readonly kind: "action" }>;

/** The entry, topic or instance in the driver's hands, in the fields that clients of checklists know. */
export function checkShown(driver: Driver, run: string, { action, shown }: OpenStanding): Shown {
  const { facts, fillIn } = shown;
  const told = facts as CheckDescription | undefined;
  const { instructions, definition } = stepFor(shown, (tool) => driver.call.offers(tool));
  const { action: word, checklist_item_id: item, specialist, workflow_guidance: guidance, tool_call: tool, ...fields } = definition;
  const extra: JsonObject = {
    ...(guidance === undefined ? {} : { workflow_guidance: guidance }),
    ...(specialist === undefined ? {} : { specialist }),
  };
  const notes = (action.notes ?? []).map((note) => `Note from a person: ${note}`);
  return {
    action: {
      ...(fields as Partial<CheckAction>),
      action: typeof word === "string" ? word : action.what,
      actionId: action.id,
      ...(typeof item === "string" ? { item } : {}),
      instruction: [...notes, instructions].join(" "),
      ...(isObject(tool) ? { tool_call: tool as unknown as CallSpec } : {}),
      next_call: { tool: "workflow_progress", arguments: { ...sessionArguments(driver, run), action_id: action.id } },
      ...(fillIn === undefined ? {} : { fill_in: fillIn }),
    },
    checklist: told?.checklist ?? [],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
