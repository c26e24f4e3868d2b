import { defined, textOf, type JsonObject, counted, shorten } from "../../../base/index.ts";
import { gatherFacts, isInChecklist } from "../run/index.ts";
import type { CheckDescription, ChecklistFacts } from "../definition/index.ts";
import type { Position } from "../../../engine/index.ts";
import { stepFor } from "../../../views/index.ts";
import { changedText, failedText } from "../views/index.ts";
import {
  doneLine,
  exitCodes,
  fillIn,
  followingData,
  followingText,
  loadCommandKit,
  quoted,
  skipLine,
  whenFixed,
  type Desk,
  type Following,
  type ShowOptions,
} from "../../../cli/index.ts";

const { tasksBesideOf } = await loadCommandKit();

type Action = Extract<Position["standing"], { readonly kind: "action" }>["action"];

/** What is open in a checklist run, for people; undefined when the position is none of a checklist's own actions. */
export async function showCheck({ session, context }: Desk, position: Position, options: ShowOptions): Promise<number | undefined> {
  const { standing, run, state } = position;
  if (standing.kind !== "action" || !isInChecklist(position, standing.action.strand)) return undefined;
  const { out } = session;
  const { action } = standing;
  const check = standing.shown.facts as CheckDescription | undefined;
  const facts = await gatherFacts(context, run);
  const { files, instances, called = [] } = facts;
  const { instructions } = stepFor(standing.shown, () => false);
  const shown = check === undefined ? plainAction(run, action, instructions, facts) : checkAction(run, action, instructions, check);
  const beside = await tasksBesideOf({ session, context }, position);
  out.document({
    run_id: run,
    status: "action",
    action_id: action.id,
    action: shown.word,
    ...(check === undefined ? { arguments: action.args } : checkData(check)),
    progress: {
      files: files.completed + files.skipped,
      files_total: files.total,
      files_blocked: files.blocked || undefined,
      ...(instances === undefined ? {} : { instances: instances.completed + instances.skipped, instances_total: instances.total }),
      instances_failed: instances?.failed || undefined,
    },
    ...options.extra,
    ...beside.data,
    ...followingData(shown.following),
  });
  if (out.json) return exitCodes.done;
  const counts = instances === undefined ? "" : `, ${instances.completed + instances.skipped} of ${instances.total} instances`;
  const undone = failedText(facts) === "" ? "" : `; ${failedText(facts)}`;
  out.line(`Run   ${run} (${state.workflow}), ${files.completed + files.skipped} of ${files.total} files${counts} done${undone}`);
  for (const { type, files: its } of called.filter(isAtWork).slice(0, 1))
    out.line(`Calls ${type}, ${its.completed + its.skipped} of ${its.total} files done`);
  for (const line of [...shown.lines, ...beside.lines]) out.line(line);
  const { before = [], following, or = [] } = shown;
  const hints = [...before.map((command) => `→ ${command}`), ...followingText(following), ...or.map((command) => `→ ${command}`)];
  if (options.hints) for (const line of hints) out.hint(line);
  return exitCodes.done;
}

function isAtWork({ status }: NonNullable<ChecklistFacts["called"]>[number]): boolean {
  return status === "in_progress";
}

interface Shown {
  readonly word: string;
  readonly lines: readonly string[];
  readonly following: Following;
  /** For people: what may be looked at before, and what may be run instead. */
  readonly before?: readonly string[];
  readonly or?: readonly string[];
}

function checkData({ item, phase, identical, notes, again, ...about }: CheckDescription): JsonObject {
  const { context, guidance, section, pattern, timeout, tool } = about;
  return {
    item,
    ...(defined({ context, guidance, section, pattern, timeout, tool }) as JsonObject),
    ...(phase.length === 0 ? {} : { phase: [...phase] }),
    ...(identical === 0 ? {} : { identical }),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
    ...(again === 0 ? {} : { found_again: again }),
  };
}

/** The result of a judgement that finds something, as grave as what looked for it says. */
function confirmed({ item, pattern }: CheckDescription): string {
  const severity = textOf(item["severity"] ?? pattern?.severity ?? "warning");
  return JSON.stringify({ findings: [{ severity, description: fillIn("what is wrong") }] });
}

/** What a line that reports the action has to say beside. */
function wantedOf(check: CheckDescription): string {
  if (check.action === "judge_instance") return ` --result ${quoted(confirmed(check))}`;
  return check.action === "analyze_file" ? ` --text ${quoted(fillIn("what you found"))}` : "";
}

function checkAction(run: string, { id }: Action, instructions: string, check: CheckDescription): Shown {
  const { item, context, guidance = "", notes, section } = check;
  const text = (name: string): string => (typeof item[name] === "string" ? item[name] : "");
  const place = typeof item["line"] === "number" ? `:${item["line"]}:${textOf(item["column"] ?? 1)}` : "";
  const what = text("kind") === "instance" ? text("type") : text("description");
  const code = context === undefined ? [] : ["", ...context.split("\n").map((line) => `  | ${shorten(line, 130)}`)];
  const rest = [
    instructions,
    guidance,
    ...notes.map((note) => `Note: ${note}`),
    section === undefined ? "" : `${section.heading}\n${section.text}`,
    text("suggestion") === "" ? "" : `Suggested: ${text("suggestion")}`,
  ].filter((line) => line !== "");
  const help = rest.length === 0 ? [] : ["", ...rest.map((line) => line.replace(/^(?=.)/gm, "  "))];
  const named = { run, action: id };
  return {
    word: check.action,
    lines: [`File  ${text("file")}${place}`, `Do    ${check.action}: ${what}`, ...code, ...help, ""],
    following: { next: `${doneLine(named)}${wantedOf(check)}` },
    or: [skipLine(named)],
  };
}

function plainAction(run: string, { id, what: word }: Action, instructions: string, facts: ChecklistFacts): Shown {
  const { files, instances, glob, changedSince, called = [] } = facts;
  const done = doneLine({ run, action: id });
  const following = { next: done };
  switch (word) {
    case "batch_apply": {
      const auto = (called.find(isAtWork)?.instances ?? instances)?.open.auto ?? 0;
      if (auto === 0) return { word, lines: ["Do    Nothing is left that one batch could fix: report this phase as done."], following };
      const next = `waymark batch ${quoted(run)} apply_fixes --auto-only`;
      const later = { when: "when the batch is done, or to go through these one by one", command: done };
      const how = "a dry run first, then confirm it with its token, then report this as done.";
      return { word, lines: [`Do    Fix ${counted(auto, "instance")} in one batch: ${how}`], following: { next, later } };
    }
    case "complete_workflow": {
      const undone = failedText(facts);
      const which = changedSince === undefined ? "file of the workspace" : `file${changedText(changedSince)}`;
      const nothing = `No ${which} is one that this workflow looks at (${glob.join(", ")}), so there is nothing to do.`;
      const open =
        undone === "" ? "Everything is dealt with." : `Not everything is done: ${undone}. Fix the cause and retry, or leave it so.`;
      return {
        word,
        lines: [`Do    ${files.total === 0 ? nothing : open} Read the report, then end the run.`],
        before: [`waymark report ${quoted(run)}`],
        // A run that ended cannot be retried: its end is not the line to run next while something is undone.
        ...(undone === "" ? { following } : { following: whenFixed(run), or: [done] }),
      };
    }
    default:
      return { word, lines: `Do    ${instructions}`.split("\n"), following };
  }
}
