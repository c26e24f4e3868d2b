import type { JsonObject } from "../../base/index.ts";
import { botProblems, type EngineContext, type Position } from "../../engine/index.ts";
import { botView, type BotView } from "../../views/index.ts";
import { exitCodes } from "../codes.ts";
import { optionLines, showPosition } from "../position-text.ts";
import type { Session } from "../session.ts";

/** What is shown of a bot: its view, and the command a person would type next. */
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
  if (view === undefined) return { view, code: showPosition(session, position, before) };
  const command = nextCommand(bot, position, view);
  const place = { status: view.status, behavior: view.behaviour, action: view.action, data: view.data };
  const next = command === undefined ? {} : { next_command: command };
  out.document(before === undefined ? { ...place, ...next } : { ...before, next: place, ...next });
  if (!out.json) for (const line of linesOf(session, view, !hints && view.wants.kind === "answer")) out.line(line);
  if (hints && command !== undefined) out.hint(`→ ${command}`);
  return { view, code: view.status === "failed" || view.status === "cancelled" ? exitCodes.failed : exitCodes.done };
}

function linesOf({ out }: Session, view: BotView, asked: boolean): string[] {
  // Whoever asks the question shows it.
  if (asked) return [out.paint("bold", view.title)];
  const options = view.wants.kind === "answer" ? optionLines(view.wants.decision.options) : [];
  const notes = view.notes.map((note) => (note.startsWith("! ") ? out.paint("yellow", note) : note));
  return [out.paint("bold", view.title), "", ...indented(view.body), ...options, ...(notes.length === 0 ? [] : ["", ...notes])];
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => (line === "" ? "" : `  ${line}`));
}

function nextCommand(bot: string, position: Position, { wants }: BotView): string | undefined {
  const { run, strand, state } = position;
  switch (wants.kind) {
    case "work":
      return wants.independent
        ? `waymark report ${run} --task ${strand} --result '{"summary": "..."}'`
        : `waymark bot close ${bot} --result '{"summary": "..."${wants.choosesArea ? ', "project_area": "<folder>"' : ""}}'`;
    case "answer":
      return wants.about === "done" ? `waymark bot close ${bot}` : `waymark decide ${run} ${wants.decision.id}`;
    case "patience":
      return `waymark bot ${bot}`;
    case "nothing":
      return state.status === "failed" ? `waymark retry ${run}` : undefined;
  }
}
