import { defined, isObject, isWaymarkError, jsonOrText, type Json, type JsonObject } from "../../../base/index.ts";
import { botProblems, callBot, type BotCall } from "../run/index.ts";
import { status, type Position } from "../../../engine/index.ts";
import { botView, type BotView } from "../views/index.ts";
import {
  decideLine,
  doneLine,
  exitCodes,
  fillIn,
  followingData,
  followingText,
  loadCommandKit,
  quoted,
  whenFixed,
  type Desk,
  type Following,
  type Output,
} from "../../../cli/index.ts";

const { askUntilValid, optionLines, reportStep, showPosition, taskOf, waiting } = await loadCommandKit();

export interface BotDesk extends Desk {
  readonly bot: string;
}

/** Shows where the bot is; on a terminal it asks what came of the work and whether it is done, until the person leaves. */
export async function driveBot(desk: BotDesk, call: BotCall): Promise<number> {
  const { session, bot } = desk;
  const asks = session.world.isTerminal && !session.out.json;
  let position = await openPosition(desk, call);
  for (;;) {
    const { view, code } = await showBot(desk, { bot, position }, !asks);
    const { standing, run } = position;
    if (!asks || view === undefined || standing.kind === "ended") return code;
    session.out.line();
    if (standing.kind === "question") await askUntilValid(desk, run, standing.decision);
    else if (standing.kind !== "action" || !(await reportWork(desk, position, standing.action.id))) return leave(desk, code);
    position = await openPosition(desk, { bot });
  }
}

/** Where another agent drives the bot, it is only looked at; a question can be answered all the same. */
async function openPosition({ session, context, caller, bot }: BotDesk, call: BotCall): Promise<Position> {
  try {
    return await callBot(context, caller, call, waiting(session));
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    const [run] = await context.store.listRuns({ workflow: bot, status: ["running"] });
    const { handle, strands } = await status(context, run?.id ?? "");
    const main = strands.find((entry) => entry.strand === "main");
    if (main?.standing.kind !== "question") throw error;
    session.out.aside(error.message);
    const { id, program, state, head } = handle;
    return { run: id, program, state, head, strand: "main", standing: main.standing };
  }
}

/** Answers whether something was reported. */
async function reportWork(desk: BotDesk, position: Position, action: string): Promise<boolean> {
  const { session } = desk;
  session.out.line(
    "Do this, then type what you did (text, or JSON with summary, inputs, outputs, content). Press Enter on an empty line to leave it open.",
  );
  const typed = (await session.prompter.ask("> ")).trim();
  if (typed === "") return false;
  const named = { run: position.run, action, ...defined({ task: taskOf(position) }) };
  await reportStep(desk, { ...named, outcome: { as: "done", result: resultOf(typed) }, wait: waiting(session) });
  return true;
}

/** What was typed as a result: an object as it is, anything else is its summary. */
export function resultOf(typed: string): JsonObject {
  const value: Json = jsonOrText(typed);
  return isObject(value) ? value : { summary: typed };
}

function leave({ session, bot }: BotDesk, code: number): number {
  if (code === exitCodes.done) session.out.hint(`→ Left as it is; \`waymark bot ${bot}\` comes back to this place.`);
  return code;
}

/** Shows where a bot is; answers the exit code that goes with it. `hints` are left out where the person is asked right away. */
export async function showBot(
  desk: Desk,
  { bot, position, before }: { readonly bot: string; readonly position: Position; readonly before?: JsonObject },
  hints: boolean,
): Promise<{ readonly view: BotView | undefined; readonly code: number }> {
  const { out } = desk.session;
  const view = botView(position, { problems: await botProblems(desk.context, position.run) });
  // A workflow that runs as the action is shown like any other.
  if (view === undefined) return { view, code: await showPosition(desk, position, before) };
  const following = followingOfBot(bot, position, view);
  const place = { status: view.status, behavior: view.behaviour, action: view.action, data: view.data };
  const next = followingData(following);
  out.document(before === undefined ? { ...place, ...next } : { ...before, next: place, ...next });
  if (!out.json) for (const line of linesOf(out, view, !hints && view.wants.kind === "answer")) out.advice(line);
  if (hints) for (const line of followingText(following)) out.hint(line);
  return { view, code: view.status === "failed" || view.status === "cancelled" ? exitCodes.failed : exitCodes.done };
}

function linesOf(out: Output, view: BotView, asked: boolean): string[] {
  // The question is shown where it is asked.
  if (asked) return [out.paint("bold", view.title)];
  const options = view.wants.kind === "answer" ? optionLines(view.wants.decision.options) : [];
  const notes = view.notes.map((note) => (note.startsWith("! ") ? out.paint("yellow", note) : note));
  return [
    out.paint("bold", view.title),
    "",
    ...view.body.split("\n").map((line) => (line === "" ? "" : `  ${line}`)),
    ...options,
    ...(notes.length === 0 ? [] : ["", ...notes]),
  ];
}

function followingOfBot(bot: string, position: Position, { wants }: BotView): Following {
  const { run, state } = position;
  switch (wants.kind) {
    case "work": {
      const { action, independent } = wants;
      if (independent) return { next: doneLine({ run, action, ...defined({ task: taskOf(position) }) }, "what was done") };
      const result = wants.choosesArea
        ? `{"summary": "${fillIn("what was done")}", "project_area": "${fillIn("folder")}"}`
        : fillIn("what was done");
      return { next: `waymark bot close ${quoted(bot)} ${action} --result ${quoted(result)}` };
    }
    case "answer":
      return {
        next: wants.about === "done" ? `waymark bot close ${quoted(bot)} ${wants.decision.id}` : decideLine(run, wants.decision),
      };
    case "patience":
      return { next: `waymark bot ${quoted(bot)}` };
    case "nothing":
      return state.status === "failed" ? whenFixed(run) : {};
  }
}
