import { handOutId, type Action, type RunState } from "../../../kernel/index.ts";
import type { Program } from "../../../program/index.ts";
import type { Shown } from "../../../views/index.ts";
import { botInstructions, nextAction } from "./bot-instructions.ts";
import { botScope, findAction, placeOfItem } from "./bot-place.ts";

/** What a report of an action may hold. */
export const reportHint =
  'Report an object: summary, and where there are any inputs, outputs and content ([{"path", "text"}], written below the project area).';

/** What the report of an action is asked for. */
export const botResultWanted = '{"summary": what was done}';

/** An action of a bot as a step, for tools that know nothing of bots; undefined when its place is gone. */
export function botShown({ program, state }: { readonly program: Program; readonly state: RunState }, action: Action): Shown | undefined {
  const scope = botScope(program, state, action.strand);
  const place = placeOfItem(action.args["item"]);
  const found = scope === undefined || place === undefined ? undefined : findAction(scope.definition, place);
  if (scope === undefined || place === undefined || found === undefined) return undefined;
  const { area, limits, problems, definition } = scope;
  const upcoming = found.behaviour === undefined || !found.action.workflow ? undefined : nextAction(found.behaviour, found.action);
  const chooses = definition.choosesArea === place.action ? " Name the chosen folder as project_area." : "";
  const step = {
    id: handOutId(action.step, action.id),
    type: action.what,
    instructions: `${botInstructions(scope, place)}\n\n${reportHint}${chooses}`,
    definition: {
      behavior: place.behaviour,
      action: place.action,
      next_action: upcoming?.name ?? null,
      ...(area === "" ? {} : { project_area: area }),
      ...(Object.keys(limits).length === 0 ? {} : { scope: limits }),
      ...(problems.length === 0 ? {} : { problems: [...problems] }),
    },
  };
  return { step, fillIn: { result: botResultWanted } };
}
