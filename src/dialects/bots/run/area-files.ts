import { defined, isObject, type JsonObject } from "../../../base/index.ts";
import { readActivityLog, readWorkflowState, logFiles, stateFiles, type ActivityEntry, type WorkflowState } from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { BotRun } from "./bot-run.ts";
import { inArea, logFile, stateFile } from "./project-area.ts";
import type { ImportedPlace } from "./bot-rows.ts";

/** One of the two files as it is in the project area now. */
export interface FoundFile {
  readonly path: string;
  /** undefined when it is not there. */
  readonly text: string | undefined;
  readonly bytes?: Uint8Array;
  readonly hash: string | null;
  /** Why it cannot be read. */
  readonly broken?: string;
}

async function readFound({ workspace, host }: EngineContext, path: string): Promise<FoundFile> {
  const found = await workspace.read(host.workspace, path);
  if (found === undefined) return { path, text: undefined, hash: null };
  return { path, text: new TextDecoder().decode(found.bytes), bytes: found.bytes, hash: found.hash };
}

export interface FoundLog extends FoundFile {
  readonly own: readonly ActivityEntry[];
  readonly others: readonly ActivityEntry[];
}

export async function readLog(context: EngineContext, run: BotRun): Promise<FoundLog> {
  const file = await readFound(context, inArea(run.area, logFile));
  if (file.text === undefined) return { ...file, own: [], others: [] };
  const { entries, problems } = readActivityLog(file.text, { zone: context.host.zone, file: file.path });
  const isOwn = ({ bot }: ActivityEntry): boolean => bot === undefined || bot === run.definition.name;
  return {
    ...file,
    own: entries.filter(isOwn),
    others: entries.filter((entry) => !isOwn(entry)),
    ...defined({ broken: problems[0]?.message }),
  };
}

export interface FoundState extends FoundFile {
  readonly state?: WorkflowState;
  readonly kept: JsonObject;
}

export async function readState(context: EngineContext, run: BotRun): Promise<FoundState> {
  const file = await readFound(context, inArea(run.area, stateFile));
  const brought = isObject(run.raw["bot_kept"]) ? run.raw["bot_kept"] : {};
  if (file.text === undefined) return { ...file, kept: brought };
  const { state, problems, kept } = readWorkflowState(file.text, { zone: context.host.zone, file: file.path });
  return {
    ...file,
    kept: { ...brought, ...kept },
    ...defined({ state, broken: state === undefined ? problems[0]?.message : undefined }),
  };
}

/** What a project area holds of this bot already. */
export interface ImportedState extends ImportedPlace {
  readonly entries: readonly ActivityEntry[];
  readonly problems: readonly string[];
  /** Keys of others in the state file. */
  readonly kept: JsonObject;
}

/** State and log of another tool or an earlier run. A file with problems is kept under another name; it is never reset in silence. */
export async function readArea(context: EngineContext, run: BotRun, mark: string): Promise<ImportedState> {
  const { zone } = context.host;
  const stateFound = await readFirst(context, run, stateFiles);
  const logFound = await readFirst(context, run, logFiles);
  const read = stateFound && readWorkflowState(stateFound.text, { zone, file: stateFound.path });
  const log = logFound && readActivityLog(logFound.text, { zone, file: logFound.path });
  const entries = log?.entries ?? [];
  const place = placeOfState(run, read?.state);
  // One after the other: both may keep a copy.
  const ofState = await keepBroken(context, stateFound, read?.problems ?? [], mark);
  const ofLog = await keepBroken(context, logFound, log?.problems ?? [], mark);
  return {
    ...place,
    entries: entries.filter(({ bot }) => bot === undefined || bot === run.definition.name),
    problems: [
      ...ofState.map((line) => `${line} ${read?.state === undefined ? "The bot begins at its first action." : "The rest of it counts."}`),
      ...ofLog.map((line) => `${line} ${entries.length === 0 ? "The log begins again." : "The other entries are kept."}`),
      ...place.problems,
    ],
    kept: read?.kept ?? {},
  };
}

type AreaFile = Readonly<Record<"path" | "text", string>>;

async function readFirst(context: EngineContext, { area }: BotRun, names: readonly string[]): Promise<AreaFile | undefined> {
  for (const name of names) {
    const path = inArea(area, name);
    const found = await context.workspace.readText(context.host.workspace, path);
    if (found !== undefined) return { path, text: found.text };
  }
  return undefined;
}

/** What is wrong with a file, and the copy that keeps it. */
async function keepBroken(
  { workspace, host }: EngineContext,
  file: AreaFile | undefined,
  found: readonly { readonly message: string }[],
  mark: string,
): Promise<readonly string[]> {
  if (file === undefined || found.length === 0) return [];
  const copy = `${file.path}.broken-${mark}`;
  await workspace.writeFile(host.workspace, copy, new TextEncoder().encode(file.text), null);
  return [`${file.path}: ${found.map((problem) => problem.message).join(" ")} It is kept as ${copy}.`];
}

type Placed = ImportedPlace & { readonly problems: readonly string[] };

const nowhere: Placed = { completed: {}, target: null, interrupted: false, problems: [] };

/**
 * The named action if the bot has it; else the one after the last completed action of the named behaviour, else its first. A state
 * of another bot says nothing about this one; one in which nothing is left to do is where the bot begins again.
 */
function placeOfState(run: BotRun, state: WorkflowState | undefined): Placed {
  const { definition } = run;
  if (state === undefined || (state.bot !== undefined && state.bot !== definition.name)) return nowhere;
  const known = definition.behaviours.flatMap((each) => each.actions.map((action) => `${each.name}.${action.name}`));
  const listed = state.completedActions.filter(({ bot }) => bot === undefined || bot === definition.name);
  const completed = new Map(listed.map(({ behaviour, action, timestamp }) => [`${behaviour}.${action}`, timestamp]));
  const current = `${state.currentBehaviour ?? ""}.${state.currentAction ?? ""}`;
  if (state.actionState === "completed" && known.includes(current) && !completed.has(current)) completed.set(current, state.timestamp);
  const strange = [...completed.keys(), ...(state.currentAction === null ? [] : [current])].filter((id) => !known.includes(id));
  for (const id of strange) completed.delete(id);
  const problems = [...new Set(strange)].map(
    (id) => `The state names ${id}, which is not an action of ${definition.name}; it is left out.`,
  );
  const entered = definition.behaviours.filter((behaviour) => behaviour.setting !== "skip");
  const open = entered.flatMap(({ name, actions }) =>
    actions.filter((action) => action.setting !== "skip").map((action) => `${name}.${action.name}`),
  );
  const interrupted = state.actionState === "started" && known.includes(current);
  if (open.every((id) => completed.has(id)) && !interrupted)
    return {
      ...nowhere,
      problems: [...problems, `Everything was completed before: ${definition.name} begins again, and the log is kept.`],
    };
  return {
    completed: Object.fromEntries(completed),
    target: interrupted ? current : targetOf(open, state, completed),
    interrupted,
    problems,
  };
}

/** `open`: ids of all actions that no setting skips. */
function targetOf(open: readonly string[], state: WorkflowState, completed: ReadonlyMap<string, unknown>): string | null {
  const own = open.filter((id) => id.startsWith(`${state.currentBehaviour ?? ""}.`));
  if (own.length === 0) return null;
  const last = own.findLastIndex((id) => completed.has(id));
  const next = own[last + 1];
  // The behaviour is complete: the first action after it that is open.
  return next ?? open.slice(open.indexOf(own.at(-1) ?? "") + 1).find((id) => !completed.has(id)) ?? null;
}
