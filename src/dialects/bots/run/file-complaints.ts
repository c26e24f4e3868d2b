import type { WorkflowState } from "../definition/index.ts";
import type { Item } from "../../../program/index.ts";
import { inOrder, type Activity } from "./activity.ts";
import type { BotRun } from "./bot-run.ts";
import type { FoundLog, FoundState } from "./found-files.ts";
import { completedOf, currentOf, sameEntry, withCompleted, type Current } from "./journal-views.ts";

export interface KnownActivity {
  readonly recorded: readonly Activity[];
  /** Records that are being made. */
  readonly open: readonly Activity[];
}

/** Every recorded entry must be there, and nothing of this bot that is not known. */
export function complaintOfLog(
  { definition }: BotRun,
  { file, last, recorded, all }: { readonly file: FoundLog; readonly last: string | undefined } & LogKnown,
): string[] {
  if (last === undefined || file.hash === last) return [];
  if (file.text === undefined) return [`${file.path} was removed.`];
  if (file.broken !== undefined) return [`${file.path} was changed by somebody else and cannot be read: ${file.broken}`];
  const missing = recorded.filter(({ entry }) => !file.own.some((each) => sameEntry(each, entry))).length;
  const strange = file.own.filter((entry) => !all.some((each) => sameEntry(each.entry, entry))).length;
  if (missing === 0 && strange === 0) return [];
  const lacks = missing === 0 ? "" : ` ${missing} of the recorded entries of ${definition.name} ${missing === 1 ? "is" : "are"} not in it.`;
  const has = strange === 0 ? "" : ` ${strange} of its entries ${strange === 1 ? "was" : "were"} never recorded.`;
  return [`${file.path} was changed by somebody else.${lacks}${has}`];
}

interface LogKnown {
  readonly recorded: readonly Activity[];
  readonly all: readonly Activity[];
}

/** What the file says of the place must be what some recorded moment said; other keys are nobody's business. */
export function complaintOfState(
  run: BotRun,
  {
    file,
    last,
    known,
    actions,
  }: {
    readonly file: FoundState;
    readonly last: string | undefined;
    readonly known: KnownActivity & { readonly own?: Activity };
    readonly actions: readonly Item[];
  },
): string[] {
  if (last === undefined || file.hash === last) return [];
  if (file.text === undefined) return [`${file.path} was removed.`];
  if (file.state === undefined)
    return [`${file.path} was changed by somebody else and cannot be read: ${file.broken ?? "it is not JSON."}`];
  const { state } = file;
  if (state.bot !== undefined && state.bot !== run.definition.name) return [];
  const open = [...known.open, ...(known.own === undefined ? [] : [known.own])];
  const moments = [known.recorded, ...open.map((each) => [...known.recorded, each]), [...known.recorded, ...open]];
  const said = moments.map((moment) => currentOf(run, inOrder(moment)));
  const fits = said.some((current) => current !== undefined && samePlace(state, current));
  const count = completedOf(inOrder(known.recorded), actions).length;
  const most = completedOf(inOrder([...known.recorded, ...open]), withCompleted(actions, open)).length;
  const counted = state.completedActions.length >= count && state.completedActions.length <= Math.max(count, most);
  if (fits && counted) return [];
  const journal = said[0];
  const says = `It says ${placeText(state.currentBehaviour, state.currentAction, state.actionState)} with ${state.completedActions.length} completed`;
  const knows = `the journal says ${placeText(journal?.behaviour, journal?.action, journal?.state)} with ${count}`;
  return [`${file.path} was changed by somebody else. ${says}, and ${knows}.`];
}

function placeText(behaviour: string | null | undefined, action: string | null | undefined, state: string | null | undefined): string {
  return `${behaviour ?? "no behaviour"}.${action ?? "no action"} (${state ?? "no state"})`;
}

function samePlace(state: WorkflowState, current: Current): boolean {
  return state.currentBehaviour === current.behaviour && state.currentAction === current.action && state.actionState === current.state;
}
