import type { JsonObject } from "../../base/index.ts";
import { botProblems } from "../../dialects/bots/run/index.ts";
import type { EngineContext, Position } from "../../engine/index.ts";
import { botView, type BotView } from "../../dialects/bots/views/index.ts";
import { exitCodes } from "../codes.ts";
import { fillIn } from "../fill-in.ts";
import { followingData, followingText, whenFixed, type Following } from "../next-command.ts";
import { optionLines, showPosition } from "../position-text.ts";
import { decideLine, doneLine, quoted, taskOf } from "../printed-lines.ts";
import type { Session } from "../session.ts";

/** What is shown of a bot, and the exit code that goes with it. */
export interface ShownBot {
  readonly view: BotView | undefined;
  readonly code: number;
}

/** Shows where a bot is. `hints` are left out where the person is asked right away. */
export async function showBot(
  session: Session,
  context: EngineContext,
  { bot, position, before }: { readonly bot: string; readonly position: Position; readonly before?: JsonObject },
  hints: boolean,
): Promise<ShownBot> {
  const { out } = session;
  const view = botView(position, { problems: await botProblems(context, position.run) });
  // A workflow that runs as the action is shown like any other.
  if (view === undefined) return { view, code: await showPosition(session, context, position, before) };
  const following = followingOfBot(bot, position, view);
  const place = { status: view.status, behavior: view.behaviour, action: view.action, data: view.data };
  const next = followingData(following);
  out.document(before === undefined ? { ...place, ...next } : { ...before, next: place, ...next });
  if (!out.json) for (const line of linesOf(session, view, !hints && view.wants.kind === "answer")) out.line(line);
  if (hints) for (const line of followingText(following)) out.hint(line);
  return { view, code: view.status === "failed" || view.status === "cancelled" ? exitCodes.failed : exitCodes.done };
}

function linesOf({ out }: Session, view: BotView, asked: boolean): string[] {
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
      const task = taskOf(position);
      if (wants.independent)
        return { next: doneLine({ run, action: wants.action, ...(task === undefined ? {} : { task }) }, "what was done") };
      const result = wants.choosesArea
        ? `{"summary": "${fillIn("what was done")}", "project_area": "${fillIn("folder")}"}`
        : fillIn("what was done");
      return { next: `waymark bot close ${quoted(bot)} ${wants.action} --result ${quoted(result)}` };
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
