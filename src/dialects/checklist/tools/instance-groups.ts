import { isObject, type JsonObject, counted, cutText, grouped } from "../../../base/index.ts";
import { requireChecklist, runNamed, selectInstances, type BatchFilter } from "../run/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import type { Item } from "../../../program/index.ts";
import { callText } from "../../../views/index.ts";
import { listReply, plainText, type Reply, type ToolCall } from "../../../mcp/index.ts";
import { wrong } from "./batch-arguments.ts";

const groupsPerPage = 20;

interface Group {
  readonly type: string;
  readonly seed: string;
  readonly fix: string;
  readonly text: string;
  readonly first: { readonly file: string; readonly line: number };
  count: number;
  readonly files: Set<string>;
}

/** Instances with the same type and the same text, the most frequent first, a page at a time. Changes nothing. */
export async function groupReply(call: ToolCall, run: string, filter: BatchFilter, after: string | undefined): Promise<Reply> {
  const from = Number(after ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) throw wrong("`after` must be the number that the last page gave");
  const handle = await call.engine.runs.open(run);
  const groups = [...(await groupsOf(call, handle, filter)).values()].toSorted((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  const instances = groups.reduce((sum, group) => sum + group.count, 0);
  const page = groups.slice(from, from + groupsPerPage);
  const only = Object.keys(filter).length === 0 ? {} : { filter: filter as JsonObject };
  const rest = (next: number): Reply => {
    const more = { tool: "workflow_batch", arguments: { run_id: run, operation: "group_by_type", ...only, after: String(next) } };
    return { text: `More: ${callText(more)}`, data: { next_call: more } };
  };
  const later = groups.length > from + page.length ? rest(from + page.length) : undefined;
  return listReply(call, {
    head: `${counted(groups.length, "group")} of ${counted(instances, "instance")} in ${run}${groups.length > page.length ? `, from ${grouped(from + 1)} on` : ""}`,
    key: "groups",
    entries: page.map(dataOf),
    line: ({ count, instance_type: type, files, needs, text }) =>
      `- ${plainText(count)} × ${plainText(type)} in ${plainText(files)} files (${plainText(needs)}): ${plainText(text)}`,
    data: { session_id: run, operation: "group_by_type", total_groups: groups.length, total_instances: instances, ...later?.data },
    more: (_last, left) => rest(from + page.length - left),
    tail: later?.text ?? "",
  });
}

function dataOf({ type, seed, fix, text, first, count, files }: Group): JsonObject {
  return {
    ...(seed === type || seed === "" ? { instance_type: type } : { instance_type: seed, precise_type: type }),
    needs: fix,
    text: cutText(text, 160),
    count,
    files: files.size,
    first: { ...first },
  };
}

async function groupsOf({ engine }: ToolCall, handle: RunHandle, filter: BatchFilter): Promise<ReadonlyMap<string, Group>> {
  requireChecklist(handle);
  const groups = new Map<string, Group>();
  const planning = { context: engine, handle, run: runNamed(handle, filter.workflow) };
  for await (const row of selectInstances(planning, filter)) add(groups, row);
  return groups;
}

function add(groups: Map<string, Group>, { facets, parent: file = "", data: held }: Item): void {
  const { type = "", seed = "", fix = "" } = facets;
  const data = isObject(held) ? held : {};
  const text = plainText(data["text"]).replace(/\s+/g, " ").trim();
  const key = `${type}\0${fix}\0${text}`;
  const first = { file, line: Number(data["line"] ?? 0) };
  const group: Group = groups.get(key) ?? { type, seed, fix, text, first, count: 0, files: new Set() };
  group.count += 1;
  group.files.add(file);
  groups.set(key, group);
}
