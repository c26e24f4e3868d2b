import { groupBy } from "./run-rows.ts";
import { fieldOf, isObject } from "../../../base/index.ts";
import type { ByteEdit } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";
import type { BatchPlan, LeftOut, PlannedFile, PlannedItem } from "./batch-plan.ts";
import { heldReason, isHeld, rulesHash, type InRun } from "./checklist-run.ts";
import type { Planned } from "./plan-batch.ts";

/**
 * Changes that agents proposed and marked as safe to apply. Each is bound to the code it replaces: when that code is not at its
 * place exactly once, or two changes touch each other, the change is left out with the reason.
 */
export async function planChanges({ context, handle, run }: InRun): Promise<Planned> {
  const rows = await context.store.selectItems(handle.id, {
    list: run.lists.changes,
    query: { status: "pending", facets: { auto: "yes" } },
    limit: 100_000,
  });
  const byFile = groupBy(rows, (row) => fieldOf(row.data, "file"));
  const leftOut: LeftOut[] = [];
  const files: PlannedFile[] = [];
  for (const [path, changes] of byFile) {
    const planned = await planFile({ context, handle, run }, path, changes, (row, reason) =>
      leftOut.push({ file: path, line: Number(isObject(row.data) ? (row.data["line_start"] ?? 0) : 0), reason }),
    );
    if (planned !== undefined) files.push(planned);
  }
  const instances = files.reduce((sum, file) => sum + file.items.length, 0);
  const plan: BatchPlan = {
    operation: "apply_changes",
    filter: {},
    rules: await rulesHash(context, run),
    files,
    instances,
    byType: instances === 0 ? {} : { proposed_change: instances },
  };
  return { plan, leftOut };
}

async function planFile(
  { context, handle }: InRun,
  path: string,
  changes: readonly Item[],
  out: (row: Item, reason: string) => void,
): Promise<PlannedFile | undefined> {
  const root = context.host.workspace;
  const read = await context.workspace.readText(root, path);
  const refuse = (reason: string): undefined => {
    for (const row of changes) out(row, reason);
    return undefined;
  };
  if (read === undefined) return refuse("The file is gone.");
  if (isHeld(handle, path)) return refuse(heldReason);
  const taken: { readonly start: number; readonly end: number }[] = [];
  const edits: ByteEdit[] = [];
  const items: PlannedItem[] = [];
  for (const row of changes) {
    const place = placeOf(read.text, row);
    if (typeof place === "string") out(row, place);
    else if (taken.some((other) => place.start < other.end && other.start < place.end)) out(row, "It touches another proposed change.");
    else {
      const { start, end, text, line } = place;
      taken.push(place);
      edits.push({ start, end, text });
      items.push({ id: row.id, line, type: "proposed_change", before: read.text.slice(start, end), after: text });
    }
  }
  if (items.length === 0) return undefined;
  const edit = await context.workspace.planTextEdit(
    root,
    path,
    read.hash,
    edits.toSorted((a, b) => a.start - b.start),
  );
  return edit === undefined ? refuse("It changed while the changes were planned.") : { path, edit, items };
}

/** Offsets of the code that is replaced, in the text; a sentence when it is not there as the agent saw it. */
function placeOf(
  content: string,
  row: Item,
): { readonly start: number; readonly end: number; readonly text: string; readonly line: number } | string {
  const original = fieldOf(row.data, "original_code");
  if (original === "") return "It does not say which code it replaces.";
  const newline = content.includes("\r\n") ? "\r\n" : "\n";
  const wanted = original.replace(/\r?\n/g, newline);
  const from = isObject(row.data) && typeof row.data["line_start"] === "number" ? row.data["line_start"] : 0;
  const places: number[] = [];
  for (let at = content.indexOf(wanted); at >= 0 && places.length < 50; at = content.indexOf(wanted, at + 1)) places.push(at);
  const lineOf = (at: number): number => content.slice(0, at).split("\n").length;
  const exact = places.filter((at) => lineOf(at) === from);
  const chosen = exact.length === 1 ? exact[0] : places.length === 1 ? places[0] : undefined;
  if (places.length === 0) return "The code it replaces is not there any more.";
  if (chosen === undefined) return `The code it replaces is there ${places.length} times, and not once at line ${from}.`;
  return {
    start: chosen,
    end: chosen + wanted.length,
    text: fieldOf(row.data, "proposed_code").replace(/\r?\n/g, newline),
    line: lineOf(chosen),
  };
}
