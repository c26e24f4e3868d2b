import type { ChecklistFacts } from "../definition/index.ts";
import { isObject, defined, type JsonObject, cutText } from "../../../base/index.ts";
import { checklistOf, checklistRows, gatherFacts, scansAtOnce, sumOf } from "../run/index.ts";
import type { Position } from "../../../engine/index.ts";
import { blockedReply, startReply, type StartExtras, nextReply } from "../views/index.ts";
import { followingData, followingText, retryLater, type CutText, type Following, type PositionView } from "../../../views/index.ts";
import {
  nothingAround,
  type Reply,
  type Surrounding,
  type ToolCall,
  againFor,
  keysOf,
  openAction,
  pageReply,
  plainText,
  type NextCall,
  type ReplyPart,
} from "../../../mcp/index.ts";
import { type ActionShown, numberOf, standingAction } from "./standing-action.ts";

/** Where the caller is in a checklist run, as `workflow_next` answers. */
export async function checklistReply(call: ToolCall, position: Position, { data, lines }: Surrounding = nothingAround): Promise<Reply> {
  const view = await viewOf(call, position, await gatherFacts(call.engine, position.run));
  return fitReply(call, position.run, { ...view, text: [...lines(data), view.text].join("\n"), data: { ...view.data, ...data } });
}

async function viewOf(call: ToolCall, position: Position, facts: ChecklistFacts): Promise<PositionView> {
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
function isBlocked({ standing }: Position, facts: ChecklistFacts): boolean {
  if (facts.blocked === undefined) return false;
  return standing.kind === "blocked" || (standing.kind === "action" && standing.action.what === "complete_workflow");
}

function endedView(facts: ChecklistFacts, { run, state }: Position): PositionView {
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
    ...(facts.instances === undefined ? { files: await firstFiles(call, run) } : { filesNeeding: await filesNeeding(call, position) }),
  };
  // Named once, at the start; the report lists them all.
  const named = facts.problems ?? [];
  const more = named.length > problemsShown ? [`and ${named.length - problemsShown} more`] : [];
  const problems = [...named.slice(0, problemsShown).map((problem) => problem.slice(0, 200)), ...more];
  const view = withShown(startReply(facts, shown.action, extras), shown);
  return fitReply(call, run, {
    ...view,
    text: [...problems.map((problem) => `Problem: ${problem}`), view.text].join("\n"),
    data: { run_id: run, ...view.data, ...(problems.length === 0 ? {} : { problems }) },
  });
}

/** Files by what is needed in them: counted by the scan, or from the instances that are known while files are scanned one by one. */
async function filesNeeding({ engine }: ToolCall, position: Position): Promise<NonNullable<StartExtras["filesNeeding"]>> {
  const run = checklistOf(position);
  if (run === undefined) return {};
  if (scansAtOnce(run)) {
    const { auto = 0, review = 0, manual = 0 } = sumOf(run.raw["scan"]).files_by_fix;
    return { auto, review, manual };
  }
  const holding = async (fix: string): Promise<number> => {
    const query = { facets: { kind: "instance", fix } };
    const rows = await engine.store.selectItems(position.run, { list: run.lists.files, query, limit: mostCounted });
    return new Set(rows.map(({ parent }) => parent)).size;
  };
  return { auto: await holding("auto"), review: await holding("review"), manual: await holding("manual") };
}

const mostCounted = 5_000;

async function firstFiles({ engine }: ToolCall, run: string): Promise<{ path: string; size: number; priority: number }[]> {
  const found: { path: string; size: number; priority: number }[] = [];
  for await (const row of checklistRows(engine, await engine.runs.open(run)).files()) {
    const data = isObject(row.data) ? row.data : {};
    found.push({ path: row.id, size: numberOf(data["size"]), priority: numberOf(data["priority"]) });
    if (found.length === 3) break;
  }
  return found;
}

const problemsShown = 3;

/** Keys that an agent cannot act without, however little room there is. */
const kept: ReadonlySet<string> = new Set([
  "session_id",
  "run_id",
  "status",
  "action_id",
  "next_call",
  "fill_in",
  "later",
  "confirmation_token",
  "confirmation_required",
  "batch_id",
]);

/** Names and places of an action stay whole. */
const keptOfAction: ReadonlySet<string> = new Set([
  "type",
  "action",
  "action_id",
  "file",
  "line",
  "column",
  "checklist_item_id",
  "topic_id",
  "instance_type",
  "precise_type",
  "tool_call",
]);

/** Keys that `workflow_next` gives too. */
const inNext: ReadonlySet<string> = new Set(["next_action", "current_file", "agent_instructions"]);

/** Views keep to their own budgets; this is for servers with a smaller limit, and for paths and names that nobody foresaw. */
export function fitReply(call: ToolCall, run: string, view: PositionView): Promise<Reply> {
  const rest = (part: ReplyPart): NextCall | undefined => restOf(call, run, view, part);
  const whole = wholeOf(view);
  const { next_action: action, ...others } = view.data;
  const { engine, replyChars } = call;
  const writeWhole = (): Promise<string> => engine.host.views.write(`replies/${run}.json`, `${JSON.stringify(whole, null, 2)}\n`);
  return pageReply(call, {
    data: view.data,
    begun: told(view).map(({ name, text, shown }) => ({ keys: ["next_action", name], total: text.length, from: shown })),
    whole,
    heavy: [heavyOf(others, kept, []), isObject(action) ? heavyOf(action, keptOfAction, ["next_action"]) : []],
    rest,
    beside: { from: 0, fields: async () => ({ whole: await writeWhole() }), always: true },
    render: (shown, missing) => {
      if (shown["whole"] === undefined) return [view.text, ...(missing === "" ? [] : [missing]), ...spareLine(view, rest)].join("\n");
      return [...shortLines(view.text, replyChars / 6), missing, `The whole is in ${plainText(shown["whole"])}.`].join("\n");
    },
  });
}

/** Cut texts of which `truncated` says how to get the rest: what is needed, and the first of the others. Lines around a match are in the file. */
function told({ cut = [] }: PositionView): readonly CutText[] {
  const first = cut.find(({ name, spare }) => spare === true && name !== "context");
  return cut.filter((each) => each.spare !== true || each === first);
}

/** The other ones, and how to get them: their calls differ in the path alone. */
function spareLine(view: PositionView, rest: (part: ReplyPart) => NextCall | undefined): readonly string[] {
  const said = told(view);
  const names = (view.cut ?? []).filter((each) => !said.includes(each)).map(({ name }) => name);
  const call = names[0] === undefined ? undefined : rest({ path: `next_action.${names[0]}`, from: 0 });
  if (call === undefined) return [];
  return [`No room for the whole of ${names.join(", ")}: workflow_next with part ${JSON.stringify(call.arguments["part"])} brings it.`];
}

/** The data with the texts that its view cut. */
function wholeOf({ data, cut = [] }: PositionView): JsonObject {
  const { next_action: action } = data;
  if (cut.length === 0 || !isObject(action)) return data;
  return { ...data, next_action: { ...action, ...Object.fromEntries(cut.map(({ name, text }) => [name, text])) } };
}

function heavyOf(held: JsonObject, whole: ReadonlySet<string>, below: readonly string[]): readonly (readonly string[])[] {
  return Object.keys(held)
    .filter((key) => !whole.has(key))
    .map((key) => [...below, key]);
}

/** The same call where a repeat gives the same; else the call for what is open, as far as it shows the value too. */
function restOf(call: ToolCall, run: string, { data, cut = [] }: PositionView, part: ReplyPart): NextCall | undefined {
  const [root = "", below = ""] = keysOf(part.path) ?? [];
  const own = isObject(data["next_action"]) ? data["next_action"]["action_id"] : undefined;
  // A text that one instance has is easily taken for that of the next.
  const action = own ?? (cut.some(({ name }) => name === below) ? openAction(data) : undefined);
  const named = root === "next_action" && typeof action === "string" ? { action_id: action } : {};
  if (call.again !== undefined) return againFor(call, { ...part, ...named });
  if (!inNext.has(root)) return undefined;
  const { worker } = isObject(data["next_call"]) && isObject(data["next_call"]["arguments"]) ? data["next_call"]["arguments"] : {};
  return { tool: "workflow_next", arguments: { session_id: run, ...defined({ worker }), part: { ...part, ...named } } };
}

/** The first lines and the last one, which names the next call. */
function shortLines(text: string, chars: number): readonly string[] {
  const lines = text.split("\n").map((line) => cutText(line, Math.floor(chars / 4)));
  const last = lines.length > 1 ? lines.slice(-1) : [];
  const first: string[] = [];
  let left = chars - (last[0]?.length ?? 0);
  for (const line of lines.slice(0, lines.length - last.length)) {
    left -= line.length;
    if (left < 0) break;
    first.push(line);
  }
  return [...first, ...last];
}
