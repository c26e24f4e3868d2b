import { isList, isObject, textOf, type Json, type JsonObject } from "../../base/index.ts";
import { logFiles, readActivityLog, readWorkflowState, stateFiles, type ActivityEntry, type WorkflowState } from "../../dialects/index.ts";
import { mainStrand, type Effect, type ItemMove } from "../../kernel/index.ts";
import type { Item } from "../../program/index.ts";
import { activityOf, syncFiles } from "../bots/bot-files.ts";
import { botRows } from "../bots/bot-rows.ts";
import { placeOf, type BotRun } from "../bots/bot-run.ts";
import { jumpMoves } from "../bots/jump-moves.ts";
import { submitContent } from "../bots/submit-content.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { done, storedRows, type Performed, type Rows } from "./effect.ts";
import { fieldOf } from "./file-effects.ts";

export interface BotJob {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly effect: Effect;
  readonly run: BotRun;
  readonly signal: AbortSignal;
}
type PerformBot = (job: BotJob) => Promise<Performed | undefined>;

/** Rows for all behaviours and actions, and what a project brings along from elsewhere. */
const begin: PerformBot = async ({ context, effect, run }) => {
  const rows = botRows(run);
  const brought = run.area === "" ? undefined : await readArea(context, run, effect.id);
  const completed = new Set(brought?.completed ?? []);
  const items = rows.map((row) => (completed.has(row.id) ? { ...row, status: "completed" as const, reason: "brought along" } : row));
  const closed = items.map((row) => {
    const below = items.filter((other) => other.parent === row.id);
    const all = row.parent === undefined && below.length > 0 && below.every((other) => other.status !== "pending");
    return all && row.status === "pending" ? { ...row, status: "completed" as const, reason: "brought along" } : row;
  });
  const entries = (brought?.entries ?? []).map((entry, at) => activityRow(run, `0${String(at).padStart(6, "0")}`, entry));
  return done(
    { problems: [...(brought?.problems ?? [])], interrupted: brought?.interrupted ?? null, kept: brought?.kept ?? {} },
    async () => ({
      add: [
        { list: run.lists.actions, items: closed },
        { list: run.lists.activity, items: entries },
      ],
    }),
  );
};

interface Brought {
  readonly completed: readonly string[];
  readonly entries: readonly ActivityEntry[];
  readonly problems: readonly string[];
  /** Keys of others in the state file. */
  readonly kept: JsonObject;
  /** The action that was started and not completed elsewhere. */
  readonly interrupted: string | null;
}

/** State and log of another tool or an earlier run. A broken file is kept under another name; it is never reset in silence. */
async function readArea(context: EngineContext, run: BotRun, mark: string): Promise<Brought> {
  const { zone } = context.host;
  const stateText = await readFirst(context, run, stateFiles);
  const logText = await readFirst(context, run, logFiles);
  const read = stateText === undefined ? undefined : readWorkflowState(stateText.text, { zone, file: stateText.path });
  const log = logText === undefined ? undefined : readActivityLog(logText.text, { zone, file: logText.path });
  const lostState = read !== undefined && read.state === undefined;
  const lostLog = log !== undefined && log.entries.length === 0 && log.problems.length > 0;
  const problems = [
    ...(await tell(context, { file: stateText, found: read?.problems ?? [], lost: lostState, mark })),
    ...(await tell(context, { file: logText, found: log?.problems ?? [], lost: lostLog, mark })),
  ];
  return { ...placesIn(run, read?.state), entries: log?.entries ?? [], problems, kept: read?.kept ?? {} };
}

interface AreaFile {
  readonly path: string;
  readonly text: string;
}

async function readFirst(context: EngineContext, { area }: BotRun, names: readonly string[]): Promise<AreaFile | undefined> {
  for (const name of names) {
    const found = await context.workspace.readText(context.host.workspace, `${area}/${name}`);
    if (found !== undefined) return { path: `${area}/${name}`, text: found.text };
  }
  return undefined;
}

interface Told {
  readonly file: AreaFile | undefined;
  readonly found: readonly { readonly message: string }[];
  readonly lost: boolean;
  readonly mark: string;
}

/** What is wrong with a file and what happens to it. */
async function tell({ workspace, host }: EngineContext, { file, found, lost, mark }: Told): Promise<readonly string[]> {
  if (file === undefined || found.length === 0) return [];
  const said = found.map((problem) => problem.message).join(" ");
  if (!lost) return [said];
  const copy = `${file.path}.broken-${mark}`;
  await workspace.writeFile(host.workspace, copy, new TextEncoder().encode(file.text), null);
  return [`${said} It is kept as ${copy}; the bot begins at its first action.`];
}

function placesIn({ definition }: BotRun, state: WorkflowState | undefined): Pick<Brought, "completed" | "interrupted"> {
  if (state === undefined) return { completed: [], interrupted: null };
  const known = new Set(definition.behaviours.flatMap((each) => each.actions.map((action) => `${each.name}.${action.name}`)));
  const current = `${state.currentBehaviour ?? ""}.${state.currentAction ?? ""}`;
  return {
    completed: state.completedActions.map((entry) => `${entry.behaviour}.${entry.action}`).filter((id) => known.has(id)),
    interrupted: state.actionState === "started" && known.has(current) ? current : null,
  };
}

function activityRow({ lists }: BotRun, id: string, entry: ActivityEntry): Item {
  const data = entry as unknown as JsonObject;
  return {
    list: lists.activity,
    id,
    order: id,
    status: "completed",
    data,
    facets: { state: entry.actionState },
    root: id,
    attempts: 0,
    waitsFor: 0,
  };
}

/** One entry of the log, then both files. The entry's time is that of the effect, so that a repeat after a crash writes the same. */
const record: PerformBot = async ({ context, handle, effect, run }) => {
  const place = placeOf(effect.args["item"]);
  const at = new Date(effect.openedAt).toISOString();
  const completed = effect.args["state"] === "completed";
  const begun = Date.parse(fieldOf(effect.args["started"], "at"));
  const report = effect.args["report"];
  const entry: ActivityEntry = {
    timestamp: at,
    behaviour: place.behaviour,
    action: place.action,
    actionState: completed ? "completed" : "started",
    kept: {},
    inputs: completed ? objectIn(report, "inputs") : objectIn(effect.args["item"], "parameters"),
    outputs: completed ? outputsOf(report, effect.args["submitted"]) : {},
    duration: completed && Number.isFinite(begun) ? Math.max(0, (effect.openedAt - begun) / 1000) : null,
  };
  const row = activityRow(run, `1${effect.id.slice(1).padStart(9, "0")}`, entry);
  const rows = storedRows(context, handle.id);
  const before = await activityOf(rows, run);
  const actions = await actionRows(rows, run);
  const independent = (effect.args["item"] as JsonObject | undefined)?.["kind"] === "independent";
  const current = independent ? standing(before, run) : { ...place, state: entry.actionState, at };
  const { files, problems } = await syncFiles(context, run, {
    entries: [...before, entry],
    actions: completed
      ? actions.map((each) => (each.id === `${place.behaviour}.${place.action}` ? { ...each, status: "completed" } : each))
      : actions,
    current: current ?? { ...place, state: entry.actionState, at },
    mark: effect.id,
    confirmations: isObject(run.raw["bot_confirmations"]) ? run.raw["bot_confirmations"] : {},
    kept: isObject(run.raw["bot_kept"]) ? run.raw["bot_kept"] : {},
  });
  return done({ at, files: { ...files }, problems: [...problems] }, async () => ({ add: [{ list: run.lists.activity, items: [row] }] }));
};

async function actionRows(rows: Rows, { lists }: BotRun): Promise<readonly Item[]> {
  return rows.select({ list: lists.actions, query: { facets: { kind: "action" } }, limit: 100_000 });
}

/** Where the bot stood before an independent action. */
function standing(
  entries: readonly ActivityEntry[],
  run: BotRun,
): { behaviour: string; action: string; state: "started" | "completed"; at: string } | undefined {
  const own = new Set(run.definition.independent.map((action) => action.name));
  const last = entries.findLast((entry) => !own.has(entry.action));
  return last === undefined
    ? undefined
    : { behaviour: last.behaviour, action: last.action, state: last.actionState, at: last.timestamp ?? "" };
}

function objectIn(value: Json | undefined, name: string): JsonObject {
  const held = isObject(value) ? value[name] : undefined;
  return isObject(held) ? held : {};
}

function outputsOf(report: Json | undefined, submitted: Json | undefined): JsonObject {
  const files = isObject(submitted) && isList(submitted["files"]) ? submitted["files"] : [];
  return { ...objectIn(report, "outputs"), ...(files.length === 0 ? {} : { files }) };
}

/** Content of an action is written into the project area, and what came of it is put to the person. */
const submit: PerformBot = async ({ context, effect, run }) => {
  const report = effect.args["report"];
  const area = fieldOf(report, "project_area") || run.area;
  const submitted = await submitContent(context, { ...run, area }, report);
  const { behaviour, action } = placeOf(effect.args["item"]);
  const told = fieldOf(report, "summary");
  const wrote = submitted.files.length === 0 ? "" : ` Written: ${submitted.files.join(", ")}.`;
  const failed = submitted.problems.length === 0 ? "" : ` Not written: ${submitted.problems.join(" ")}`;
  return done({
    area,
    files: [...submitted.files],
    problems: [...submitted.problems],
    question: `${behaviour}.${action}: ${told === "" ? "the work was reported." : told}${wrote}${failed} Is it done?`,
  });
};

const called: PerformBot = async ({ effect }) => {
  const { workflow = null } = effect.args;
  return done({ status: "completed", summary: `The workflow ${textOf(workflow)} has run.`, outputs: { workflow } });
};

const behaviourDone: PerformBot = async () => done({ done: true });

/** Moves to the chosen place: what is passed over is skipped with the decision as its reason, what lies behind it is open again. */
const jump: PerformBot = async ({ context, effect, run }) => {
  const { to, question } = effect.args;
  const by = { kind: "engine" as const, name: "waymark", session: context.host.processId, surface: "engine" };
  const confirmation = {
    [placeOf(to).behaviour]: {
      confirmed_at: new Date(effect.openedAt).toISOString(),
      confirmed_by: "human",
      original_behavior: fieldOf(to, "from"),
    },
  };
  return {
    ...done({ to: to ?? null, confirmation }, async (rows) => ({
      moves: await movesFor(rows, run, to, typeof question === "string" ? question : "chosen by a person"),
    })),
    before: [{ type: "rewind", strand: mainStrand, reason: "another place was chosen", at: effect.openedAt, by }],
  };
};

async function movesFor(rows: Rows, run: BotRun, to: Json | undefined, reason: string): Promise<readonly ItemMove[]> {
  const all = await rows.select({ list: run.lists.actions, query: {}, limit: 100_000 });
  return jumpMoves(all, placeOf(to), reason);
}

export const botEffects: Readonly<Record<string, PerformBot>> = {
  bot_begin: begin,
  bot_record: record,
  bot_submit: submit,
  bot_called: called,
  bot_behaviour_done: behaviourDone,
  bot_jump: jump,
};
