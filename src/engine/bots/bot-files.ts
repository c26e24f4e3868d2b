import { isObject, type JsonObject } from "../../base/index.ts";
import {
  readActivityLog,
  readWorkflowState,
  writeActivityLog,
  writeWorkflowState,
  type ActivityEntry,
  type CompletedAction,
  type Confirmation,
  type WorkflowState,
} from "../../dialects/index.ts";
import type { Item } from "../../program/index.ts";
import type { EngineContext } from "../context.ts";
import { refused } from "../codes.ts";
import { storedRows } from "../effects/effect.ts";
import { fieldOf } from "../effects/file-effects.ts";
import type { RunHandle } from "../run-cache.ts";
import { inOrder, isIndependent, openActivity, recordedActivity, type Activity } from "./activity.ts";
import type { BotRun } from "./bot-run.ts";
import { holdArea } from "./hold-area.ts";
import { inArea, logFile, stateFile } from "./project-area.ts";

/** Hashes of the files as Waymark wrote them last; another content is somebody else's. */
export interface WrittenFiles {
  readonly state?: string;
  readonly log?: string;
}

function writtenBefore({ raw }: BotRun): WrittenFiles {
  const held = raw["bot_files"];
  return isObject(held) ? held : {};
}

export interface Synced {
  readonly files: WrittenFiles;
  readonly problems: readonly string[];
  /** The log already told of this: whoever was about to write it died in between. */
  readonly repeated: boolean;
}

/**
 * Writes both files as views of the journal: the log first, then the state. What other bots wrote there stays; what somebody else
 * changed is kept beside under another name, and the difference is told.
 */
export async function syncFiles(context: EngineContext, handle: RunHandle, run: BotRun, own: Activity): Promise<Synced> {
  if (run.area === "") return { files: {}, problems: [], repeated: false };
  return holdArea(context, run.area, async () => {
    await context.runs.refresh(handle);
    const known = await knownActivity(context, handle, run);
    const all = inOrder([...known.recorded, ...known.open, own]);
    const actions = await actionRows(context, handle, run);
    const [log, state] = [await readLog(context, run), await readState(context, run)];
    const before = writtenBefore(run);
    const problems = [
      ...complaintOfLog(run, { file: log, last: before.log, recorded: known.recorded, all }),
      ...complaintOfState(run, { file: state, last: before.state, known: { ...known, own }, actions }),
    ];
    const text = writeActivityLog(mergeOthers(run, all, log.others));
    const files = {
      log: await put(context, log, { text, mark: own.id, problems }),
      state: await put(context, state, { text: stateText(run, { all, actions, own, kept: state.kept }), mark: own.id, problems }),
    };
    return { files, problems, repeated: log.own.some((entry) => sameEntry(entry, own.entry)) };
  });
}

/** What is wrong with the two files now, and what will happen to them. Nothing is written. */
export async function lookAtFiles(context: EngineContext, handle: RunHandle, run: BotRun): Promise<readonly string[]> {
  const before = writtenBefore(run);
  if (run.area === "" || before.state === undefined) return [];
  const known = await knownActivity(context, handle, run);
  const all = inOrder([...known.recorded, ...known.open]);
  const actions = await actionRows(context, handle, run);
  const found = [
    ...complaintOfLog(run, { file: await readLog(context, run), last: before.log, recorded: known.recorded, all }),
    ...complaintOfState(run, { file: await readState(context, run), last: before.state, known, actions }),
  ];
  const then = "Waymark goes by its journal: with the next start or completion it keeps that content in a copy and writes the file anew.";
  return found.map((problem) => `${problem} ${then}`);
}

interface KnownActivity {
  readonly recorded: readonly Activity[];
  readonly open: readonly Activity[];
}

/** The state before the rows: what is recorded in between is in both, what is opened later waits for its turn at the files. */
async function knownActivity(context: EngineContext, handle: RunHandle, run: BotRun): Promise<KnownActivity> {
  const open = openActivity(handle, run);
  return { open, recorded: await recordedActivity(storedRows(context, handle.id), run) };
}

async function actionRows(context: EngineContext, handle: RunHandle, { lists }: BotRun): Promise<readonly Item[]> {
  return context.store.selectItems(handle.id, { list: lists.actions, query: { facets: { kind: "action" } }, limit: 100_000 });
}

interface FoundFile {
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

interface FoundLog extends FoundFile {
  readonly own: readonly ActivityEntry[];
  readonly others: readonly ActivityEntry[];
}

async function readLog(context: EngineContext, run: BotRun): Promise<FoundLog> {
  const file = await readFound(context, inArea(run.area, logFile));
  if (file.text === undefined) return { ...file, own: [], others: [] };
  const { entries, problems } = readActivityLog(file.text, { zone: context.host.zone, file: file.path });
  const isOwn = ({ bot }: ActivityEntry): boolean => bot === undefined || bot === run.definition.name;
  return {
    ...file,
    own: entries.filter(isOwn),
    others: entries.filter((entry) => !isOwn(entry)),
    ...(problems[0] === undefined ? {} : { broken: problems[0].message }),
  };
}

interface FoundState extends FoundFile {
  readonly state?: WorkflowState;
  readonly kept: JsonObject;
}

async function readState(context: EngineContext, run: BotRun): Promise<FoundState> {
  const file = await readFound(context, inArea(run.area, stateFile));
  const brought = isObject(run.raw["bot_kept"]) ? run.raw["bot_kept"] : {};
  if (file.text === undefined) return { ...file, kept: brought };
  const { state, problems, kept } = readWorkflowState(file.text, { zone: context.host.zone, file: file.path });
  return {
    ...file,
    kept: { ...brought, ...kept },
    ...(state === undefined ? {} : { state }),
    ...(state === undefined && problems[0] !== undefined ? { broken: problems[0].message } : {}),
  };
}

/** Every recorded entry must be there, and nothing of this bot that is not known. */
function complaintOfLog(
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
function complaintOfState(
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

function sameEntry(a: ActivityEntry, b: ActivityEntry): boolean {
  const key = (entry: ActivityEntry): string =>
    JSON.stringify([entry.timestamp, entry.behaviour, entry.action, entry.actionState, entry.inputs, entry.outputs, entry.duration]);
  return key(a) === key(b);
}

/** Entries of other bots stay where their time puts them; the order of one's own is that of the journal. */
function mergeOthers({ definition }: BotRun, own: readonly Activity[], others: readonly ActivityEntry[]): readonly ActivityEntry[] {
  const merged: ActivityEntry[] = [];
  const waiting = others.filter(({ bot }) => bot !== definition.name);
  for (const { entry } of own) {
    while (waiting[0] !== undefined && (waiting[0].timestamp ?? "") <= (entry.timestamp ?? "")) merged.push(...waiting.splice(0, 1));
    merged.push(entry);
  }
  return [...merged, ...waiting];
}

interface Current {
  readonly behaviour: string;
  readonly action: string;
  readonly state: "started" | "completed";
}

/** Where the bot stands: the last event of an action of the sequence. */
function currentOf(run: BotRun, all: readonly Activity[]): Current | undefined {
  const last = all.findLast(({ entry }) => !isIndependent(run, entry))?.entry;
  return last === undefined ? undefined : { behaviour: last.behaviour, action: last.action, state: last.actionState };
}

/** Rows as they will be when these completions are recorded. */
function withCompleted(actions: readonly Item[], records: readonly Activity[]): readonly Item[] {
  const done = new Set(
    records.filter(({ entry }) => entry.actionState === "completed").map(({ entry }) => `${entry.behaviour}.${entry.action}`),
  );
  return actions.map((row) => (done.has(row.id) ? { ...row, status: "completed" as const } : row));
}

/** Every completion of actions that count as completed now; going back takes later ones out, and the log keeps them. */
function completedOf(all: readonly Activity[], actions: readonly Item[]): readonly CompletedAction[] {
  const done = actions.filter((row) => row.status === "completed");
  const ids = new Set(done.map((row) => row.id));
  const logged = all
    .map(({ entry }) => entry)
    .filter((entry) => entry.actionState === "completed" && ids.has(`${entry.behaviour}.${entry.action}`))
    .map(({ behaviour, action, timestamp }): CompletedAction => ({ behaviour, action, timestamp, kept: {} }));
  const told = new Set(logged.map(({ behaviour, action }) => `${behaviour}.${action}`));
  const brought = done
    .filter((row) => !told.has(row.id))
    .map((row): CompletedAction => {
      const at = fieldOf(row.data, "completed_at");
      return { behaviour: fieldOf(row.data, "behaviour"), action: fieldOf(row.data, "action"), timestamp: at === "" ? null : at, kept: {} };
    });
  return [...brought, ...logged];
}

function stateText(
  run: BotRun,
  {
    all,
    actions,
    own,
    kept,
  }: { readonly all: readonly Activity[]; readonly actions: readonly Item[]; readonly own: Activity; readonly kept: JsonObject },
): string {
  const current = currentOf(run, all);
  return writeWorkflowState({
    bot: run.definition.name,
    currentBehaviour: current?.behaviour ?? null,
    currentAction: current?.action ?? null,
    actionState: current?.state ?? null,
    timestamp: all.at(-1)?.entry.timestamp ?? own.entry.timestamp,
    completedActions: completedOf(all, withCompleted(actions, [own])),
    confirmations: confirmationsOf(run.raw["bot_confirmations"]),
    kept,
  });
}

function confirmationsOf(held: JsonObject[string] | undefined): Readonly<Record<string, Confirmation>> {
  if (!isObject(held)) return {};
  return Object.fromEntries(
    Object.entries(held).map(([behaviour, each]) => [
      behaviour,
      {
        confirmedAt: fieldOf(each, "confirmed_at"),
        confirmedBy: "human",
        originalBehaviour: fieldOf(each, "original_behavior"),
        kept: {},
      },
    ]),
  );
}

/** Writes one file. Where a problem was found with it, its content is kept first. */
async function put(
  { workspace, host }: EngineContext,
  file: FoundFile,
  { text, mark, problems }: { readonly text: string; readonly mark: string; readonly problems: string[] },
): Promise<string> {
  const hash = host.sha256(text);
  if (file.hash === hash) return hash;
  const at = problems.findIndex((problem) => problem.startsWith(`${file.path} `));
  if (at >= 0) {
    const copy = `${file.path}.edited-${mark}`;
    if (file.bytes !== undefined) await workspace.writeFile(host.workspace, copy, file.bytes, null);
    const kept = file.bytes === undefined ? "It is written again." : `Its content is kept in ${copy}; the file is written anew.`;
    problems[at] = `${problems[at] ?? ""} Waymark goes by its journal. ${kept}`;
  }
  const outcome = await workspace.writeFile(host.workspace, file.path, new TextEncoder().encode(text), file.hash);
  if (outcome.status === "failed")
    throw refused(
      "ENGINE_BOT_FILE",
      `${file.path} could not be written: ${outcome.reason}`,
      "Make the project area writable and retry the run.",
      {},
    );
  return hash;
}
