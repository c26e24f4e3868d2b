import { defined } from "../../../../base/index.ts";
import {
  child,
  flagAt,
  has,
  isText,
  listedTexts,
  numberAt,
  suggest,
  textAt,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { checkGlob } from "../check/check-text.ts";
import type { FileKind, PatternDiscovery, TopicDiscovery, VersionUpgrade } from "../checklist-definition.ts";
import { defaults, foreignTools, topicTools } from "../vocabulary.ts";
import { readPatterns } from "./read-patterns.ts";

export function readTopics(root: SourceNode, complain: Complain): TopicDiscovery {
  const node = child(root, "topic_discovery");
  if (node === undefined) {
    complain(root, {
      code: "CHECKLIST_DEFAULT_USED",
      severity: "warning",
      message: "There is no `topic_discovery`, so no knowledge topics are looked for.",
      fix: "Add `topic_discovery:`, with `enabled: false` if that is meant.",
      at: "key",
    });
  }
  return {
    enabled: node !== undefined && (flagAt(node, "enabled") ?? true),
    tool: readTool(node, complain),
    autoExpand: flagAt(node, "auto_expand_checklist") ?? true,
    minRelevance: numberAt(node, "min_relevance_score") ?? defaults.minRelevance,
  };
}

function readTool(node: SourceNode | undefined, complain: Complain): string {
  const tool = textAt(node, "tool");
  const at = child(node, "tool");
  if (tool === undefined || tool === "" || at === undefined) return defaults.topicTool;
  const ours = foreignTools[tool];
  if (ours !== undefined) {
    complain(at, {
      code: "CHECKLIST_FOREIGN_TOOL",
      severity: "warning",
      message: `\`${tool}\` is a tool of another engine; \`${ours}\` takes its place.`,
      fix: `Write \`tool: ${ours}\`.`,
    });
    return ours;
  }
  // Any other tool is of a server that the agent has; one that is nearly ours is misspelt.
  const meant = (topicTools as readonly string[]).includes(tool) ? undefined : suggest(tool, topicTools, 0);
  if (meant !== undefined || !/^[\w.:/-]+$/.test(tool)) {
    complain(at, {
      code: "CHECKLIST_BAD_VALUE",
      message: `\`${tool}\` is not a tool that topics can be found with.`,
      fix: meant ?? "Write the name of a tool, as your agents call it.",
    });
  }
  return tool;
}

export interface Finding {
  readonly finders?: readonly string[];
  readonly upgrade: VersionUpgrade | undefined;
  /** Tools bring findings: then instances are looked for with or without patterns. */
  readonly tools: boolean;
}

const nothingToLookFor: Parameters<Complain>[1] = {
  code: "CHECKLIST_NO_PATTERNS",
  message: "`pattern_discovery` is enabled, but there is nothing to look for.",
  fix: "Add `patterns:`, or `source: knowledge_topics`, or set `enabled: false`.",
  at: "key",
};

function takesFromGuides(node: SourceNode | undefined, upgrade: VersionUpgrade | undefined): boolean {
  const source = textAt(node, "source");
  return node !== undefined && (source === undefined ? upgrade?.extractPatterns === true : source === "knowledge_topics");
}

/** Patterns of the file, and whether guides bring more. */
export function readPatternDiscovery(root: SourceNode, { finders, upgrade, tools }: Finding, complain: Complain): PatternDiscovery {
  const node = child(root, "pattern_discovery");
  const enabled = node !== undefined && (flagAt(node, "enabled") ?? true);
  const patterns = readPatterns(node, finders, complain);
  const fromGuides = takesFromGuides(node, upgrade);
  if (node !== undefined) {
    checkSource(root, node, fromGuides, complain);
    if (enabled && patterns.length === 0 && !fromGuides && !tools) complain(node, nothingToLookFor);
  }
  const extraction = child(node, "pattern_extraction");
  return {
    enabled: enabled || tools,
    patterns: enabled || !tools ? patterns : [],
    createItems: flagAt(node, "create_instance_items") ?? true,
    ...(textAt(node, "instances") === "confirm" ? { judged: true as const } : {}),
    ...(has(node, "leave_out") ? { leaveOut: listedTexts(node, "leave_out").map((kind) => kind.value as FileKind) } : {}),
    groupIdentical: flagAt(node, "group_identical") ?? false,
    groupByGuide: flagAt(node, "group_by_guide") ?? false,
    ...defined({ specialist: textAt(node, "specialist") }),
    fromGuides: fromGuides && (enabled || !tools),
    ...defined({ topicPattern: textAt(node, "topic_pattern") }),
    searchMarkers: markersOf(extraction, "search_pattern_markers") ?? defaults.searchMarkers,
    transformationMarkers: markersOf(extraction, "transformation_markers") ?? defaults.transformationMarkers,
  };
}

function markersOf(node: SourceNode | undefined, key: string): string[] | undefined {
  return has(node, key) ? listedTexts(node, key).map((each) => each.value) : undefined;
}

/** Whether patterns come from guides is said in two places, which must agree; what belongs to guides needs them. */
function checkSource(root: SourceNode, node: SourceNode, fromGuides: boolean, complain: Complain): void {
  const extract = flagAt(child(root, "version_upgrade"), "extract_patterns_from_guides");
  const source = child(node, "source");
  if (isText(source) && extract !== undefined && extract !== (source.value === "knowledge_topics")) {
    complain(source, {
      code: "CHECKLIST_CONFLICTING_KEYS",
      message: `\`source: ${source.value}\` contradicts \`extract_patterns_from_guides: ${extract}\`.`,
      fix: "Make both say the same, or remove one of them.",
    });
  }
  checkGlob(child(node, "topic_pattern"), complain);
  if (fromGuides) return;
  for (const key of ["topic_pattern", "pattern_extraction", "group_by_guide"]) {
    const idle = child(node, key);
    if (idle === undefined || idle.value === false) continue;
    complain(idle, {
      code: "CHECKLIST_WITHOUT_EFFECT",
      message: `\`${key}\` has no effect, since no patterns come from guides.`,
      fix: "Add `source: knowledge_topics`, or remove the key.",
      at: "key",
    });
  }
}

export function readUpgrade(root: SourceNode, complain: Complain): VersionUpgrade | undefined {
  const node = child(root, "version_upgrade");
  if (node === undefined) return undefined;
  const source = readVersion(child(node, "source_version"), complain);
  const target = readVersion(child(node, "target_version"), complain);
  if (source !== undefined && target !== undefined && numberOf(source) >= numberOf(target)) {
    complain(child(node, "target_version") ?? node, {
      code: "CHECKLIST_BAD_VERSION",
      message: `The target \`${target}\` is not later than the source \`${source}\`.`,
      fix: "Swap or correct the versions.",
    });
  }
  const pattern = child(node, "conversion_guide_pattern");
  if (isText(pattern) && pattern.value !== "" && !pattern.value.includes("{version}")) {
    complain(pattern, {
      code: "CHECKLIST_BAD_VALUE",
      message: "`conversion_guide_pattern` has no `{version}`, so guides of different steps look the same.",
      fix: `Write it like \`${defaults.guidePattern}\`.`,
    });
  }
  const fromTopics = textAt(child(root, "pattern_discovery"), "source") !== "patterns";
  return {
    ...defined({ source, target }),
    guidePattern: textAt(node, "conversion_guide_pattern") ?? defaults.guidePattern,
    guideTags: has(node, "conversion_guide_tags") ? listedTexts(node, "conversion_guide_tags").map((tag) => tag.value) : defaults.guideTags,
    inSequence: flagAt(node, "apply_in_sequence") ?? true,
    extractPatterns: flagAt(node, "extract_patterns_from_guides") ?? fromTopics,
  };
}

/** `BC24` from `BC24`, `24` or `24.0`; nothing for null, which means: given at start. */
function readVersion(node: SourceNode | undefined, complain: Complain): string | undefined {
  if (node === undefined || (typeof node.value !== "string" && typeof node.value !== "number")) return undefined;
  const [, number] = /^(?:BC\s*)?(\d{1,3})(?:\.\d+)?$/i.exec(String(node.value).trim()) ?? [];
  if (number !== undefined) return `BC${Number(number)}`;
  complain(node, {
    code: "CHECKLIST_BAD_VERSION",
    message: `\`${String(node.value)}\` is not a version.`,
    fix: "Write it like `BC24`, or `null` to have it given at start.",
  });
  return undefined;
}

function numberOf(version: string): number {
  return Number(version.slice(2));
}
