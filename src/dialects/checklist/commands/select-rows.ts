import { isObject } from "../../../base/index.ts";
import { checklistsOf, inPages, requireChecklist, rulesOf } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { Item, ItemQuery } from "../../../program/index.ts";
import type { ReportedRule } from "../../../findings/index.ts";
import { workflowRules } from "./workflow-rules.ts";

export type RowKind = "file" | "entry" | "topic" | "instance";

/** Which rows of a run are meant; every part narrows it. */
export interface RowWish {
  readonly kinds: readonly RowKind[];
  readonly status?: string;
  /** Precise or older names. */
  readonly types: readonly string[];
  readonly files: readonly string[];
}

export interface SelectedRow {
  readonly row: Item;
  /** The workflow it belongs to, when it is one that the run's own workflow called. */
  readonly workflow?: string;
  /** Those of its workflow. */
  readonly rules: ReadonlyMap<string, ReportedRule>;
}

const page = 1_000;

/** Rows of a run with a checklist, file by file in the order in which they are worked on, a page at a time. */
export async function* selectRows(context: EngineContext, run: string, wish: RowWish): AsyncGenerator<SelectedRow, void, undefined> {
  const handle = await context.runs.open(run);
  const checklists = checklistsOf(handle);
  if (checklists.length === 0) requireChecklist(handle);
  const { kinds, status, types, files } = wish;
  const matches = files.length === 0 ? () => true : await context.workspace.matcher(files);
  const fits = (row: Item): boolean =>
    kinds.some((kind) => kind === row.facets["kind"]) &&
    (status === undefined || row.status === status) &&
    (types.length === 0 || typesOf(row).some((type) => types.includes(type)));
  for (const list of await context.store.itemLists(run)) {
    const checklist = checklists.find(({ lists }) => lists.files === list);
    if (checklist === undefined) continue;
    const rules = new Map(workflowRules(rulesOf(checklist).patterns).map((rule) => [rule.id, rule]));
    const about = checklist.main ? { rules } : { rules, workflow: checklist.definition.type };
    const rowsIn = (query: ItemQuery): AsyncIterable<Item> =>
      inPages((part) => context.store.selectItems(run, { list, query, ...part }), page);
    for await (const file of rowsIn({ facets: { kind: "file" } })) {
      if (!matches(file.id)) continue;
      if (fits(file)) yield { row: file, ...about };
      if (kinds.every((kind) => kind === "file")) continue;
      for await (const row of rowsIn({ parent: file.id })) if (fits(row)) yield { row, ...about };
    }
  }
}

function typesOf({ facets, data }: Item): readonly string[] {
  const named = isObject(data) ? data["type"] : undefined;
  return [facets["type"], facets["seed"], facets["object"], named].filter((type) => typeof type === "string");
}
