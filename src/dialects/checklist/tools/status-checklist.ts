import type { ChecklistFacts } from "../definition/index.ts";
import { defined, fieldOf, isObject } from "../../../base/index.ts";
import { actionWord, begunRuns, checklistRows, editing, gatherFacts, openOf } from "../run/index.ts";
import { handsOutWork, journal, shownPosition, status, type Position, type RunHandle } from "../../../engine/index.ts";
import type { Item } from "../../../program/index.ts";
import { blockedReply, fileStatus, statusReply, type CheckAction, type FileLine, type StatusExtras } from "../views/index.ts";
import { followingData, type PositionView } from "../../../views/index.ts";
import {
  asManyAsFit,
  badArgument,
  dialectAt,
  followingRun,
  isDrivenElsewhere,
  nextLines,
  type Reply,
  type ToolCall,
} from "../../../mcp/index.ts";
import { standingAction } from "./standing-action.ts";
import { fitReply } from "./checklist-reply.ts";

const filesPerPage = 40;

/** Where a checklist run is. Advances nothing and takes hold of nothing, so that an agent that comes back knows where to continue. */
export async function checklistStatus(
  call: ToolCall,
  run: string,
  { allFiles, after }: { readonly allFiles: boolean; readonly after?: string | undefined },
): Promise<Reply> {
  const facts = await gatherFacts(call.engine, run);
  const { handle, strands } = await status(call.engine, run);
  const elsewhere = !handsOutWork(handle) && editing(handle.state) === undefined && isDrivenElsewhere(call, handle, strands);
  const last = await lastCompleted(call, handle);
  const { position, mine } = await openPosition(call, handle, strands);
  const action = position === undefined || facts.status === "blocked" ? undefined : await openAction(call, position, facts);
  const { blocked_files, resolution_options } = facts.blocked === undefined ? {} : blockedReply(facts).data;
  const blocked = defined({ blocked_files, resolution_options });
  const extras: StatusExtras = defined({ action: action && (mine ? action : withoutCalls(action)), lastCompleted: last });
  const compose = (files: StatusExtras["files"]): PositionView => {
    const view = statusReply(facts, { ...extras, ...defined({ files }) });
    const more = files?.next === undefined ? undefined : { run_id: run, include_all_files: true, after: files.next };
    // A report is never named here: who only looked asks for the action first, and so holds it.
    const looked = mine ? {} : followingRun(run, facts.status, elsewhere);
    const following = more === undefined ? looked : { next_call: { tool: "workflow_status", arguments: more } };
    // What follows the action belongs to another call than what follows this page.
    const own = Object.keys(following).length === 0 ? view.data : withoutCalls(view.data);
    return { ...view, text: [view.text, ...nextLines(following)].join("\n"), data: { ...own, ...blocked, ...followingData(following) } };
  };
  if (!allFiles) return fitReply(call, run, compose(undefined));
  const { page, next } = await filePage(call, handle, after);
  const view = asManyAsFit(call, page, (files) => {
    const shownLast = files.length < page.length ? files.at(-1) : undefined;
    return compose({ page: files, ...defined({ next: shownLast === undefined ? next : cursorOf(shownLast) }) });
  });
  return fitReply(call, run, view);
}

/** What is open. A step of what the checklist calls has no room here: only its name is given, and `workflow_next` shows it whole. */
async function openAction(call: ToolCall, position: Position, facts: ChecklistFacts): Promise<CheckAction> {
  const { standing } = position;
  if (standing.kind !== "action" || isOwn(call, position)) return (await standingAction(call, position, facts)).action;
  const { what, step } = standing.action;
  return { action: what, actionId: "", instruction: `Step \`${step}\` is open. workflow_next shows what it asks for.` };
}

function isOwn(call: ToolCall, position: Position): boolean {
  return dialectAt(call, position) !== undefined;
}

/** Who only looks asks for the action before it reports it. */
function withoutCalls<Shown extends object>(shown: Shown): Shown {
  const { next_call: _next, fill_in: _fill, later: _later, ...rest } = shown as Shown & Record<"next_call" | "fill_in" | "later", unknown>;
  return rest as unknown as Shown;
}

type Strands = Awaited<ReturnType<typeof status>>["strands"];

/**
 * What the caller holds; else what nobody alive holds, for it is what comes next; else where the run as a whole is. `mine`: it is an entry
 * that the caller holds, and may report as it is shown here.
 */
async function openPosition(
  call: ToolCall,
  handle: RunHandle,
  strands: Strands,
): Promise<{ readonly position?: Position; readonly mine: boolean }> {
  const { id: run, program, state, head } = handle;
  if (state.status !== "running") return { mine: false };
  const open = openOf(handle, call.caller);
  const own = strands.find(({ strand }) => strand === open.strand && (open.action !== undefined || open.question !== undefined));
  const wanted =
    own ??
    strands.find(({ standing, alive }) => standing.kind === "action" && !alive) ??
    strands.find(({ standing }) => standing.kind === "action" || standing.kind === "question") ??
    strands.find(({ strand }) => strand === "main");
  if (wanted === undefined || wanted.standing.kind === "ended") return { mine: false };
  const held = own !== undefined && state.strands[own.strand]?.holder?.session === call.caller.holder.session;
  const { strand, standing } = wanted;
  const position = await shownPosition(call.engine, handle, { run, program, state, head, strand, standing });
  return { position, mine: held && isOwn(call, position) };
}

const recordsPerLook = 100;
const mostRecords = 1_000;

/** The item that an agent or a batch settled last, found from the end of the journal; what the engine proved by itself is not news. */
async function lastCompleted({ engine }: ToolCall, handle: RunHandle): Promise<StatusExtras["lastCompleted"] | undefined> {
  const begun = begunRuns(handle);
  const lists = new Set(begun.map((run) => run.lists.files));
  const judged = new Set(begun.flatMap(({ definition, lists: { files } }) => (definition.patterns.judged === true ? [files] : [])));
  const settled = new Set(["completed", "skipped", "failed"]);
  for (let to = handle.head; to > Math.max(0, handle.head - mostRecords); to -= recordsPerLook) {
    const from = Math.max(0, to - recordsPerLook);
    const records = (await journal(engine, handle.id, from, recordsPerLook)).filter(({ position }) => position <= to);
    const moves = records.flatMap(({ events }) => events.flatMap((event) => (event.type === "item_moved" ? [event.move] : [])));
    for (const move of moves.toReversed()) {
      if (!lists.has(move.list) || move.facets["kind"] === "file" || move.from === move.to || !settled.has(move.to)) continue;
      const row = await engine.store.readItem(handle.id, move.list, move.id);
      const data = isObject(row?.data) ? row.data : {};
      if (data["by"] === "engine") continue;
      const item = typeof data["entry"] === "string" ? data["entry"] : move.id;
      const judge = judged.has(move.list);
      return { action: actionWord({ item: data, judge }), file: row?.parent ?? move.root, item, status: move.to };
    }
  }
  return undefined;
}

/** Where the next page begins: a path, or the name of a called workflow and one of its files. */
function cursorOf({ path, workflow }: FileLine): string {
  return workflow === undefined ? path : `${workflow}: ${path}`;
}

/** One page of files in the order in which they are worked on; those of called workflows come after the run's own. */
async function filePage({ engine }: ToolCall, handle: RunHandle, after: string | undefined): Promise<NonNullable<StatusExtras["files"]>> {
  const { rows, more } = await fileRowsAfter(engine, handle, after);
  const paths = new Set(rows.map(({ row }) => row.id));
  const lists = checklistRows(engine, handle);
  const [findings, changes] = [await countByFile(lists.findings(), paths), await countByFile(lists.changes(), paths)];
  const page: FileLine[] = [];
  for (const { row, workflow } of rows) {
    const some = async (state: "pending" | "in_progress" | "failed"): Promise<boolean> =>
      (await engine.store.selectItems(handle.id, { list: row.list, query: { parent: row.id, status: state }, limit: 1 })).length > 0;
    page.push({
      path: row.id,
      status: fileStatus(row),
      findings: findings.get(row.id) ?? 0,
      changes: changes.get(row.id) ?? 0,
      checklistComplete: row.status !== "failed" && !(await some("pending")) && !(await some("in_progress")) && !(await some("failed")),
      ...defined({ workflow }),
    });
  }
  const last = more ? page.at(-1) : undefined;
  return { page, ...defined({ next: last && cursorOf(last) }) };
}

interface FileRow {
  readonly row: Item;
  readonly workflow?: string | undefined;
}

async function fileRowsAfter(
  { store }: ToolCall["engine"],
  handle: RunHandle,
  after: string | undefined,
): Promise<{ readonly rows: readonly FileRow[]; readonly more: boolean }> {
  const all = begunRuns(handle).map(({ main, definition, lists }) => ({ list: lists.files, workflow: main ? undefined : definition.type }));
  const [own, ...called] = all;
  if (own === undefined) return { rows: [], more: false };
  const named = called.find(({ workflow = "" }) => after?.startsWith(`${workflow}: `) === true);
  const from = named ?? own;
  const path = named === undefined ? after : after?.slice((named.workflow ?? "").length + 2);
  const before = path === undefined ? undefined : await store.readItem(handle.id, from.list, path);
  if (after !== undefined && before?.facets["kind"] !== "file")
    throw badArgument(
      "workflow_status",
      [`\`after\` must be a file of the run, not \`${after.slice(0, 200)}\``],
      "the next_page of the page before",
    );
  const rows: FileRow[] = [];
  for (const { list, workflow } of all.slice(all.indexOf(from))) {
    const limit = filesPerPage + 1 - rows.length;
    if (limit <= 0) break;
    const start = list === from.list && before !== undefined ? { after: before.order } : {};
    const part = await store.selectItems(handle.id, { list, query: { facets: { kind: "file" } }, limit, ...start });
    rows.push(...part.map((row) => ({ row, workflow })));
  }
  return { rows: rows.slice(0, filesPerPage), more: rows.length > filesPerPage };
}

async function countByFile(rows: AsyncIterable<Item>, paths: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { data } of rows) {
    const file = fieldOf(data, "file");
    if (paths.has(file)) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}
