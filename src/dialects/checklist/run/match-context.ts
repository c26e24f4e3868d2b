import { fieldOf, isObject, type JsonObject } from "../../../base/index.ts";
import type { ChecklistRows } from "../definition/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import type { Item } from "../../../program/index.ts";
import { begunRuns, type InRun } from "./checklist-run.ts";
import { secretsOf } from "./hide-secrets.ts";

const linesAround = 2;

/** Rows whose instances carry the lines around them, as the files are now; one that is not at its place any more has none. */
export function withMatchContext(context: EngineContext, handle: RunHandle, rows: ChecklistRows): ChecklistRows {
  const begun = begunRuns(handle);
  const [own] = begun;
  return {
    ...rows,
    rowsUnder: (file) => (own === undefined ? rows.rowsUnder(file) : withLines({ context, handle, run: own }, file, rows.rowsUnder(file))),
    called: () =>
      rows.called().map((part) => {
        const run = begun.find(({ definition, main }) => !main && definition.type === part.workflow);
        if (run === undefined) return part;
        return { ...part, rowsUnder: (file: string) => withLines({ context, handle, run }, file, part.rowsUnder(file)) };
      }),
  };
}

async function* withLines(of: InRun, file: string, rows: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  let lines: readonly string[] | undefined;
  for await (const row of rows) {
    const { data } = row;
    if (row.facets["kind"] === "instance" && isObject(data)) {
      lines ??= await linesOf(of, file);
      const context = around(lines, data);
      yield context === undefined ? row : { ...row, data: { ...data, context } };
    } else yield row;
  }
}

async function linesOf(of: InRun, file: string): Promise<readonly string[]> {
  const { workspace, host } = of.context;
  const read = await workspace.readText(host.workspace, file);
  if (read === undefined) return [];
  const hide = await secretsOf(of, file, read.text);
  return hide(read.text).split(/\r\n|\r|\n/);
}

function around(lines: readonly string[], data: JsonObject): string | undefined {
  const { line, end_line: end = line } = data;
  if (typeof line !== "number" || typeof end !== "number") return undefined;
  const [first = ""] = fieldOf(data, "text").split(/\r\n|\r|\n/);
  if (first === "" || lines[line - 1]?.includes(first) !== true) return undefined;
  return lines.slice(Math.max(0, line - 1 - linesAround), end + linesAround).join("\n");
}
