import { facetValues, groupBy, inPages } from "./run-rows.ts";
import { defined, type JsonObject } from "../../../base/index.ts";
import type { Holder } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import type { BatchOperation, BatchPlan, LeftOut, PlannedFile } from "./batch-plan.ts";
import { type ChecklistRun, heldReason, isHeld, isHeldByOther, rulesHash, runOfPlan, type InRun } from "./checklist-run.ts";
import { editsInText } from "./edits-in-text.ts";
import { secretsOf } from "./hide-secrets.ts";
import { planChanges } from "./plan-changes.ts";
import { byEngine } from "./file-rows.ts";
import { planFixes, plannedItem } from "./plan-fixes.ts";
import { unifiedDiff } from "../../../views/index.ts";

/** Which instances a batch is about. Every part narrows it. */
export interface BatchFilter {
  /** Precise or older names. */
  readonly instance_types?: readonly string[];
  readonly file_patterns?: readonly string[];
  readonly auto_fixable_only?: boolean;
  readonly status?: "pending" | "in_progress" | "failed" | "settled";
  readonly guide?: string;
  readonly version_step?: string;
  /** One of the workflows that the run calls, or its own; without it the one at work. */
  readonly workflow?: string;
}

export interface Planned {
  readonly plan: BatchPlan;
  readonly leftOut: readonly LeftOut[];
}

const page = 2_000;

export async function planBatch(
  planning: InRun,
  request: { readonly operation: BatchOperation; readonly filter: BatchFilter; readonly reason?: string; readonly holder: Holder },
): Promise<Planned> {
  const { context, run } = planning;
  const { operation, filter } = request;
  if (operation === "apply_changes") return planChanges(planning);
  const leftOut: LeftOut[] = [];
  const edits = operation === "apply_fixes";
  const rows: Item[] = [];
  for await (const row of meantInstances(planning, filter, request.holder)) {
    const file = row.parent ?? "";
    const taken = edits ? isHeld(planning.handle, file) : isHeldByOther(planning.handle, file, request.holder);
    if (taken) leftOut.push({ file, line: plannedItem(row, "").line, reason: heldReason });
    else rows.push(row);
  }
  const free = groupBy(rows, ({ parent = "" }) => parent);
  const files = edits ? await planFixes(planning, free, leftOut) : await marks(context, free);
  const items = files.flatMap((file) => file.items);
  const byType: Record<string, number> = {};
  for (const { type } of items) byType[type] = (byType[type] ?? 0) + 1;
  const plan: BatchPlan = {
    operation,
    filter: filter as unknown as JsonObject,
    rules: await rulesHash(context, run),
    files,
    instances: items.length,
    byType,
    ...(request.reason === undefined ? {} : { reason: request.reason }),
    ...(run.main ? {} : { workflow: run.definition.type }),
  };
  return { plan, leftOut };
}

/** A filter without a status means what waits, and what others have open: that is left out by name, not passed over in silence. */
async function* meantInstances(planning: InRun, filter: BatchFilter, holder: Holder): AsyncGenerator<Item, void, undefined> {
  yield* selectInstances(planning, filter);
  if (filter.status !== undefined) return;
  for await (const row of selectInstances(planning, { ...filter, status: "in_progress" }))
    if (isHeldByOther(planning.handle, row.parent ?? "", holder)) yield row;
}

/** Rows of instances that the filter means, in order. */
export async function* selectInstances({ context, handle, run }: InRun, filter: BatchFilter): AsyncGenerator<Item, void, undefined> {
  const { status = "pending", file_patterns: globs = [], instance_types: named = [], guide, version_step: step } = filter;
  const facets = defined({
    kind: "instance",
    settled: status === "settled" ? byEngine : undefined,
    fix: filter.auto_fixable_only === true ? "auto" : undefined,
    guide: guide === undefined ? undefined : guideId(handle, run, guide),
    step: step === undefined ? undefined : stepName(step),
  });
  const types = named.map((type) => (type === "system_function" ? "getlasterror" : type));
  const fits = await context.workspace.matcher(globs);
  const wanted = ({ facets: own, parent = "" }: Item): boolean =>
    (types.length === 0 || types.includes(own["type"] ?? "") || types.includes(own["seed"] ?? "")) && (globs.length === 0 || fits(parent));
  const select = { list: run.lists.files, query: { status: status === "settled" ? ("skipped" as const) : status, facets } };
  for await (const row of inPages((part) => context.store.selectItems(handle.id, { ...select, ...part }), page)) if (wanted(row)) yield row;
}

/** A guide may be named with or without its folder. */
function guideId({ state }: RunHandle, { lists }: ChecklistRun, name: string): string {
  const known = facetValues(state, lists.files, "guide");
  return known.find((id) => id === name || id.endsWith(`/${name}`)) ?? name;
}

/** `BC23→BC24`, `23->24` and `BC23-24` are `BC23-BC24`. */
export function stepName(text: string): string {
  const numbers = [...text.matchAll(/\d+(?:\.\d+)?/g)].map((match) => Math.floor(Number(match[0])));
  return numbers.length >= 2 ? `BC${numbers[0]}-BC${numbers[1]}` : text;
}

const typesNamed = 12;

/** What the filter names that the run does not have, and what it has instead; undefined when every part exists by itself. */
export function whyNothing(
  { handle, run }: InRun,
  { instance_types: named = [], guide, version_step: step }: BatchFilter,
): string | undefined {
  const known = (facet: string): string[] => facetValues(handle.state, run.lists.files, facet);
  const types = known("type");
  if (types.length === 0) return "The scan found no instances at all.";
  const missing = (what: string, wanted: readonly string[], have: readonly string[]): string[] =>
    wanted.length === 0
      ? []
      : [
          `There is no ${what} ${wanted.map((each) => `\`${each}\``).join(", ")} here${have.length === 0 ? "" : `; there are ${have.slice(0, typesNamed).join(", ")}`}.`,
        ];
  const seeds = known("seed");
  const strange = named.filter((type) => type !== "system_function" && !types.includes(type) && !seeds.includes(type));
  const lines = [
    ...missing("type", strange, types),
    ...missing("guide", guide === undefined || known("guide").includes(guideId(handle, run, guide)) ? [] : [guide], known("guide")),
    ...missing("version step", step === undefined || known("step").includes(stepName(step)) ? [] : [stepName(step)], known("step")),
  ];
  return lines.length === 0 ? undefined : lines.join(" ");
}

async function marks({ workspace, host }: EngineContext, byFile: ReadonlyMap<string, readonly Item[]>): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const [path, rows] of byFile) {
    const content = (await workspace.read(host.workspace, path))?.hash;
    files.push({ path, ...(content === undefined ? {} : { content }), items: rows.map((row) => plannedItem(row, "")) });
  }
  return files;
}

/** The whole difference that a planned batch makes. Files that changed since the plan was made are named as such. */
export async function diffBatch(context: EngineContext, id: string, plan: BatchPlan): Promise<string> {
  const handle = await context.runs.open(id);
  const of: InRun = { context, handle, run: runOfPlan(handle, plan) };
  const parts: string[] = [];
  for (const { path, edit } of plan.files) if (edit !== undefined) parts.push(await fileDiff(of, path, edit));
  return parts.length === 0 ? "" : `${parts.join("\n")}\n`;
}

type Edit = NonNullable<BatchPlan["files"][number]["edit"]>;

async function fileDiff(of: InRun, path: string, edit: Edit): Promise<string> {
  const { workspace, host } = of.context;
  const [read, raw] = [await workspace.readText(host.workspace, path), await workspace.read(host.workspace, path)];
  if (read === undefined || raw === undefined || raw.hash !== edit.before || read.hash !== edit.before)
    return `--- a/${path}\n+++ b/${path}\n(changed while the difference was made)`;
  const hide = await secretsOf(of, path, read.text);
  return hide(unifiedDiff(path, read.text, editsInText(raw.bytes, read.encoding, edit.edits)));
}
