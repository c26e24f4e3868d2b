import type { ApproachDefinition, ApproachId } from "./checklist-definition.ts";

export const phaseModes = ["autonomous", "guided", "agent_driven"] as const;

/** What the engine makes of a phase; found by its id, its mode and the actions it offers. */
export const phaseRoles = ["inventory", "guides", "scan", "batch", "review", "agent", "task", "verification", "summary"] as const;

export const entryTypes = ["analysis", "topic_application", "pattern_instance", "validation", "custom"] as const;

export const approachIds = ["apply_auto_first", "label_route", "review_by_file", "review_by_type", "by_version_step"] as const;

/** Tools that topics are found with. */
export const topicTools = ["analyze_al_code", "analyze_code", "retrieve_bc_knowledge", "retrieve_knowledge", "ask_bc_expert"] as const;

/** Names of tools that other engines have, and the one that does the same here. */
export const foreignTools: Readonly<Record<string, string>> = { find_bc_knowledge: "retrieve_bc_knowledge" };

export const patternSources = ["patterns", "knowledge_topics"] as const;
export const textParts = ["all", "code", "comments", "strings"] as const;
export const argumentShapes = ["string", "number", "name", "call", "member", "expression", "any"] as const;
export const severities = ["info", "warning", "error", "critical"] as const;
/** What becomes of an instance: it is changed in its file, or judged and then a finding or dismissed. */
export const instanceWays = ["convert", "confirm"] as const;
/** Kinds of files in which patterns may be left out. */
export const fileKinds = ["generated", "vendored", "minified", "declarations", "tests", "locales", "examples", "scripts"] as const;
export const entryWorkers = ["engine", "agent"] as const;
/** What the output of a tool is written in. */
export const toolFormats = ["sarif", "eslint", "lines"] as const;
export const answerers = ["relay", "person"] as const;

/** Placeholders of a template, besides `{{arg0}}`, `{{arg1}}` ... and the named groups of the pattern. */
export const placeholders = ["original_string", "params", "constant_name", "match", "name"] as const;

/** What the engine can do by itself, in the words of a message. */
export const autonomousWork: readonly string[] = [
  "list the files (`inventory`)",
  "find conversion guides (`guide_discovery`)",
  "scan for patterns (`scan`, `classification`)",
  "apply certain fixes in batches (`batch_auto`)",
  "compile and test (`verification`)",
  "write the report (`summary`)",
];

/** Top-level keys of other engines that Waymark only shows to the agent. */
export const guidanceKeys: readonly string[] = [
  "validation_checklist",
  "performance_checklist",
  "ux_checklist",
  "related_knowledge",
  "anti_patterns",
  "severity_levels",
  "risk_levels",
  "impact_levels",
  "finding_categories",
  "scoring",
  "candidate_scoring",
  "output_format",
  "report_format",
  "discovery_patterns",
  "workflow_patterns",
  "vulnerability_patterns",
  "cross_cutting_patterns",
  "compliance_frameworks",
  "estimation_factors",
  "role_templates",
  "page_type_recommendations",
];

export const defaults = {
  version: "1.0.0",
  maxFileBytes: 10_485_760,
  contextLines: 2,
  minRelevance: 0.6,
  topicTool: "analyze_al_code",
  guidePattern: "bc{version}-*-conversion-guide",
  guideTags: ["conversion-guide", "breaking-changes"],
  searchMarkers: ["Search Patterns", "Code Discovery"],
  transformationMarkers: ["Before", "After", "Legacy Method", "New Method"],
} as const;

/** How each way through the work is put to a person when the definition does not word it. */
export const approachWords: Readonly<Record<ApproachId, { readonly label: string; readonly description: string }>> = {
  apply_auto_first: {
    label: "Apply the certain fixes first",
    description: "The engine makes every fix that keeps the meaning; what needs judgement comes afterwards.",
  },
  label_route: {
    label: "Move texts into Labels",
    description: "Texts become Labels that can be translated and show up in telemetry; each one is looked at.",
  },
  review_by_file: {
    label: "Go file by file",
    description: "Everything found in one file is dealt with before the next one; slower, with full control.",
  },
  review_by_type: {
    label: "Go kind by kind",
    description: "Places of the same kind are dealt with together, across all files.",
  },
  by_version_step: {
    label: "Go version by version",
    description: "Each step from one version to the next is finished before the following one begins.",
  },
};

export const batchApproaches: ApproachDefinition = approachOf(["apply_auto_first", "review_by_file", "review_by_type"]);
export const upgradeApproaches: ApproachDefinition = approachOf(["by_version_step", "apply_auto_first", "review_by_file"]);

function approachOf(ids: readonly [ApproachId, ...ApproachId[]]): ApproachDefinition {
  return { options: ids.map((id) => ({ id, ...approachWords[id] })), recommended: ids[0], answerBy: "relay" };
}
