import { isObject, type JsonObject } from "../../base/index.ts";
import { actionWord, begunRuns, checklistRows, gatherFacts, openOf, requireChecklist } from "../../dialects/checklist/run/index.ts";
import { handsOutWork, journal, shownPosition, status, type Position, type RunHandle } from "../../engine/index.ts";
import { blockedReply, statusReply, type CheckAction, type FileLine, type StatusExtras } from "../../dialects/checklist/views/index.ts";
import { followingData, type Following, type PositionView } from "../../views/index.ts";
import { badArgument } from "../codes.ts";
import { isDrivenElsewhere, takeOverLater } from "../driven-elsewhere.ts";
import { inCharacters } from "../page-reply.ts";
import { nextLines } from "../reply.ts";
import type { Reply, ToolCall } from "../tool.ts";
import { isChecklist, retryLater } from "./checklist-reply.ts";
import type { Driver } from "./driver.ts";
import type { Facts } from "./facts.ts";
import { fitReply } from "./fit-reply.ts";
import { standingAction } from "./standing-action.ts";

const filesPerPage = 40;

/** Where a checklist run stands. Advances nothing and takes nothing in hand, so that whoever comes back knows where to go on. */
export async function checklistStatus(
  driver: Driver,
  run: string,
  { allFiles, after }: { readonly allFiles: boolean; readonly after?: string | undefined },
): Promise<Reply> {
  const { call } = driver;
  const facts = await gatherFacts(call.engine, run);
  const { handle, strands } = await status(call.engine, run);
  requireChecklist(handle);
  const elsewhere = !handsOutWork(handle) && isDrivenElsewhere(call, handle.state, strands);
  const last = await lastCompleted(call, handle);
  const { position, mine } = await openPosition(call, handle, strands);
  const action = position === undefined || facts.status === "blocked" ? undefined : await openAction(driver, position, facts);
  const blocked = facts.blocked === undefined ? {} : pick(blockedReply(facts).data, ["blocked_files", "resolution_options"]);
  const extras: StatusExtras = {
    ...(action === undefined ? {} : { action: inHand(action, mine) }),
    ...(last === undefined ? {} : { lastCompleted: last }),
  };
  const compose = (files: StatusExtras["files"]): PositionView => {
    const view = statusReply(facts, files === undefined ? extras : { ...extras, files });
    const following = mine && files?.next === undefined ? {} : followingOf({ run, state: facts.status, elsewhere }, files?.next);
    // What follows the action belongs to another call than what follows this page.
    const { next_call: _call, fill_in: _fill, later: _later, ...rest } = view.data;
    const own = Object.keys(following).length === 0 ? view.data : rest;
    return { ...view, text: [view.text, ...nextLines(following)].join("\n"), data: { ...own, ...blocked, ...followingData(following) } };
  };
  if (!allFiles) return fitReply(call, run, compose(undefined));
  const { page, next } = await filePage(call, handle, after);
  const limit = inCharacters(call);
  for (let shownFiles = page.length; ; shownFiles = Math.floor(shownFiles * 0.8)) {
    const files = page.slice(0, shownFiles);
    const last = files.at(-1);
    const rest = shownFiles < page.length && last !== undefined ? cursorOf(last) : next;
    const view = compose({ page: files, ...(rest === undefined ? {} : { next: rest }) });
    if (shownFiles <= 1 || limit.measure(view) <= limit.most) return fitReply(call, run, view);
  }
}

/** What is open. A step of what the checklist calls has no room here: it is told by its name, and `workflow_next` shows it whole. */
async function openAction(driver: Driver, position: Position, facts: Facts): Promise<CheckAction> {
  const { standing } = position;
  if (standing.kind !== "action" || isChecklist(position)) return (await standingAction(driver, position, facts)).action;
  const { what, step } = standing.action;
  return { action: what, actionId: "", instruction: `Step \`${step}\` is open. workflow_next shows what it asks for.` };
}

/** Whoever only looks asks for the action before it reports it. */
function inHand(action: CheckAction, mine: boolean): CheckAction {
  if (mine) return action;
  const { next_call: _next, fill_in: _fill, later: _later, ...looked } = action;
  return looked;
}

function pick(data: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]] as const])));
}

interface Standing {
  readonly run: string;
  readonly state: string;
  /** Another connection has it in hand, and there is no work for others. */
  readonly elsewhere: boolean;
}

/** A report is never named here: whoever only looked asks for the action first, and so has it in hand. */
function followingOf({ run, state, elsewhere }: Standing, page: string | undefined): Following {
  const args = { run_id: run };
  if (page !== undefined) return { next_call: { tool: "workflow_status", arguments: { ...args, include_all_files: true, after: page } } };
  if (state === "blocked" || state === "failed") return { later: retryLater(run) };
  if (state === "completed") return { next_call: { tool: "workflow_complete", arguments: args } };
  if (state === "cancelled") return {};
  return elsewhere ? { later: takeOverLater(run) } : { next_call: { tool: "workflow_next", arguments: args } };
}

type Strands = Awaited<ReturnType<typeof status>>["strands"];

/**
 * What the caller has in hand; else what nobody alive has, for it is what comes next; else where the run as a whole stands. `mine`: it is an
 * entry in the caller's hands, which may report it as it is shown here.
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
  return { position, mine: held && isChecklist(position) };
}

const recordsPerLook = 100;
const mostRecords = 1_000;

/** The item that an agent or a batch settled last, found from the end of the journal; what the engine proved by itself is no news. */
async function lastCompleted({ engine }: ToolCall, handle: RunHandle): Promise<StatusExtras["lastCompleted"] | undefined> {
  const lists = new Set(begunRuns(handle).map((run) => run.lists.files));
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
      return { action: actionWord(data), file: row?.parent ?? move.root, item, status: move.to };
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
    const open = async (state: "pending" | "in_progress"): Promise<boolean> =>
      (await engine.store.selectItems(handle.id, { list: row.list, query: { parent: row.id, status: state }, limit: 1 })).length > 0;
    page.push({
      path: row.id,
      status: row.status === "failed" ? "blocked" : row.status,
      findings: findings.get(row.id) ?? 0,
      changes: changes.get(row.id) ?? 0,
      checklistComplete: !(await open("pending")) && !(await open("in_progress")),
      ...(workflow === undefined ? {} : { workflow }),
    });
  }
  const last = more ? page.at(-1) : undefined;
  return { page, ...(last === undefined ? {} : { next: cursorOf(last) }) };
}

interface FileRow {
  readonly row: Awaited<ReturnType<ToolCall["engine"]["store"]["selectItems"]>>[number];
  readonly workflow?: string;
}

async function fileRowsAfter(
  { store }: ToolCall["engine"],
  handle: RunHandle,
  after: string | undefined,
): Promise<{ readonly rows: readonly FileRow[]; readonly more: boolean }> {
  const [own, ...called] = begunRuns(handle).map(({ main, definition, lists }) => ({
    list: lists.files,
    ...(main ? {} : { workflow: definition.type }),
  }));
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
  const all = [own, ...called];
  const rows: FileRow[] = [];
  for (const { list, workflow } of all.slice(all.indexOf(from))) {
    const limit = filesPerPage + 1 - rows.length;
    if (limit <= 0) break;
    const start = list === from.list && before !== undefined ? { after: before.order } : {};
    const part = await store.selectItems(handle.id, { list, query: { facets: { kind: "file" } }, limit, ...start });
    rows.push(...part.map((row) => (workflow === undefined ? { row } : { row, workflow })));
  }
  return { rows: rows.slice(0, filesPerPage), more: rows.length > filesPerPage };
}

async function countByFile(
  rows: ReturnType<ReturnType<typeof checklistRows>["findings"]>,
  paths: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { data } of rows) {
    const file = isObject(data) ? data["file"] : undefined;
    if (typeof file === "string" && paths.has(file)) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}
