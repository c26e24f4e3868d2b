import * as z from "zod";
import { defined, isList, type JsonObject } from "../../base/index.ts";
import { counted } from "../../views/index.ts";
import { badArgument } from "../codes.ts";
import { analyseFiles, codePaths, objectsIn } from "../knowledge/analyse-files.ts";
import { heavyReply } from "../reply.ts";
import { joinLines, plainText } from "../reply-text.ts";
import { defineTool, hiddenText, partsOf, type Reply, type Tool, type ToolCall } from "../tool.ts";

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
      const paths = await codePaths(call, name, { files, folder: workspace_path, globs });
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
