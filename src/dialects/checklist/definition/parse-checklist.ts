import { defined, isObject, type Diagnostic } from "../../../base/index.ts";
import {
  child,
  collectInto,
  descend,
  flagAt,
  isText,
  listedTexts,
  membersOf,
  numberAt,
  parseFile,
  readRouting,
  sortDiagnostics,
  textAt,
  textDiagnostics,
  type Complain,
  type ExpressionChecker,
  type FaultCodes,
  type SourceFile,
  type SourceNode,
  type WorkflowInfo,
} from "../../../source/index.ts";
import { checkTasks } from "./check/check-tasks.ts";
import { checkGlob } from "./check/check-text.ts";
import { checkChecklistShape, guidanceOf } from "./check/check-checklist-shape.ts";
import type { ChecklistDefinition, PhaseDefinition } from "./checklist-definition.ts";
import { readApproach } from "./read/read-approach.ts";
import { isWorkflowName, readSubWorkflows, readVerify } from "./read/read-calls.ts";
import { readPatternDiscovery, readTopics, readUpgrade } from "./read/read-discovery.ts";
import { readEntries } from "./read/read-entries.ts";
import { readPhases, type EngineWork } from "./read/read-phases.ts";
import { readToolChoice, readTools } from "./read/read-tools.ts";
import { defaults } from "./vocabulary.ts";

export interface ChecklistOptions {
  readonly source: WorkflowInfo["source"];
  /** Finders that exist; without them their names are not checked. */
  readonly finders?: readonly string[];
  /** Without one, templates of tasks are not checked. */
  readonly checker?: ExpressionChecker;
}

/** What can be said of a workflow without running it; as much as could be read when the file has errors. */
export interface ChecklistInfo extends Omit<WorkflowInfo, "inputs"> {
  /** Name for people; `name` is the one it is started by. */
  readonly title: string;
}

export interface ParsedChecklist {
  /** Absent when there is at least one error. */
  readonly definition?: ChecklistDefinition;
  readonly info: ChecklistInfo;
  /** All problems, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What is wrong with the text of a checklist. */
const checklistFaults: FaultCodes = {
  syntax: "CHECKLIST_YAML_SYNTAX",
  unquoted_template: "CHECKLIST_UNQUOTED_TEMPLATE",
  duplicate_key: "CHECKLIST_DUPLICATE_KEY",
  alias: "CHECKLIST_ALIAS",
  several_documents: "CHECKLIST_SEVERAL_DOCUMENTS",
  not_a_map: { code: "CHECKLIST_NOT_A_MAP", fix: "Begin the file with `type:`, `name:`, `file_patterns:` and `phases:`." },
  empty_wrapper: "CHECKLIST_NOT_A_MAP",
  beside_wrapper: "CHECKLIST_UNKNOWN_KEY",
  not_json: "CHECKLIST_NOT_JSON",
  forbidden_key: "CHECKLIST_FORBIDDEN_KEY",
  too_deep: "CHECKLIST_TOO_DEEP",
};

/** Reads, checks and completes a checklist workflow. Never throws for what the file holds. */
export function parseChecklist(file: SourceFile, options: ChecklistOptions): ParsedChecklist {
  const parsed = parseFile(file);
  const found: Diagnostic[] = textDiagnostics(parsed.problems, checklistFaults);
  const { root } = parsed;
  const complain = collectInto(found);
  // Values of a file with syntax errors are a guess, so what else is wrong with them is not worth reporting.
  const checking = root !== undefined && !parsed.broken;
  if (checking) {
    checkChecklistShape(root, complain);
    checkTasks(root, complain, options.checker);
  }
  const definition = checking ? readDefinition(root, options, complain) : undefined;
  const diagnostics = sortDiagnostics(found, file.path);
  const errors = diagnostics.filter((each) => each.severity === "error").length;
  const info = infoOf(file, root, options, errors);
  return definition === undefined || errors > 0 ? { info, diagnostics } : { definition, info, diagnostics };
}

function readDefinition(root: SourceNode, { finders }: ChecklistOptions, complain: Complain): ChecklistDefinition {
  checkHead(root, complain);
  const versionUpgrade = readUpgrade(root, complain);
  const topics = readTopics(root, complain);
  const tools = readTools(root, complain);
  const finding = { upgrade: versionUpgrade, tools: tools.length > 0, ...(finders === undefined ? {} : { finders }) };
  const patterns = readPatternDiscovery(root, finding, complain);
  const scans = tools.length > 0 || (patterns.enabled && (patterns.patterns.length > 0 || patterns.fromGuides));
  const guides = versionUpgrade !== undefined || (patterns.enabled && patterns.fromGuides);
  const work: EngineWork = { patterns: scans, guides };
  const phases = readPhases(root, work, complain);
  checkPhases(root, phases, work, complain);
  const ground = { batch: phases.some((phase) => phase.role === "batch"), patterns: scans, upgrade: versionUpgrade !== undefined };
  const approach = readApproach(root, ground, complain);
  const rules = child(root, "completion_rules");
  return {
    type: textAt(root, "type") ?? "",
    name: textAt(root, "name") ?? "",
    description: textAt(root, "description") ?? "",
    version: textAt(root, "version") ?? defaults.version,
    ...defined({ specialist: textAt(root, "specialist") }),
    filePatterns: listedTexts(root, "file_patterns").map((glob) => glob.value),
    fileExclusions: listedTexts(root, "file_exclusions").map((glob) => glob.value),
    gitignore: flagAt(root, "gitignore") ?? true,
    maxFileBytes: numberAt(root, "max_file_bytes") ?? defaults.maxFileBytes,
    phases,
    checklist: readEntries(root, { phases, patterns }, complain),
    topics,
    patterns,
    ...(tools.length === 0 ? {} : { tools }),
    ...(readToolChoice(root, complain) ? { chooseTools: true as const } : {}),
    ...(versionUpgrade === undefined ? {} : { versionUpgrade }),
    rules: {
      requireAllFiles: flagAt(rules, "require_all_files") ?? true,
      requireAllItems: flagAt(rules, "require_all_checklist_items") ?? true,
      allowSkip: flagAt(rules, "allow_skip_with_reason") ?? true,
    },
    ...(approach === undefined ? {} : { approach }),
    verify: readVerify(root, phases, complain),
    subWorkflows: readSubWorkflows(root, complain),
    guidance: guidanceOf(root),
  };
}

function checkHead(root: SourceNode, complain: Complain): void {
  const type = child(root, "type");
  if (isText(type) && type.value !== "" && !isWorkflowName(type.value)) {
    complain(type, {
      code: "CHECKLIST_BAD_NAME",
      message: `\`${type.value}\` cannot be the name of a workflow.`,
      fix: "Use letters, digits, `-`, `_` and `:`, e.g. `code-review`.",
    });
  }
  const description = child(root, "description");
  if (description === undefined || (isText(description) && description.value.trim() === "")) {
    complain(description ?? root, {
      code: "CHECKLIST_NO_DESCRIPTION",
      severity: "warning",
      message: "The workflow has no description.",
      fix: "Add `description:` with one sentence.",
    });
  }
  for (const key of ["file_patterns", "file_exclusions"]) for (const glob of membersOf(child(root, key))) checkGlob(glob, complain);
}

/** What other sections ask for must have a phase in which it happens. */
function checkPhases(root: SourceNode, phases: readonly PhaseDefinition[], { patterns, guides }: EngineWork, complain: Complain): void {
  if (phases.length === 0) return;
  if (patterns && !phases.some((phase) => phase.role === "scan")) {
    const own = child(root, "pattern_discovery");
    complain(own ?? child(root, "findings_from") ?? root, {
      code: "CHECKLIST_PHASE_MISSING",
      message: `${own === undefined ? "`findings_from` names tools" : "`pattern_discovery` is enabled"}, but no autonomous phase scans.`,
      fix: "Add a phase with the id `scan` after the inventory.",
      at: "key",
    });
  }
  const judged = descend(root, ["pattern_discovery", "instances"]);
  if (judged?.value === "confirm" && phases.some((phase) => phase.role === "batch")) {
    complain(judged, {
      code: "CHECKLIST_CONFLICTING_KEYS",
      message: "`instances: confirm` has every instance judged, but a phase applies fixes in batches.",
      fix: "Remove the batch phase, or write `instances: convert`.",
    });
  }
  if (guides && !phases.some((phase) => phase.role === "guides")) {
    complain(child(root, "version_upgrade") ?? child(root, "pattern_discovery") ?? root, {
      code: "CHECKLIST_PHASE_MISSING",
      message: "Conversion guides are asked for, but no autonomous phase looks for them.",
      fix: "Add a phase with the id `guide_discovery` before the scan.",
      at: "key",
    });
  }
}

function infoOf(file: SourceFile, root: SourceNode | undefined, { source }: ChecklistOptions, problems: number): ChecklistInfo {
  const name = textAt(root, "type") ?? "";
  return {
    name,
    title: textAt(root, "name") ?? name,
    description: textAt(root, "description") ?? "",
    routing: readRouting(root),
    version: textAt(root, "version") ?? defaults.version,
    source,
    path: file.path,
    imports: [],
    includes: [...new Set(listedTexts(root, "sub_workflows").map((node) => node.value))].filter((each) => each !== ""),
    definition: root !== undefined && isObject(root.value) ? root.value : {},
    problems,
  };
}
