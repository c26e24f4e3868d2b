import { defined, type JsonObject } from "../../../base/index.ts";
import { botProblems } from "../run/index.ts";
import type { Position } from "../../../engine/index.ts";
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

const { optionLines, showPosition, taskOf } = await loadCommandKit();

/** What is shown of a bot, and the exit code that goes with it. */
export interface ShownBot {
  readonly view: BotView | undefined;
  readonly code: number;
}

/** Shows where a bot is. `hints` are left out where the person is asked right away. */
export async function showBot(
  desk: Desk,
  { bot, position, before }: { readonly bot: string; readonly position: Position; readonly before?: JsonObject },
  hints: boolean,
): Promise<ShownBot> {
  const { out } = desk.session;
  const view = botView(position, { problems: await botProblems(desk.context, position.run) });
  // A workflow that runs as the action is shown like any other.
  if (view === undefined) return { view, code: await showPosition(desk, position, before) };
  const following = followingOfBot(bot, position, view);
  const place = { status: view.status, behavior: view.behaviour, action: view.action, data: view.data };
  const next = followingData(following);
  out.document(before === undefined ? { ...place, ...next } : { ...before, next: place, ...next });
  if (!out.json) for (const line of linesOf(out, view, !hints && view.wants.kind === "answer")) out.line(line);
  if (hints) for (const line of followingText(following)) out.hint(line);
  return { view, code: view.status === "failed" || view.status === "cancelled" ? exitCodes.failed : exitCodes.done };
}

function linesOf(out: Output, view: BotView, asked: boolean): string[] {
  // The question is shown where it is asked.
  if (asked) return [out.paint("bold", view.title)];
  const options = view.wants.kind === "answer" ? optionLines(view.wants.decision.options) : [];
  const notes = view.notes.map((note) => (note.startsWith("! ") ? out.paint("yellow", note) : note));
  return [out.paint("bold", view.title), "", ...indented(view.body), ...options, ...(notes.length === 0 ? [] : ["", ...notes])];
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => (line === "" ? "" : `  ${line}`));
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
