import { counted, nearest, remembering } from "../base/index.ts";
import { alObjectType } from "../scan/index.ts";
import {
  analysisTypes,
  type Analysis,
  type AnalysisRequest,
  type AnalysisType,
  type Issue,
  type IssueCategory,
  type SuggestedTopic,
} from "./analysis.ts";
import { certainChecks, type CertainCheck } from "./code/certain-checks.ts";
import { findIndicator, parseIndicator } from "./code/indicator.ts";
import { languageOf, lex, type LexedCode } from "./code/lex.ts";
import { constructsOf, structureOf, type Structure } from "./code/structure.ts";
import { refusal } from "./codes.ts";
import { inScope, relevanceOf, scopeOf, type Evidence, type Scope } from "./relevance.ts";
import { wordsOf, type TopicEntry } from "./topic.ts";

/** Finds what the text of one piece of code shows, and the topics that its signals speak for. */
export function analyse(request: AnalysisRequest, topics: Iterable<TopicEntry>): Analysis {
  const type = analysisType(request.analysis_type);
  const text = request.code.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (text.trim() === "") throw refusal("KNOWLEDGE_NO_CODE", "There is nothing to analyse: the text of the code is empty.");
  const language = request.language?.toLowerCase() ?? languageOf(request.path, text);
  const code = lex(text, language ?? "text");
  const objectType = language === "al" ? alObjectType(text, "")?.toLowerCase() : undefined;
  const scope = { ...scopeOf(request), ...(language !== undefined && { language }), ...(objectType !== undefined && { objectType }) };
  const subject: Subject = { code, structure: structureOf(code), scope };
  const constructs = constructsOf(code.tokens);
  const names = new Set([...constructs].map((name) => name.toLowerCase()));
  const known = [...topics].filter((entry) => inScope(entry, scope));
  const checked = checkIssues(subject, known);
  const signs = readSigns(subject, names, checked);
  const issues = [...checked, ...signs.issues(known)].filter((issue) => type === "comprehensive" || categoryOf(issue.category) === type);
  const shown = new Set(issues.map((issue) => issue.related_topic));
  const evidence = { names, words: new Set([...constructs].flatMap(wordsOf)), indicators: (entry: TopicEntry) => signs.weigh(entry) };
  // A topic that one of the issues points to is never crowded out by the limit.
  const suggested = rateTopics(known, evidence, request, type)
    .sort((a, b) => Number(shown.has(b.topic_id)) - Number(shown.has(a.topic_id)))
    .slice(0, request.limit ?? 10)
    .sort(byRelevance);
  return {
    analysis_type: type,
    ...(language !== undefined && { language }),
    ...(objectType !== undefined && { object_type: objectType }),
    issues: issues.sort((a, b) => a.line - b.line || (a.check < b.check ? -1 : 1)),
    suggested_topics: suggested,
    suggested_workflows: request.suggest_workflows === false ? [] : suggestWorkflows(issues, suggested, names),
    workflow_integration: {
      instruction: integrationInstruction,
      expand_checklist_payload: suggested.map(({ topic_id, relevance_score, description, title }) => ({
        topic_id,
        relevance_score,
        description: description === "" ? title : description,
      })),
    },
  };
}

const integrationInstruction =
  "Inside a run, hand `expand_checklist_payload` to `workflow_progress` as `expand_checklist`: each topic becomes an entry of the current file's checklist. Report `issues` that you confirm as `findings`.";

function analysisType(name = "comprehensive"): AnalysisType {
  const type = analysisTypes.find((known) => known === name.toLowerCase());
  if (type !== undefined) return type;
  const message = `\`${name}\` is not a kind of analysis. There are ${analysisTypes.map((known) => `\`${known}\``).join(", ")}.`;
  throw refusal("KNOWLEDGE_ANALYSIS_TYPE", message, { nearest: nearest(name, analysisTypes) });
}

interface Subject {
  readonly code: LexedCode;
  readonly structure: Structure;
  readonly scope: Scope;
}

/** Signs that a check looks for itself, in lower case, with the check's name. */
const checkedSigns = new Map(certainChecks.flatMap(({ id, signs }) => signs.map((sign) => [sign.toLowerCase(), id] as const)));

function checkIssues({ code, structure, scope }: Subject, topics: readonly TopicEntry[]): Issue[] {
  const fits = ({ language, since }: CertainCheck): boolean =>
    (language === undefined || language === code.language) &&
    (since === undefined || scope.version === undefined || scope.version >= since);
  return certainChecks.filter(fits).flatMap((check) => {
    const places = [...check.find(code, structure)];
    const topic = places.length === 0 ? undefined : topicOfCheck(check, topics);
    return places.map((at): Issue => ({
      check: check.id,
      line: code.tokens[at]!.line,
      severity: check.severity,
      category: check.category,
      description: check.description,
      suggestion: check.suggestion,
      ...(topic !== undefined && { related_topic: topic.id }),
    }));
  });
}

/** The check's own topic, else one that declares one of its signs, early in its list. */
function topicOfCheck(check: CertainCheck, topics: readonly TopicEntry[]): TopicEntry | undefined {
  const own = topics.find(({ id }) => id === check.topic);
  if (own !== undefined) return own;
  for (const sign of check.signs) {
    const wanted = sign.toLowerCase();
    const [best] = topics
      .map((topic) => ({ topic, at: topic.antiPatterns.findIndex((text) => text.toLowerCase() === wanted) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || (a.topic.id < b.topic.id ? -1 : 1));
    if (best !== undefined) return best.topic;
  }
  return undefined;
}

interface Signs {
  /** One issue for each sign and line, whichever topic declares it; none where a check of the same domain reports one already. */
  issues(topics: readonly TopicEntry[]): Issue[];
  /** How many signs of the topic the code shows; a check that points to it is one. */
  weigh(entry: TopicEntry): { readonly anti: number; readonly good: number };
}

/** Looks for the signs that topics declare; each sign once. */
function readSigns({ code, structure }: Subject, names: ReadonlySet<string>, checked: readonly Issue[]): Signs {
  /** A sign that shares no word with the code is not looked for: with thousands of topics that is nearly all of them. */
  const canMatch = (sign: string): boolean => {
    if (sign.startsWith("/") || code.comments.length > 0) return true;
    const words = sign.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]*/gu);
    return words === null || words.some((word) => names.has(word)) || sign.includes(".");
  };
  const search = remembering((sign: string): readonly number[] => {
    const indicator = canMatch(sign) ? parsedIndicator([sign, code.language]) : undefined;
    return indicator === undefined ? [] : findIndicator(indicator, code, structure);
  }, Infinity);
  const linesOf = (sign: string): readonly number[] => {
    const check = checkedSigns.get(sign.toLowerCase());
    return check === undefined ? search(sign) : checked.filter((issue) => issue.check === check).map(({ line }) => line);
  };
  return {
    issues: (topics) => {
      const reported = new Set(checked.map(({ line, related_topic }) => `${line} ${related_topic?.split("/")[0]}`));
      const found = new Map<string, Issue>();
      for (const entry of topics) {
        for (const sign of entry.antiPatterns.filter((text) => !checkedSigns.has(text.toLowerCase()))) {
          for (const line of linesOf(sign)) {
            const key = `${line} ${sign}`;
            if (!reported.has(`${line} ${entry.id.split("/")[0]}`) && !found.has(key)) found.set(key, issueOf(entry, sign, line));
          }
        }
      }
      return [...found.values()];
    },
    weigh: (entry) => {
      const count = (signs: readonly string[]): number => signs.filter((sign) => linesOf(sign).length > 0).length;
      const pointed = checked.some(({ related_topic }) => related_topic === entry.id) ? 1 : 0;
      return { anti: Math.max(pointed, count(entry.antiPatterns)), good: count(entry.goodPatterns) };
    },
  };
}

const parsedIndicator = remembering(
  ([sign, language]: readonly [string, string]) => parseIndicator(sign, language),
  20_000,
  (given) => given.join("\n"),
);

function issueOf(entry: TopicEntry, sign: string, line: number): Issue {
  return {
    check: "indicator",
    line,
    severity: entry.severity ?? "info",
    category: entry.category ?? categoryOf(entry.domains[0] ?? "quality") ?? entry.domains[0] ?? "quality",
    description: `The code shows a sign that the topic \`${entry.id}\` warns of: ${sign}.`,
    suggestion: `Read \`${entry.id}\` (${entry.title}) and decide whether it applies here.`,
    related_topic: entry.id,
  };
}

function byRelevance(a: SuggestedTopic, b: SuggestedTopic): number {
  return b.relevance_score - a.relevance_score || (a.topic_id < b.topic_id ? -1 : 1);
}

/** Topics above their thresholds, the best first. */
function rateTopics(topics: readonly TopicEntry[], evidence: Evidence, request: AnalysisRequest, type: AnalysisType): SuggestedTopic[] {
  const least = request.min_relevance_score ?? 0;
  return topics
    .filter((entry) => type === "comprehensive" || isOfType(entry, type))
    .map((entry) => ({ entry, ...relevanceOf(entry, evidence) }))
    .filter(({ entry, score }) => score >= entry.threshold && score >= least)
    .map(({ entry, score, signals }): SuggestedTopic => ({
      topic_id: entry.id,
      title: entry.title,
      description: entry.description,
      relevance_score: score,
      matched_signals: signals,
    }))
    .sort(byRelevance);
}

const wordsOfType: Readonly<Record<IssueCategory, readonly string[]>> = {
  performance: ["performance", "optimization", "database", "locking", "dean-debug"],
  quality: ["quality", "code-quality", "errors", "error-handling", "maintainability", "testing", "general", "eva-errors", "roger-reviewer"],
  security: ["security", "permissions", "secrets", "credentials", "privacy", "seth-security"],
  patterns: ["patterns", "pattern", "architecture", "design", "interfaces", "events", "alex-architect"],
};

/** The kind of analysis that a category or domain belongs to. */
function categoryOf(name: string): string | undefined {
  return Object.entries(wordsOfType).find(([, words]) => words.includes(name.toLowerCase()))?.[0];
}

function isOfType(entry: TopicEntry, type: IssueCategory): boolean {
  const labels = [...entry.domains, ...entry.tags, ...(entry.category === undefined ? [] : [entry.category])];
  return labels.some((label) => wordsOfType[type].includes(label)) || labels.every((label) => categoryOf(label) === undefined);
}

/** Bundled workflows that deal with what was found, the most important first. */
function suggestWorkflows(
  issues: readonly Issue[],
  topics: readonly SuggestedTopic[],
  names: ReadonlySet<string>,
): Analysis["suggested_workflows"] {
  const count = (test: (issue: Issue) => boolean): number => issues.filter(test).length;
  const security = count(({ category }) => category === "security");
  const performance = count(({ category }) => category === "performance");
  const errors = count(({ check }) => check.startsWith("error_"));
  const found: [workflow: string, applies: boolean, reason: string][] = [
    ["security-audit", security > 0, `${counted(security, "sign")} of a security fault.`],
    ["performance-audit", performance > 0, `${counted(performance, "sign")} of slow code.`],
    ["error-to-errorinfo-migration", errors > 0, `${counted(errors, "call")} of Error with a text that is not a Label.`],
    ["bc-version-upgrade", names.has("noseriesmanagement"), "The code uses codeunit NoSeriesManagement, which BC27 no longer has."],
  ];
  const fitting = found.filter(([, applies]) => applies).map(([workflow_type, , reason]) => ({ workflow_type, reason }));
  if (fitting.length > 0 || topics.length === 0) return fitting;
  return [{ workflow_type: "code-review", reason: `${counted(topics.length, "topic")} may apply to this code.` }];
}
