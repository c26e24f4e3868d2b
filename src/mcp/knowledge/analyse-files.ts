import { isList, isObject, type Json, type JsonObject } from "../../base/index.ts";
import { badArgument } from "../codes.ts";
import type { ToolCall } from "../tool.ts";

/** Files that one call analyses; a whole code base is the job of a workflow. */
const mostFiles = 50;
const topicsShown = 20;

export interface WantedCode {
  readonly files?: readonly string[] | undefined;
  readonly folder?: string | undefined;
  /** Which files of a folder count. */
  readonly globs: readonly string[];
}

/** Paths below the workspace, as they were named; a folder gives its files. Throws `MCP_BAD_ARGUMENT`. */
export async function codePaths({ engine }: ToolCall, tool: string, { files, folder, globs }: WantedCode): Promise<readonly string[]> {
  const root = engine.host.workspace;
  const relative = (path: string): string => {
    const plain = path.trim().replaceAll("\\", "/").replace(/^\.\//, "");
    if (plain === root || plain === "." || plain === "") return "";
    return plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain;
  };
  if (files !== undefined) {
    if (files.length === 0) throw badArgument(tool, ["`file_paths` must not be empty"], "paths inside the workspace");
    if (files.length > mostFiles)
      throw badArgument(tool, [`\`file_paths\` names ${files.length} files, and one call takes ${mostFiles}`], "fewer files");
    return files.map(relative);
  }
  const path = relative(folder ?? "");
  const found = await engine.workspace.inventory({
    root,
    patterns: globs,
    exclusions: [],
    scope: path === "" ? { kind: "workspace" } : { kind: "directory", path },
    priority: [],
    gitignore: true,
    maxFiles: mostFiles,
  });
  if (found.files.length === 0) {
    const why = found.problems[0]?.message ?? "It has no files of this kind.";
    throw badArgument(tool, [`\`workspace_path\` leads to nothing: ${why}`], "a folder inside the workspace");
  }
  return found.files.map((file) => file.path);
}

/** One analysis of several files: issues with their file, and each topic with its best relevance. */
export async function analyseFiles({ engine }: ToolCall, tool: string, paths: readonly string[], request: JsonObject): Promise<JsonObject> {
  const analyses: { readonly path: string; readonly found: JsonObject }[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const read = await engine.workspace.readText(engine.host.workspace, path);
    if (read === undefined) problems.push(`\`${path}\` cannot be read: it does not exist in the workspace, or is not text`);
    else analyses.push({ path, found: (await engine.knowledge.analyse({ code: read.text, path, ...request })) as unknown as JsonObject });
  }
  const [first] = analyses;
  if (first === undefined) throw badArgument(tool, problems.slice(0, 4), "paths of text files inside the workspace");
  if (paths.length === 1) return { file: first.path, ...first.found };
  return {
    files_analyzed: analyses.length,
    ...(problems.length === 0 ? {} : { problems: problems.slice(0, 8) }),
    analysis_type: first.found["analysis_type"] ?? "comprehensive",
    issues: analyses.flatMap(({ path, found }) => objectsIn(found, "issues").map((issue) => ({ file: path, ...issue }))),
    ...merged(analyses.map(({ found }) => found)),
  };
}

/** The objects of a list. */
export function objectsIn(held: JsonObject, name: string): readonly JsonObject[] {
  const value = held[name];
  return isList(value) ? value.filter(isObject) : [];
}

/** Of every topic and workflow the mention with the best relevance. */
function merged(all: readonly JsonObject[]): JsonObject {
  const rank = ({ relevance_score: score }: JsonObject): number => Number(score ?? 0);
  const best = (held: readonly JsonObject[], name: string, key: string): JsonObject[] => {
    const kept = new Map<Json | undefined, JsonObject>();
    for (const entry of held.flatMap((each) => objectsIn(each, name))) {
      const before = kept.get(entry[key]);
      if (before === undefined || rank(entry) > rank(before)) kept.set(entry[key], entry);
    }
    return [...kept.values()].toSorted((a, b) => rank(b) - rank(a));
  };
  // The list in it names the topics once more, in the form in which a run takes them.
  const integrations = all.map(({ workflow_integration: held }) => (isObject(held) ? held : {}));
  const joined = Object.entries(integrations[0] ?? {}).map(([name, value]): [string, Json] => {
    return [name, isList(value) ? best(integrations, name, "topic_id").slice(0, topicsShown) : value];
  });
  return {
    suggested_topics: best(all, "suggested_topics", "topic_id").slice(0, topicsShown),
    suggested_workflows: best(all, "suggested_workflows", "workflow_type"),
    workflow_integration: Object.fromEntries(joined),
  };
}
