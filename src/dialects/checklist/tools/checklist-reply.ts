import { isObject } from "../../../base/index.ts";
import { checklistOf, checklistRows, gatherFacts } from "../run/index.ts";
import type { Position } from "../../../engine/index.ts";
import { blockedReply, startReply, type StartExtras, nextReply } from "../views/index.ts";
import { followingData, followingText, type Following, type PositionView } from "../../../views/index.ts";
import { nothingAround, retryLater, type Reply, type Surrounding, type ToolCall } from "../../../mcp/index.ts";
import type { ActionShown, Facts } from "./action-shown.ts";
import { fitReply } from "./fit-reply.ts";
import { numberOf, standingAction } from "./standing-action.ts";

/** Where the caller is in a checklist run, as `workflow_next` answers. */
export async function checklistReply(call: ToolCall, position: Position, { data, lines }: Surrounding = nothingAround): Promise<Reply> {
  const view = await viewOf(call, position, await gatherFacts(call.engine, position.run));
  return fitReply(call, position.run, { ...view, text: [...lines(data), view.text].join("\n"), data: { ...view.data, ...data } });
}

async function viewOf(call: ToolCall, position: Position, facts: Facts): Promise<PositionView> {
  const { run, state } = position;
  if (state.status !== "running") return endedView(facts, position);
  if (isBlocked(position, facts)) {
    const { text, data } = blockedReply(facts);
    const following = { later: retryLater(run) };
    return { text: [text, ...followingText(following)].join("\n"), data: { ...data, ...followingData(following) } };
  }
  const shown = await standingAction(call, position, facts);
  return withShown(nextReply(facts, shown.action, shown.checklist), shown);
}

/** Nothing can continue: the strand says so, or every file failed and only the end is left. */
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

function withShown(view: PositionView, { extra }: ActionShown): PositionView {
  const { next_action: action } = view.data;
  return isObject(action) ? { ...view, data: { ...view.data, next_action: { ...action, ...extra } } } : view;
}

/** The answer to a start: what the autonomous phases brought, and the first thing to do. */
export async function startedReply(call: ToolCall, position: Position): Promise<Reply> {
  const { run } = position;
  const facts = await gatherFacts(call.engine, run);
  if (position.state.status !== "running" || isBlocked(position, facts)) return checklistReply(call, position);
  const durationMs = call.elapsedMs();
  const shown = await standingAction(call, position, facts);
  const extras: StartExtras = {
    completed: position.standing.kind !== "working",
    durationMs,
    ...(facts.instances === undefined ? { files: await firstFiles(call, run) } : { filesNeeding: filesNeeding(position) }),
  };
  const problems = problemsShownOf(facts);
  const view = withShown(startReply(facts, shown.action, extras), shown);
  return fitReply(call, run, {
    ...view,
    text: [...problems.map((problem) => `Problem: ${problem}`), view.text].join("\n"),
    data: { run_id: run, ...view.data, ...(problems.length === 0 ? {} : { problems }) },
  });
}

async function firstFiles({ engine }: ToolCall, run: string): Promise<{ path: string; size: number; priority: number }[]> {
  const found: { path: string; size: number; priority: number }[] = [];
  for await (const row of checklistRows(engine, await engine.runs.open(run)).files()) {
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

/** Named once, at the start; the report lists them all. */
function problemsShownOf({ problems = [] }: Facts): readonly string[] {
  const shown = problems.slice(0, problemsShown).map((problem) => problem.slice(0, 200));
  return problems.length > problemsShown ? [...shown, `and ${problems.length - problemsShown} more`] : shown;
}
