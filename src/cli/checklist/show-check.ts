import { textOf, type JsonObject } from "../../base/index.ts";
import { gatherFacts, isInChecklist, type CheckDescription, type Position } from "../../engine/index.ts";
import { stepFor } from "../../views/index.ts";
import {
  counted,
  doneLine,
  exitCodes,
  followingData,
  followingText,
  loadCommandKit,
  quoted,
  shorten,
  skipLine,
  whenFixed,
  type Desk,
  type Following,
  type Named,
  type ShowOptions,
} from "../index.ts";

const { besideData, besideLines, tasksBesideOf } = await loadCommandKit();

type Action = Extract<Position["standing"], { readonly kind: "action" }>["action"];

/** What is open in a checklist run, for people; undefined when the position is none of a checklist's own actions. */
export async function showCheck({ session, context }: Desk, position: Position, options: ShowOptions): Promise<number | undefined> {
  const { standing, run } = position;
  if (standing.kind !== "action" || !isInChecklist(position, standing.action.strand)) return undefined;
  const { action } = standing;
  const check = standing.shown.facts as CheckDescription | undefined;
  const facts = await gatherFacts(context, run);
  const { files, instances, called = [] } = facts;
  const now = called.find(({ status }) => status === "in_progress");
  const auto = (now?.instances ?? instances)?.open.auto ?? 0;
  const ended = { auto, files: files.total, globs: facts.glob, undone: undoneText(facts) };
  const { instructions } = stepFor(standing.shown, () => false);
  const shown =
    check === undefined ? plainAction({ run, action, instructions }, ended) : checkAction({ run, action: action.id }, check, instructions);
  const beside = await tasksBesideOf(context, position);
  const { out } = session;
  out.document({
    run_id: run,
    status: "action",
    action_id: action.id,
    action: shown.word,
    ...(check === undefined ? { arguments: action.args } : checkData(check)),
    progress: {
      files: files.completed + files.skipped,
      files_total: files.total,
      ...(files.blocked === 0 ? {} : { files_blocked: files.blocked }),
      ...(instances === undefined ? {} : instanceProgress(instances)),
    },
    ...options.extra,
    ...besideData(beside),
    ...followingData(shown.following),
  });
  if (out.json) return exitCodes.done;
  out.line(headLine(position, facts));
  if (now !== undefined) out.line(`Calls ${now.type}, ${now.files.completed + now.files.skipped} of ${now.files.total} files done`);
  for (const line of [...shown.lines, ...besideLines(beside)]) out.line(line);
  if (options.hints) for (const line of hintLines(shown)) out.hint(line);
  return exitCodes.done;
}

function headLine({ run, state }: Position, facts: Facts): string {
  const { files, instances } = facts;
  const counts = instances === undefined ? "" : `, ${instances.completed + instances.skipped} of ${instances.total} instances`;
  const undone = undoneText(facts);
  return `Run   ${run} (${state.workflow}), ${files.completed + files.skipped} of ${files.total} files${counts} done${undone === "" ? "" : `; ${undone}`}`;
}

function hintLines({ before = [], following, or = [] }: Shown): readonly string[] {
  return [...before.map((command) => `→ ${command}`), ...followingText(following), ...or.map((command) => `→ ${command}`)];
}

type Facts = Awaited<ReturnType<typeof gatherFacts>>;

function instanceProgress({ total, completed, skipped, failed }: NonNullable<Facts["instances"]>): JsonObject {
  return { instances: completed + skipped, instances_total: total, ...(failed === 0 ? {} : { instances_failed: failed }) };
}

/** What failed counts as failed, in the run and in the workflows that it calls; empty when nothing did. */
function undoneText({ files, instances, called = [] }: Facts): string {
  const all = [{ files, instances }, ...called];
  const blocked = all.reduce((sum, each) => sum + each.files.blocked, 0);
  const failed = all.reduce((sum, each) => sum + (each.instances?.failed ?? 0), 0);
  const parts = [
    ...(blocked === 0 ? [] : [counted(blocked, "file is blocked", "files are blocked")]),
    ...(failed === 0 ? [] : [counted(failed, "instance failed", "instances failed")]),
  ];
  return parts.join(", ");
}

interface Shown {
  readonly word: string;
  readonly lines: readonly string[];
  readonly following: Following;
  /** For people: what may be looked at before, and what may be run instead. */
  readonly before?: readonly string[];
  readonly or?: readonly string[];
}

function checkData({ item, context, guidance, section, pattern, tool, phase, identical, notes, again }: CheckDescription): JsonObject {
  const given = { context, guidance, section, pattern, tool };
  return {
    item,
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject),
    ...(phase.length === 0 ? {} : { phase: [...phase] }),
    ...(identical === 0 ? {} : { identical }),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
    ...(again === 0 ? {} : { found_again: again }),
  };
}

function checkAction(named: Named, check: CheckDescription, instructions: string): Shown {
  const { item } = check;
  const text = (name: string): string => (typeof item[name] === "string" ? item[name] : "");
  const place = typeof item["line"] === "number" ? `:${item["line"]}:${textOf(item["column"] ?? 1)}` : "";
  const lines = [
    `File  ${text("file")}${place}`,
    `Do    ${check.action}: ${text("kind") === "instance" ? text("type") : text("description")}`,
  ];
  if (check.context !== undefined) lines.push("", ...check.context.split("\n").map((line) => `  | ${shorten(line, 130)}`));
  const said = [instructions, check.guidance ?? "", ...check.notes.map((note) => `Note: ${note}`)];
  const fix = text("suggestion") === "" ? [] : [`Suggested: ${text("suggestion")}`];
  const section = check.section === undefined ? [] : [`${check.section.heading}\n${check.section.text}`];
  const rest = [...said, ...section, ...fix].filter((line) => line !== "");
  if (rest.length > 0) lines.push("", ...rest.map((line) => line.replace(/^(?=.)/gm, "  ")));
  return {
    word: check.action,
    lines: [...lines, ""],
    following: { next: doneLine(named) },
    or: [skipLine(named)],
  };
}

interface Ended {
  readonly auto: number;
  readonly files: number;
  readonly globs: readonly string[];
  /** What was not done; empty when everything was. */
  readonly undone: string;
}

interface PlainAction {
  readonly run: string;
  readonly action: Action;
  readonly instructions: string;
}

function plainAction({ run, action, instructions }: PlainAction, { auto, files, globs, undone }: Ended): Shown {
  const name = quoted(run);
  const done = doneLine({ run, action: action.id });
  const nothing = `No file of the workspace is one that this workflow looks at (${globs.join(", ")}), so there is nothing to do.`;
  switch (action.what) {
    case "batch_apply":
      if (auto === 0)
        return {
          word: action.what,
          lines: ["Do    Nothing is left that one batch could fix: report this phase as done."],
          following: { next: done },
        };
      return {
        word: action.what,
        lines: [
          `Do    Fix ${counted(auto, "instance")} in one batch: a dry run first, then confirm it with its token, then report this as done.`,
        ],
        following: {
          next: `waymark batch ${name} apply_fixes --auto-only`,
          later: { when: "when the batch is done, or to go through these one by one", command: done },
        },
      };
    case "complete_workflow":
      return {
        word: action.what,
        lines: [
          `Do    ${files === 0 ? nothing : undone === "" ? "Everything is dealt with." : `Not everything is done: ${undone}. Fix the cause and retry, or leave it so.`} Read the report, then end the run.`,
        ],
        before: [`waymark report ${name}`],
        // A run that ended cannot be retried: its end is not the line to run next while something is undone.
        ...(undone === "" ? { following: { next: done } } : { following: whenFixed(run), or: [done] }),
      };
    default:
      return { word: action.what, lines: `Do    ${instructions}`.split("\n"), following: { next: done } };
  }
}
