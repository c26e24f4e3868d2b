import * as z from "zod";
import { defined, isList, type JsonObject, isObject, type Json, counted } from "../../base/index.ts";
import { heavyReply } from "../reply.ts";
import { joinLines, plainText } from "../reply-text.ts";
import { defineTool, hiddenText, partsOf, type Reply, type Tool, type ToolCall } from "../tool.ts";
import { badArgument } from "../codes.ts";

const version = z.union([z.string(), z.number()]).optional().meta({ hidden: true });
const number = z.number().optional().meta({ hidden: true });

const scope = { bc_version: version, source_version: version, target_version: version };

const analysisShape = z.object({
  code: z.string().optional().describe("Or by path, so that no file passes through you:"),
  file_path: z.string().optional(),
  file_paths: z.array(z.string()).optional(),
  workspace_path: z.string().optional().describe("A folder."),
  analysis_type: z.enum(["performance", "quality", "security", "patterns", "comprehensive"]).optional(),
  ...scope,
  suggest_workflows: z.boolean().optional().meta({ hidden: true }),
  min_relevance_score: number,
  limit: number,
  language: hiddenText,
});

function analysisTool(name: string, description: string, globs: readonly string[], language: string | undefined): Tool {
  return defineTool({
    name,
    toolsets: ["knowledge"],
    everywhere: true,
    description,
    returns:
      "`issues`, `suggested_topics`, `suggested_workflows`, `workflow_integration`; of several files `files_analyzed` and each issue's `file`",
    reads: true,
    shape: analysisShape,
    async run(call, args) {
      const { code, file_path, file_paths, workspace_path, ...wishes } = args;
      if (Object.keys(defined({ code, file_path, file_paths, workspace_path })).length !== 1) {
        const wrong = "it takes exactly one of `code`, `file_path`, `file_paths`, `workspace_path`";
        throw badArgument(name, [wrong], "one of them, analysis_type?");
      }
      const request = defined({ ...wishes, language: wishes.language ?? language }) as JsonObject;
      if (code !== undefined)
        return analysisReply(call, name, (await call.engine.knowledge.analyse({ code, ...request })) as unknown as JsonObject);
      const files = file_path === undefined ? file_paths : [file_path];
      if (files?.length === 0) throw badArgument(name, ["`file_paths` must not be empty"], "paths inside the workspace");
      if (files !== undefined && files.length > mostFiles)
        throw badArgument(name, [`\`file_paths\` names ${files.length} files, and one call takes ${mostFiles}`], "fewer files");
      const paths = files?.map((path) => belowWorkspace(call, path)) ?? (await filesIn(call, name, workspace_path ?? "", globs));
      return analysisReply(call, name, await analyseFiles(call, name, paths, request));
    },
  });
}

const signalsShown = 3;

/** Issues of a file in full; of the topics what differs, since their descriptions are in the payload. */
function analysisReply(call: ToolCall, tool: string, found: JsonObject): Promise<Reply> {
  const issues = objectsIn(found, "issues");
  const topics = objectsIn(found, "suggested_topics");
  const data = {
    ...found,
    suggested_topics: topics.map(({ description: _description, matched_signals: signals, ...topic }) => ({
      ...topic,
      matched_signals: isList(signals) ? signals.slice(0, signalsShown) : [],
    })),
  };
  return heavyReply(call, {
    head: `${counted(issues.length, "issue")}, ${counted(topics.length, "suggested topic")}`,
    data,
    heavy: ["issues", "suggested_topics", "workflow_integration"],
    render: (shown) =>
      [
        ...objectsIn(shown, "issues").map(issueLine),
        ...objectsIn(shown, "suggested_topics").map(topicLine),
        ...(topics.length === 0 ? [] : partsOf(call.dialects, tool).flatMap(({ hint }) => hint ?? [])),
      ].join("\n"),
    // The code may have come with the call, which is then too long to be repeated in the reply.
    wholeFile: () => call.engine.host.views.write(`analyses/${call.engine.host.randomText(8)}.json`, JSON.stringify(found, null, 2)),
  });
}

function issueLine({ file, line, severity, description, suggestion }: JsonObject): string {
  const place = `${file === undefined ? "" : `${plainText(file)}:`}${plainText(line)}`;
  return `- ${plainText(severity)} ${place} ${plainText(description)} ${plainText(suggestion)}`.trimEnd();
}

function topicLine({ topic_id: id, relevance_score: score, title }: JsonObject): string {
  return `Topic ${plainText(id)} (${plainText(score)}): ${plainText(title)}`;
}

const retrievalShape = z.object({
  topic_id: z.string().optional(),
  query: z.string().optional(),
  domain: z.string().optional(),
  specialist: z.string().optional(),
  tags: z.array(z.string()).optional().meta({ hidden: true }),
  ...scope,
  include_related: z.boolean().optional(),
  include_samples: z.boolean().optional(),
  limit: number,
});

function retrievalTool(name: string): Tool {
  return defineTool({
    name,
    toolsets: ["knowledge"],
    everywhere: true,
    description: "Get a topic by its id, or find topics by words, domain or specialist.",
    returns: "`topic_content` with `workflow_integration`, or `topics` and `groups`; `match` says how it was found",
    reads: true,
    shape: retrievalShape,
    async run(call, args) {
      const found = await call.engine.knowledge.retrieve(defined(args));
      const data = found as unknown as JsonObject;
      return heavyReply(call, {
        head: `${found.title === undefined ? "" : `${found.topic_id ?? ""}: ${found.title}\n`}${found.note}`,
        data,
        heavy: ["topic_content", "samples", "related_topics", "topics", "groups"].filter((key) => data[key] !== undefined),
        render: retrievedText,
      });
    },
  });
}

function retrievedText(data: JsonObject): string {
  return joinLines([
    plainText(data["topic_content"]),
    plainText(data["samples"]),
    ...objectsIn(data, "related_topics").flatMap((topic) => [summary(topic), plainText(topic["content"])]),
    ...objectsIn(data, "topics").map(summary),
    ...objectsIn(data, "groups").map((group) => {
      const ids = objectsIn(group, "topics").map((topic) => plainText(topic["topic_id"]));
      return `${plainText(group["domain"])} (${plainText(group["count"])}): ${ids.join(", ")}`;
    }),
  ]);
}

function summary({ topic_id: id, title }: JsonObject): string {
  return `- ${plainText(id)}: ${plainText(title)}`;
}

const askExpertTool: Tool = defineTool({
  name: "ask_bc_expert",
  toolsets: ["knowledge"],
  everywhere: true,
  description: "Find what the topics say to a question, and whose field it is.",
  returns: "`topics` with excerpts, `specialists`, `answered_from`",
  reads: true,
  shape: z.object({
    question: z.string().min(1),
    specialist: z.string().optional(),
    preferred_specialist: hiddenText,
    context: hiddenText,
    ...scope,
    limit: number,
  }),
  async run(call, args) {
    const { question, preferred_specialist: preferred, specialist = preferred, context, ...wishes } = args;
    const asked = context === undefined ? question : `${question}\n${context}`;
    const advice = await call.engine.knowledge.ask({ question: asked, ...defined({ ...wishes, specialist }) });
    const who = advice.specialists.map(({ specialist_id: id, title }) => `${id} (${title})`);
    return heavyReply(call, {
      head: joinLines([advice.note, who.length === 0 ? "" : `Field: ${who.join(", ")}`]),
      data: advice as unknown as JsonObject,
      heavy: ["topics"],
      render: (data) =>
        objectsIn(data, "topics")
          .map(({ topic_id: id, title, excerpt }) => `${plainText(id)}: ${plainText(title)}\n${plainText(excerpt)}`)
          .join("\n\n"),
    });
  },
});

const forProblems = "for known problems, and find the topics that it calls for.";

export const knowledgeTools: readonly Tool[] = [
  analysisTool("analyze_al_code", `Look through AL code ${forProblems}`, ["**/*.al"], "al"),
  analysisTool("analyze_code", `Look through code of any language ${forProblems}`, ["**/*"], undefined),
  retrievalTool("retrieve_bc_knowledge"),
  retrievalTool("retrieve_knowledge"),
  askExpertTool,
];

/** Files that one call analyses; a whole code base is the job of a workflow. */
const mostFiles = 50;
const topicsShown = 20;

/** A path below the workspace, as it was named; empty for the workspace itself. */
function belowWorkspace({ engine }: ToolCall, named: string): string {
  const root = engine.host.workspace;
  const plain = named.trim().replaceAll("\\", "/").replace(/^\.\//, "");
  if (plain === root || plain === ".") return "";
  return plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain;
}

/** The files of a folder. Throws `MCP_BAD_ARGUMENT`. */
async function filesIn(call: ToolCall, tool: string, folder: string, globs: readonly string[]): Promise<readonly string[]> {
  const { engine } = call;
  const root = engine.host.workspace;
  const path = belowWorkspace(call, folder);
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
async function analyseFiles({ engine }: ToolCall, tool: string, paths: readonly string[], request: JsonObject): Promise<JsonObject> {
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
function objectsIn(held: JsonObject, name: string): readonly JsonObject[] {
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
