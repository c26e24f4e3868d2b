import { defined, textOf, shorten } from "../../../base/index.ts";
import { checklistOf, checklistsOf } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { renderTable, type Desk, type Given, type Output } from "../../../cli/index.ts";
import { rowLine } from "./instance-line.ts";
import { selectRows, type RowKind, type RowWish, type SelectedRow } from "./select-rows.ts";

const textShown = 70;
const everyKind: readonly RowKind[] = ["file", "entry", "topic", "instance"];

/** Undefined for a run without a checklist. */
export async function listItems(
  { session: { out }, context }: Pick<Desk, "session" | "context">,
  run: string,
  options: Given["options"],
): Promise<number | undefined> {
  if (checklistsOf(await context.runs.open(run)).length === 0) return undefined;
  const wish: RowWish = {
    kinds: await kindsOf(context, run, options["kind"]),
    types: options["type"] ?? [],
    files: options["file"] ?? [],
    ...defined({ status: options["status"] as string | undefined }),
  };
  return (out.json ? printLines : printTable)(out, selectRows(context, run, wish));
}

/** What patterns found is what most people ask for; a workflow without patterns has only its checklist. */
async function kindsOf(context: EngineContext, run: string, kind: string | undefined): Promise<readonly RowKind[]> {
  const handle = await context.runs.open(run);
  if (kind === "all") return everyKind;
  const named = everyKind.find((each) => each === kind);
  if (named !== undefined) return [named];
  const own = checklistOf(handle);
  const kinds = (own === undefined ? checklistsOf(handle) : [own]).flatMap(({ definition }): readonly RowKind[] =>
    definition.patterns.enabled ? ["instance"] : ["entry", "topic"],
  );
  return [...new Set(kinds)];
}

/** Rows after which the reader is waited for, so that nothing piles up. */
const flushedEach = 500;

async function printLines(out: Output, rows: AsyncIterable<SelectedRow>): Promise<number> {
  let count = 0;
  out.beginList();
  for await (const { row, rules, workflow } of rows) {
    out.entry(rowLine(row, rules, workflow));
    count += 1;
    if (count % flushedEach === 0) await out.flush();
  }
  return count;
}

/** A file at a time, so that columns can be aligned without keeping everything. */
async function printTable(out: Output, rows: AsyncIterable<SelectedRow>): Promise<number> {
  let [count, file] = [0, ""];
  let held: string[][] = [];
  const show = async (): Promise<void> => {
    if (held.length > 0) out.line(out.paint("bold", file));
    for (const line of renderTable(held)) out.line(line);
    held = [];
    await out.flush();
  };
  for await (const { row, rules, workflow } of rows) {
    const line = rowLine(row, rules, workflow);
    const text = (name: string): string => (typeof line[name] === "string" ? line[name] : "");
    if (text("file") !== file) await show();
    file = text("file");
    const place = typeof line["line"] === "number" ? `${line["line"]}:${textOf(line["column"])}` : text("entry");
    const why = text("reason") === "" ? "" : `(${shorten(text("reason"), textShown)})`;
    const state = text("label") === "" ? row.status : `${row.status}, ${text("label")}`;
    const called = workflow === undefined ? [] : [`[${workflow}]`];
    held.push([`  ${place}`, text("type"), state, shorten(text("text").replace(/\s+/g, " "), textShown), why, ...called]);
    count += 1;
  }
  await show();
  return count;
}
