import { defined, isObject } from "../../../base/index.ts";
import { checklistsOf, requireChecklist } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { ChecklistRow } from "./row-kinds.ts";

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
  readonly row: ChecklistRow;
  /** The workflow it belongs to, when it is one that the run's own workflow called. */
  readonly workflow?: string;
}

const page = 1_000;

/** Rows of a run with a checklist, file by file in the order in which they are worked on, a page at a time. */
export async function* selectRows(context: EngineContext, run: string, wish: RowWish): AsyncGenerator<SelectedRow, void, undefined> {
  const handle = await context.runs.open(run);
  const checklists = checklistsOf(handle);
  if (checklists.length === 0) requireChecklist(handle);
  const { kinds, status, types, files } = wish;
  const matches = files.length === 0 ? () => true : await context.workspace.matcher(files);
  const fits = (row: ChecklistRow): boolean =>
    kinds.some((kind) => kind === row.facets["kind"]) &&
    (status === undefined || row.status === status) &&
    (types.length === 0 || typesOf(row).some((type) => types.includes(type)));
  for (const list of await context.store.itemLists(run)) {
    const checklist = checklists.find(({ lists }) => lists.files === list);
    if (checklist === undefined) continue;
    const workflow = checklist.main ? {} : { workflow: checklist.definition.type };
    for await (const file of rowsIn(context, run, list, { facets: { kind: "file" } })) {
      if (!matches(file.id)) continue;
      if (fits(file)) yield { row: file, ...workflow };
      if (kinds.every((kind) => kind === "file")) continue;
      for await (const row of rowsIn(context, run, list, { parent: file.id })) if (fits(row)) yield { row, ...workflow };
    }
  }
}

function typesOf({ facets, data }: ChecklistRow): readonly string[] {
  const named = isObject(data) ? data["type"] : undefined;
  return [facets["type"], facets["seed"], facets["object"], named].filter((type) => typeof type === "string");
}

type Query = Parameters<EngineContext["store"]["selectItems"]>[1]["query"];

async function* rowsIn(context: EngineContext, run: string, list: string, query: Query): AsyncGenerator<ChecklistRow, void, undefined> {
  let after: string | undefined;
  for (;;) {
    const rows = await context.store.selectItems(run, { list, query, limit: page, ...defined({ after }) });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.order;
  }
}
