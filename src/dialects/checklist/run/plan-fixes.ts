import { fieldOf, isObject, textOf } from "../../../base/index.ts";
import { encodeText } from "../../../scan/index.ts";
import type { FileEdit, FileScan, Instance } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";
import type { LeftOut, PlannedFile, PlannedItem } from "./batch-plan.ts";
import type { InRun } from "./checklist-run.ts";
import { instanceId } from "./file-rows.ts";
import { instancesOf, reconcile } from "./reconcile.ts";
import { scanRunFiles } from "./scan-run-files.ts";
import { reportedInstance, toolOfRow } from "./tool-rows.ts";

/**
 * The edits of all wanted rows, each bound to what its file holds now. What changes together is planned together. The files are looked at as they
 * would be afterwards, and what does not come out as planned is left out: a fix that would be found again, and one that would take away something
 * that is not planned.
 */
export async function planFixes(
  planning: InRun,
  byFile: ReadonlyMap<string, readonly Item[]>,
  leftOut: LeftOut[],
): Promise<readonly PlannedFile[]> {
  const drafts: Draft[] = [];
  for await (const scan of scanRunFiles(planning, [...byFile.keys()]))
    drafts.push(await draftOf(planning, scan, byFile.get(scan.path) ?? []));
  for (let open: readonly Draft[] = drafts; open.length > 0;) {
    for (const draft of open) await planEdits(planning, draft);
    open = await unfit(planning, open);
  }
  for (const { path, out } of drafts)
    for (const [row, reason] of out) leftOut.push({ file: path, line: plannedItem(row, "").line, reason });
  return drafts.flatMap(({ path, edit, chosen }) =>
    edit === undefined ? [] : [{ path, edit, items: inOrder(chosen).map(([row, instance]) => itemOf(row, instance)) }],
  );
}

/** One file while its edits are planned. */
interface Draft {
  readonly path: string;
  readonly scan: FileScan;
  /** All rows of instances in the file. */
  readonly rows: readonly Item[];
  /** The instance of each row that is still there. */
  readonly found: ReadonlyMap<string, Instance>;
  readonly chosen: Map<Item, Instance>;
  /** Wanted and not planned, with the reason. */
  readonly out: Map<Item, string>;
  edit?: FileEdit;
}

async function draftOf({ context, handle, run }: InRun, scan: FileScan, wanted: readonly Item[]): Promise<Draft> {
  const below = await context.store.selectItems(handle.id, { list: run.lists.files, query: { parent: scan.path }, limit: 1_000_000 });
  const rows = below.filter((row) => row.facets["kind"] === "instance");
  const found = instancesOf(rows, scan.instances);
  const draft: Draft = { path: scan.path, scan, rows, found, chosen: new Map(), out: new Map() };
  const asked = new Set(wanted.map(({ id }) => id));
  // What patterns found comes first: its edits can be made again at any time, those of tools cannot.
  const ordered = rows.filter(({ id }) => asked.has(id)).toSorted((a, b) => Number(isOfTool(a)) - Number(isOfTool(b)));
  for (const row of ordered) {
    const tool = toolOfRow(row);
    const instance = tool === undefined ? found.get(row.id) : reportedInstance(row, scan.hash);
    if (instance === undefined)
      draft.out.set(row, tool === undefined ? "It is no longer there." : `The file changed since ${tool} looked at it.`);
    else if (instance.edits === undefined || !instance.auto) draft.out.set(row, instance.why ?? "There is no certain rewrite.");
    else if (row.facets["flag"] === "yes") draft.out.set(row, flagged);
    else if (tool !== undefined && touches(draft, instance)) draft.out.set(row, "Its change touches that of another instance.");
    else draft.chosen.set(row, instance);
  }
  takeAlong(draft);
  return draft;
}

function isOfTool(row: Item): boolean {
  return toolOfRow(row) !== undefined;
}

/** Of edits that touch each other at most one is planned. */
function touches({ chosen }: Draft, { edits = [] }: Instance): boolean {
  const taken = [...chosen.values()].flatMap((instance) => instance.edits ?? []);
  return edits.some((edit) => taken.some(({ start, end }) => start <= edit.end && edit.start <= end));
}

const flagged = "It is flagged for review.";

/** What changes together with a chosen instance is chosen too; where that cannot be, none of them is. */
function takeAlong({ scan, rows, found, chosen, out }: Draft): void {
  const rowOf = new Map(rows.map((row) => [found.get(row.id), row]));
  for (const group of new Set([...chosen.values()].flatMap(({ together }) => together ?? []))) {
    const members = scan.instances.filter(({ together }) => together === group);
    const hurdle = members.map((member) => hurdleOf(member, rowOf.get(member))).find((why) => why !== undefined);
    for (const member of members) {
      const row = rowOf.get(member);
      if (row === undefined) continue;
      if (hurdle === undefined) chosen.set(row, member);
      else if (chosen.delete(row)) out.set(row, `It is changed together with ${hurdle}`);
    }
  }
}

/** Why an instance cannot be changed with others; undefined when it can. */
function hurdleOf({ line }: Instance, row: Item | undefined): string | undefined {
  if (row === undefined) return `line ${line}, which is new since the scan.`;
  if (row.facets["flag"] === "yes") return `line ${line}, which is flagged for review.`;
  return row.status === "pending" || row.status === "failed" ? undefined : `line ${line}, which is ${row.status}.`;
}

async function planEdits({ context }: InRun, draft: Draft): Promise<void> {
  const { path, scan, chosen } = draft;
  delete draft.edit;
  if (chosen.size === 0 || scan.hash === undefined) return;
  const edits = [...chosen.values()].flatMap((instance) => instance.edits ?? []);
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const edit = await context.workspace.planEdit(context.host.workspace, path, scan.hash, sorted);
  if (edit === undefined) leave(draft, [...chosen.keys()], changedMeanwhile);
  else draft.edit = edit;
}

const changedMeanwhile = "It changed while the batch was planned.";

/** Looks at the files as they would be; those from which something was taken out are planned once more. */
async function unfit(planning: InRun, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  const planned = new Map(drafts.map((draft) => [draft.path, draft]));
  const edits = drafts.flatMap(({ edit }) => edit ?? []);
  const again: Draft[] = [];
  const paths = edits.map(({ path }) => path);
  for await (const after of scanRunFiles(planning, paths, { edits })) {
    const draft = planned.get(after.path);
    if (draft !== undefined && takeOut(planning, draft, after)) again.push(draft);
  }
  return again;
}

/** Whether something had to be taken out. What a tool found is not looked for here: the tool itself is asked afterwards. */
function takeOut({ context, run }: InRun, draft: Draft, after: FileScan): boolean {
  const { chosen, found, rows, path } = draft;
  const before = chosen.size;
  if (after.hash === undefined) leave(draft, [...chosen.keys()], changedMeanwhile);
  const own = rows.filter((row) => fieldOf(row.data, "tool") === "");
  const kept = new Set(after.instances.map(({ pattern, type, start }) => `${pattern}\0${type}\0${start}`));
  for (const row of own) {
    const instance = chosen.get(row);
    if (instance !== undefined && kept.has(`${instance.pattern}\0${instance.type}\0${placeAfter(draft, instance.start)}`))
      leave(draft, [row], "It would be found again after its change.");
  }
  const converted = new Set([...chosen.keys()].map(({ id }) => id));
  const id = (instance: Instance, ordinal: number): string => instanceId(context, path, instance, ordinal);
  const { change } = reconcile({ definition: run.definition, list: run.lists.files, scan: after, order: "1", rows: own, converted, id });
  const gone = new Set(change.moves.flatMap((move) => (move.to === "skipped" && move.from !== "skipped" ? [move.id] : [])));
  for (const row of own) {
    const lost = found.get(row.id);
    if (lost === undefined || !gone.has(row.id)) continue;
    const near = [...chosen].filter(([, instance]) =>
      (instance.edits ?? []).some(({ start, end }) => start <= lost.end && end >= lost.start),
    );
    const guilty = near.length === 0 ? [...chosen] : near;
    const why = `Its change also takes away line ${lost.line} (\`${lost.type}\`), which this batch does not settle.`;
    leave(
      draft,
      guilty.map(([each]) => each),
      why,
    );
  }
  return chosen.size < before;
}

/** Where a byte of the file is after the planned edits. */
function placeAfter({ edit, scan }: Draft, offset: number): number {
  let place = offset;
  for (const { start, end, text } of edit?.edits ?? [])
    if (end <= offset && start < offset) place += encodeText(text, scan.encoding ?? "utf-8").length - (end - start);
  return place;
}

/** Takes rows out, and with them what would have changed together with them. */
function leave({ chosen, out }: Draft, rows: readonly Item[], why: string): void {
  const groups = new Set(rows.flatMap((row) => chosen.get(row)?.together ?? []));
  for (const [row, { together }] of chosen)
    if (rows.includes(row) || (together !== undefined && groups.has(together))) {
      chosen.delete(row);
      out.set(row, why);
    }
}

/** What a preview shows of a row. */
export function plannedItem(row: Item, after: string): PlannedItem {
  const data = isObject(row.data) ? row.data : {};
  return {
    id: row.id,
    line: Number(data["line"] ?? 0),
    type: row.facets["type"] ?? "",
    ...seedOf(row),
    before: textOf(data["text"] ?? ""),
    after,
  };
}

function inOrder(chosen: Draft["chosen"]): readonly (readonly [Item, Instance])[] {
  return [...chosen].toSorted(([, a], [, b]) => a.start - b.start || a.end - b.end);
}

function itemOf(row: Item, { line, text, type, suggestion = "" }: Instance): PlannedItem {
  return { id: row.id, line, type, ...seedOf(row), before: text, after: suggestion };
}

function seedOf({ facets: { type, seed } }: Item): { readonly seed?: string } {
  return seed === undefined || seed === type ? {} : { seed };
}
