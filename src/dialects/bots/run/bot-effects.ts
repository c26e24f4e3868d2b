import { asSentence, defined, isObject, textOf, type Json, fieldOf } from "../../../base/index.ts";
import { combinedBefore, placeOf, textsIn } from "../views/index.ts";
import { mainStrand, type Effect, type Input, type ItemMove } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import { activityRow, earlierCall, entryOf, recordedActivity, leftLine, leftLines } from "./activity.ts";
import { clearDone, readScope, chosenArea, holderOfArea, takenText, type ChosenArea } from "./project-area.ts";
import { syncFiles } from "./bot-files.ts";
import { botRows, movesBetween, placeImported, jumpMoves } from "./bot-rows.ts";
import type { BotJob, BotRun } from "./bot-run.ts";
import { closePassedJumps } from "./bot-position.ts";
import { readArea, type ImportedState } from "./area-files.ts";
import type { BotEffect } from "./runtime.ts";
import { submitContent } from "./bot-content.ts";
import { done, engineActor, refused, storedRows, type EngineContext, type Performed, type Rows } from "../../../engine/index.ts";

type PerformBot = (job: BotJob) => Promise<Performed | undefined>;

/** Rows for all behaviours and actions, and what a project brings along from elsewhere. */
const begin: PerformBot = async ({ context, effect, run }) => {
  const imported = run.area === "" ? undefined : await readArea(context, settled(context, run), effect.id);
  const items = imported === undefined ? botRows(run) : placeImported(botRows(run), imported);
  const interrupted = imported?.interrupted === true ? imported.target : null;
  return done({ problems: [...(imported?.problems ?? [])], interrupted, kept: imported?.kept ?? {} }, async (rows) => ({
    add: [
      { list: run.lists.actions, items },
      { list: run.lists.activity, items: importedRows(run, imported, effect) },
    ],
    moves: await begunAgain(rows, run, items),
  }));
};

/** The lists are the run's: a bot that is called again finds its rows settled and its log full, and neither counts for this call. */
async function begunAgain(rows: Rows, run: BotRun, items: readonly Item[]): Promise<readonly ItemMove[]> {
  const held = await actionRows(rows, run);
  if (held.length === 0) return [];
  const wanted = new Map(items.map((item) => [item.id, item]));
  const known = await rows.select({ list: run.lists.activity, query: {}, limit: 1_000_000 });
  const earlier = known.map((row): Item => (row.status === "skipped" ? row : { ...row, status: "skipped", reason: earlierCall }));
  const again = held.map((row) => wanted.get(row.id) ?? row);
  return [...movesBetween(held, again), ...movesBetween(known, earlier)];
}

/** Imported entries come before all that is recorded here. Each time they are imported they are rows of their own. */
function importedRows(run: BotRun, imported: ImportedState | undefined, effect: Effect): Item[] {
  const mark = `0${effect.id.slice(1).padStart(9, "0")}`;
  return (imported?.entries ?? []).map((entry, at) => activityRow(run, { id: `${mark}.${String(at).padStart(9, "0")}`, entry }));
}

/** The run with its project area as it is kept. An impossible one cannot be asked for again here, so the run stops. */
function settled({ host }: EngineContext, run: BotRun): BotRun {
  if (run.area === "") return run;
  const chosen = chosenArea(host.workspace, run.area);
  if ("area" in chosen) return { ...run, area: chosen.area };
  throw refused("ENGINE_NO_AREA", chosen.refused, "Abort the run and call the bot again with a folder inside the workspace.");
}

/** One entry of the log, then both files. */
const record: PerformBot = async (job) => {
  const { context, handle, scope, effect, run: held, again } = job;
  const run = settled(context, held);
  const { item, submitted } = effect.args;
  const own = entryOf(run, effect);
  const row = isObject(item) ? item : {};
  const independent = row["kind"] === "independent";
  const started = own.entry.actionState === "started";
  const first = started && row["interrupted"] === true && !(await begunHere(job, run));
  const { files, problems, repeated } = await syncFiles(context, { handle, scope }, run, own);
  // Kept for the next action: between the end of one action and the start of the next nothing is shown.
  const carried = started || independent ? textsIn(run.raw["bot_problems"]) : textsAt(submitted, "told");
  const left = started ? [] : leftOf(run, item, submitted);
  const content = fieldOf(submitted, "content");
  const { scope: wanted } = started ? await readScope(context, run) : {};
  const passed = independent ? [] : await leavePlace(job, run, started);
  // Another window writes what is being recorded here as well: only after a loss does an entry show that it was begun.
  const lost = started && repeated && again;
  const begun = first || (lost && row["calls"] === undefined);
  const { fence = 0, holder } = handle.state.strands[effect.strand] ?? {};
  return {
    ...(begun && { doubt: fieldOf(item, "id") }),
    ...done(
      {
        at: own.entry.timestamp ?? "",
        files: { ...files },
        problems: [...new Set([...carried, ...left, ...problems])],
        // A later holder of the strand took the action over; where nobody holds it, the next one is the first.
        fence: holder === undefined ? fence + 1 : fence,
        ...(begun && { interrupted: true }),
        ...defined({ scope: wanted }),
      },
      async () => ({ add: [{ list: run.lists.activity, items: [activityRow(run, own, content === "" ? {} : { content })] }] }),
    ),
    before: passed,
  };
};

/** The sequence moves: what was said of another place is over. */
async function leavePlace(job: BotJob, run: BotRun, started: boolean): Promise<readonly Input[]> {
  if (started) await clearDone(job.context, run);
  return closePassedJumps(job, run.definition.name, started ? placeOf(job.effect.args["item"]) : undefined);
}

/** Whether this run has started the action before. */
async function begunHere({ context, handle, effect }: BotJob, run: BotRun): Promise<boolean> {
  const { behaviour, action } = placeOf(effect.args["item"]);
  const known = await recordedActivity(storedRows(context, handle.id), run);
  return known.some(({ id, entry }) => id.startsWith("1") && entry.behaviour === behaviour && entry.action === action);
}

/** Where nobody is asked whether an action is done, nobody has seen what was not: of it, and of those it is done together with. */
function leftOf(run: BotRun, item: Json | undefined, submitted: Json | undefined): readonly string[] {
  if (!isObject(item) || item["auto"] !== true) return [];
  const place = placeOf(item);
  const before = leftLines(run, combinedBefore(run.definition, place));
  return [...before, ...textsAt(submitted, "problems").map((problem) => leftLine(place, problem))];
}

function textsAt(value: Json | undefined, name: string): readonly string[] {
  return isObject(value) ? textsIn(value[name]) : [];
}

/** Content of an action is written into the project area, and what came of it is put to the person. */
const submit: PerformBot = async (job) => {
  const { context, handle, effect, run } = job;
  const report = effect.args["report"];
  const { behaviour, action } = placeOf(effect.args["item"]);
  const chosen = await areaIn(job, report, action);
  const area = "area" in chosen ? chosen.area : run.area;
  const imported = area === run.area ? undefined : await readArea(context, { ...run, area }, effect.id);
  const submitted = await submitContent(context, handle, { area, report, effect: effect.id });
  const problems = ["refused" in chosen ? [chosen.refused] : [], submitted.problems].flat();
  const said = [
    `${behaviour}.${action}: ${summaryOf(report)}`,
    ...(area === run.area ? [] : [`The project area is ${area}.`]),
    ...(submitted.files.length === 0 ? [] : [`Written: ${submitted.files.join(", ")}.`]),
    ...(problems.length === 0 ? [] : [`Not done: ${problems.join(" ")}`]),
    ...(area === "" ? ["No project area was named (project_area), so nothing can be kept: answer `redo` to choose one."] : []),
    "Is it done?",
  ];
  return done(
    {
      area,
      files: [...submitted.files],
      problems,
      told: [...(imported?.problems ?? [])],
      ...(submitted.files.length > 0 && { content: effect.id }),
      question: said.join(" "),
    },
    // What the newly chosen area brings along is settled in the rows that are open here.
    imported === undefined
      ? undefined
      : async (rows) => {
          const all = await actionRows(rows, run);
          return {
            add: [{ list: run.lists.activity, items: importedRows(run, imported, effect) }],
            moves: movesBetween(all, placeImported(all, imported)),
          };
        },
  );
};

/** What is known of the work. There is no report when a person continued after an interruption. */
function summaryOf(report: Json | undefined): string {
  const summary = fieldOf(report, "summary");
  if (summary !== "") return asSentence(summary);
  const unreported = report === null || report === undefined;
  return unreported ? "it was interrupted, and nobody reported what was done." : "the work was reported.";
}

/** The project area is chosen by the action that is there for it, or by any action while there is none. */
async function areaIn({ context, handle, run }: BotJob, report: Json | undefined, action: string): Promise<ChosenArea> {
  const given = fieldOf(report, "project_area");
  if (given === "" || (run.area !== "" && run.definition.choosesArea !== action)) return { area: run.area };
  const chosen = chosenArea(context.host.workspace, given);
  if ("refused" in chosen) return chosen;
  const holder = await holderOfArea(context, { bot: run.definition.name, area: chosen.area, run: handle.id });
  return holder === undefined ? chosen : { refused: takenText(chosen.area, holder) };
}

/** The report of an action that calls; none when a person continued without the call. */
const called: PerformBot = async ({ handle, scope, effect }) => {
  const { workflow = null } = effect.args;
  const made = handle.state.scopes[scope]?.calls[/called\d+/.exec(effect.block)?.[0] ?? ""];
  if (made === undefined) return done(null);
  return done({ status: "completed", summary: `The workflow ${textOf(workflow)} has run.`, outputs: { workflow } });
};

/** Moves to the chosen place: what is passed over is skipped with the decision as its reason, what is behind it is open again. */
const jump: PerformBot = async (job) => {
  const { context, effect, run } = job;
  const { to, question } = effect.args;
  const confirmation = {
    [placeOf(to).behaviour]: {
      confirmed_at: new Date(effect.openedAt).toISOString(),
      confirmed_by: "human",
      original_behavior: fieldOf(to, "from"),
    },
  };
  const by = engineActor(context.host.processId);
  return {
    ...done({ to: to ?? null, confirmation }, async (rows) => ({
      moves: jumpMoves(await actionRows(rows, run), placeOf(to), typeof question === "string" ? question : "chosen by a person"),
    })),
    before: [
      { type: "rewind", strand: mainStrand, reason: "another place was chosen", at: effect.openedAt, by },
      ...closePassedJumps(job, run.definition.name),
    ],
  };
};

function actionRows(rows: Rows, { lists }: BotRun): Promise<readonly Item[]> {
  return rows.select({ list: lists.actions, query: {}, limit: 100_000 });
}

export const botEffects: Readonly<Record<BotEffect, PerformBot>> = {
  bot_begin: begin,
  bot_record: record,
  bot_submit: submit,
  bot_called: called,
  bot_behaviour_done: async () => done({ done: true }),
  bot_jump: jump,
};
