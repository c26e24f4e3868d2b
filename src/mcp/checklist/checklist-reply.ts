import { isObject, type JsonObject } from "../../base/index.ts";
import { checklistOf, checklistRows, gatherFacts, isInChecklist } from "../../dialects/checklist/run/index.ts";
import type { Position } from "../../engine/index.ts";
import { blockedReply, nextReply, startReply, type StartExtras } from "../../dialects/checklist/views/index.ts";
import { followingData, followingText, type Following, type LaterCall, type PositionView } from "../../views/index.ts";
import type { Reply } from "../tool.ts";
import type { Driver, Shown } from "./driver.ts";
import type { Facts } from "./facts.ts";
import { fitReply } from "./fit-reply.ts";
import { numberOf, standingAction } from "./standing-action.ts";

/** What a tool says beside the action. */
export interface Beside {
  readonly lines: readonly string[];
  readonly data: JsonObject;
}

const nothingBeside: Beside = { lines: [], data: {} };

/**
 * Whether what the caller stands at is a checklist's own. What a checklist calls from another dialect is shown as everywhere, and so is the
 * end of a task: only such a call has tasks.
 */
export function isChecklist(position: Position): boolean {
  const { standing } = position;
  if (standing.kind === "task_ended") return false;
  const open = standing.kind === "action" ? standing.action : standing.kind === "question" ? standing.decision : position;
  return isInChecklist(position, open.strand);
}

/** Where the caller stands in a checklist run, as `workflow_next` answers. */
export async function checklistReply(driver: Driver, position: Position, beside: Beside = nothingBeside): Promise<Reply> {
  const facts = await gatherFacts(driver.call.engine, position.run);
  return fitReply(driver.call, position.run, withBeside(await viewOf(driver, position, facts), beside));
}

async function viewOf(driver: Driver, position: Position, facts: Facts): Promise<PositionView> {
  if (position.state.status !== "running") return endedView(facts, position);
  if (isBlocked(position, facts)) return withFollowing(blockedReply(facts), { later: retryLater(position.run) });
  const shown = await standingAction(driver, position, facts);
  return withShown(nextReply(facts, shown.action, shown.checklist), shown);
}

/** Nothing can go on: the strand says so, or every file failed and only the end is left. */
function isBlocked({ standing }: Position, facts: Facts): boolean {
  if (facts.blocked === undefined) return false;
  return standing.kind === "blocked" || (standing.kind === "action" && standing.action.what === "complete_workflow");
}

function endedView(facts: Facts, { run, state }: Position): PositionView {
  const why = state.error === undefined ? "" : ` ${state.error.message}`;
  const following: Following =
    state.status === "completed"
      ? { next_call: { tool: "workflow_complete", arguments: { run_id: run } } }
      : state.status === "failed"
        ? { later: retryLater(run) }
        : {};
  const then = state.status === "completed" ? " workflow_complete gives its report again." : "";
  return nextReply(facts, { action: "none", actionId: "", instruction: `The run is ${state.status}.${why}${then}`, ...following });
}

function withShown(view: PositionView, { extra }: Shown): PositionView {
  const action = view.data["next_action"];
  const more = extra === undefined || !isObject(action) ? {} : { next_action: { ...action, ...extra } };
  return { ...view, data: { ...view.data, ...more } };
}

/** Trying again at once would fail again. */
export function retryLater(run: string): LaterCall {
  return { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: run } };
}

function withFollowing({ text, data }: PositionView, following: Following): PositionView {
  return { text: [text, ...followingText(following)].join("\n"), data: { ...data, ...followingData(following) } };
}

function withBeside(view: PositionView, beside: Beside): PositionView {
  return { ...view, text: [...beside.lines, view.text].join("\n"), data: { ...view.data, ...beside.data } };
}

/** The answer to a start: what the autonomous phases brought, and the first thing to do. */
export async function startedReply(driver: Driver, position: Position, durationMs: number): Promise<Reply> {
  const { call } = driver;
  const facts = await gatherFacts(call.engine, position.run);
  if (position.state.status !== "running" || isBlocked(position, facts)) return checklistReply(driver, position);
  const shown = await standingAction(driver, position, facts);
  const extras: StartExtras = {
    completed: position.standing.kind !== "working",
    durationMs,
    ...(facts.instances === undefined ? { files: await firstFiles(driver, position.run) } : { filesNeeding: filesNeeding(position) }),
  };
  const problems = problemsShownOf(facts);
  const view = withShown(startReply(facts, shown.action, extras), shown);
  return fitReply(call, position.run, {
    ...view,
    text: problems.length === 0 ? view.text : [...problems.map((problem) => `Problem: ${problem}`), view.text].join("\n"),
    data: { run_id: position.run, ...view.data, ...(problems.length === 0 ? {} : { problems }) },
  });
}

async function firstFiles({ call }: Driver, run: string): Promise<{ path: string; size: number; priority: number }[]> {
  const handle = await call.engine.runs.open(run);
  const found: { path: string; size: number; priority: number }[] = [];
  for await (const row of checklistRows(call.engine, handle).files()) {
    const data = isObject(row.data) ? row.data : {};
    found.push({ path: row.id, size: numberOf(data["size"]), priority: numberOf(data["priority"]) });
    if (found.length === 3) break;
  }
  return found;
}

function filesNeeding(position: Position): NonNullable<StartExtras["filesNeeding"]> {
  const scan = checklistOf(position)?.raw["scan"];
  const by = isObject(scan) && isObject(scan["files_by_fix"]) ? scan["files_by_fix"] : {};
  return { auto: numberOf(by["auto"]), review: numberOf(by["review"]), manual: numberOf(by["manual"]) };
}

const problemsShown = 3;

/** Told once, at the start; the report lists them all. */
function problemsShownOf({ problems = [] }: Facts): readonly string[] {
  const shown = problems.slice(0, problemsShown).map((problem) => problem.slice(0, 200));
  return problems.length > problemsShown ? [...shown, `and ${problems.length - problemsShown} more`] : shown;
}
