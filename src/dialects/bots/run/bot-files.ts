import { defined, isObject } from "../../../base/index.ts";
import { writeActivityLog } from "../definition/index.ts";
import type { Item } from "../../../program/index.ts";
import { refused, storedRows, type EngineContext, type RunHandle } from "../../../engine/index.ts";
import { inOrder, openActivity, recordedActivity, type Activity } from "./activity.ts";
import { botOf, requireBot, type BotRun } from "./bot-run.ts";
import { readLog, readState, type FoundFile, type FoundLog, type FoundState } from "./area-files.ts";
import { holdArea } from "./project-area.ts";
import { mergeOthers, sameEntry, stateText, completedOf, currentOf, withCompleted } from "./journal-views.ts";

/** Hashes of the files as Waymark wrote them last; any other content was written by another program. */
type WrittenFiles = Partial<Readonly<Record<"state" | "log", string>>>;

function writtenBefore({ raw }: BotRun): WrittenFiles {
  const held = raw["bot_files"];
  return isObject(held) ? held : {};
}

interface Synced {
  readonly files: WrittenFiles;
  readonly problems: readonly string[];
  /** The log already has this entry: the process that was about to record it died in between. */
  readonly repeated: boolean;
}

/**
 * Writes both files as views of the journal: the log first, then the state. What other bots wrote there stays; what another
 * program changed is kept beside under another name, and the difference is reported.
 */
export async function syncFiles(
  context: EngineContext,
  { handle, scope }: { readonly handle: RunHandle; readonly scope: string },
  held: BotRun,
  own: Activity,
): Promise<Synced> {
  if (held.area === "") return { files: {}, problems: [], repeated: false };
  return holdArea(context, held.area, async () => {
    await context.runs.refresh(handle);
    // Another window may have written the files since the effect began.
    const run = { ...held, raw: handle.state.scopes[scope]?.raw ?? held.raw };
    const { open, all, actions, log, state, problems } = await compareFiles(context, handle, run, own);
    const text = writeActivityLog(mergeOthers(run, all, log.others));
    const wanted = stateText(run, { all, actions, open: [...open, own], kept: state.kept });
    const files = {
      log: await put(context, log, { text, mark: own.id, problems }),
      state: await put(context, state, { text: wanted, mark: own.id, problems }),
    };
    return { files, problems, repeated: log.own.some((entry) => sameEntry(entry, own.entry)) };
  });
}

interface Compared {
  /** Records that are being made by others. */
  readonly open: readonly Activity[];
  readonly all: readonly Activity[];
  readonly actions: readonly Item[];
  readonly log: FoundLog;
  readonly state: FoundState;
  readonly problems: string[];
}

/** Both files as they are, what the journal knows, and where they differ. `own`: what is being recorded. */
async function compareFiles(context: EngineContext, handle: RunHandle, run: BotRun, own?: Activity): Promise<Compared> {
  const { state: lastState, log: lastLog } = writtenBefore(run);
  // The state before the rows: what is recorded in between is in both, what is opened later waits for its turn at the files.
  const open = openActivity(handle, run);
  const recorded = await recordedActivity(storedRows(context, handle.id), run);
  const known = { open, recorded, ...defined({ own }) };
  const all = inOrder([...recorded, ...open, ...(own === undefined ? [] : [own])]);
  const query = { list: run.lists.actions, query: { facets: { kind: "action" } }, limit: 100_000 };
  const actions = await context.store.selectItems(handle.id, query);
  const [log, state] = [await readLog(context, run), await readState(context, run)];
  const problems = [
    ...complaintOfLog(run, { file: log, last: lastLog, recorded, all }),
    ...complaintOfState(run, { file: state, last: lastState, known, actions }),
  ];
  return { open, all, actions, log, state, problems };
}

/** What is wrong with the two files now, and what will happen to them. Nothing is written. */
export async function lookAtFiles(context: EngineContext, handle: RunHandle): Promise<readonly string[]> {
  const { area = "" } = botOf(handle) ?? {};
  const complaints = async (): Promise<readonly string[]> => {
    const run = requireBot(handle);
    return writtenBefore(run).state === undefined ? [] : (await compareFiles(context, handle, run)).problems;
  };
  if (area === "" || (await complaints()).length === 0) return [];
  // A window that writes them right now looks like another program: only what is still wrong between two turns counts.
  const found = await holdArea(context, area, async () => {
    await context.runs.refresh(handle);
    return complaints();
  });
  const when = "with the next start or completion";
  return found.map((problem) => {
    const copy = problem.endsWith("was removed.") ? "" : "keeps that content in a copy and ";
    return `${problem} Waymark goes by its journal: ${when} it ${copy}writes the file again.`;
  });
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
    const kept = file.bytes === undefined ? "It is written again." : `Its content is kept in ${copy}; the file is written again.`;
    problems[at] = `${problems[at] ?? ""} Waymark goes by its journal. ${kept}`;
  }
  const outcome = await workspace.writeFile(host.workspace, file.path, new TextEncoder().encode(text), file.hash);
  if (outcome.status === "failed")
    throw refused(
      "ENGINE_BOT_FILE",
      `${file.path} could not be written: ${outcome.reason}`,
      "Make the project area writable and retry the run.",
    );
  return hash;
}

interface KnownActivity {
  readonly recorded: readonly Activity[];
  /** Records that are being made. */
  readonly open: readonly Activity[];
  /** The one that is being made here. */
  readonly own?: Activity;
}

/** A file as it is now, and the hash that it had when Waymark wrote it last. */
interface Written<F> {
  readonly file: F;
  readonly last: string | undefined;
}

/** Every recorded entry must be there, and nothing of this bot that is not known. */
export function complaintOfLog(
  { definition }: BotRun,
  { file, last, recorded, all }: Readonly<Record<"recorded" | "all", readonly Activity[]>> & Written<FoundLog>,
): string[] {
  if (last === undefined || file.hash === last) return [];
  if (file.text === undefined) return [`${file.path} was removed.`];
  if (file.broken !== undefined) return [`${file.path} was changed outside Waymark and cannot be read: ${file.broken}`];
  const missing = recorded.filter(({ entry }) => !file.own.some((each) => sameEntry(each, entry))).length;
  const strange = file.own.filter((entry) => !all.some((each) => sameEntry(each.entry, entry))).length;
  if (missing === 0 && strange === 0) return [];
  const lacks = missing === 0 ? "" : ` ${missing} of the recorded entries of ${definition.name} ${missing === 1 ? "is" : "are"} not in it.`;
  const has = strange === 0 ? "" : ` ${strange} of its entries ${strange === 1 ? "was" : "were"} never recorded.`;
  return [`${file.path} was changed outside Waymark.${lacks}${has}`];
}

/** What the file says of the place must be what some recorded moment said; other keys do not count. */
export function complaintOfState(
  run: BotRun,
  { file, last, known, actions }: { readonly known: KnownActivity; readonly actions: readonly Item[] } & Written<FoundState>,
): string[] {
  if (last === undefined || file.hash === last) return [];
  if (file.text === undefined) return [`${file.path} was removed.`];
  if (file.state === undefined) return [`${file.path} was changed outside Waymark and cannot be read: ${file.broken ?? "it is not JSON."}`];
  const { state } = file;
  if (state.bot !== undefined && state.bot !== run.definition.name) return [];
  const open = [...known.open, ...(known.own === undefined ? [] : [known.own])];
  const moments = [known.recorded, ...open.map((each) => [...known.recorded, each]), [...known.recorded, ...open]];
  const said = moments.map((moment) => currentOf(run, inOrder(moment)));
  const fits = said.some(
    (at) => at?.behaviour === state.currentBehaviour && at.action === state.currentAction && at.state === state.actionState,
  );
  const count = completedOf(inOrder(known.recorded), actions).length;
  const most = completedOf(inOrder([...known.recorded, ...open]), withCompleted(actions, open)).length;
  const counted = state.completedActions.length >= count && state.completedActions.length <= Math.max(count, most);
  if (fits && counted) return [];
  const journal = said[0];
  const says = `It says ${placeText(state.currentBehaviour, state.currentAction, state.actionState)} with ${state.completedActions.length} completed`;
  const knows = `the journal says ${placeText(journal?.behaviour, journal?.action, journal?.state)} with ${count}`;
  return [`${file.path} was changed outside Waymark. ${says}, and ${knows}.`];
}

function placeText(behaviour: string | null | undefined, action: string | null | undefined, state: string | null | undefined): string {
  return `${behaviour ?? "no behaviour"}.${action ?? "no action"} (${state ?? "no state"})`;
}
