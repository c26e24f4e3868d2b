import {
  guidanceKeys,
  approachIds,
  argumentShapes,
  entryTypes,
  phaseModes,
  placeholders,
  severities,
  textParts,
  topicTools,
} from "./vocabulary.ts";
import { keysOfShape, type DialectReference } from "../../../source/index.ts";
import { checklistShape } from "./shape/checklist-shape.ts";
import type { PhaseRole } from "./checklist-definition.ts";

export interface ChecklistFeatures {
  readonly topLevelKeys: readonly string[];
  /** Keys of each section, by the path of the section; `[]` stands for each member of a list. */
  readonly sectionKeys: Readonly<Record<string, readonly string[]>>;
  readonly phaseModes: readonly string[];
  readonly phaseRoles: readonly PhaseRole[];
  readonly entryTypes: readonly string[];
  readonly approaches: readonly string[];
  readonly topicTools: readonly string[];
  readonly textParts: readonly string[];
  readonly argumentShapes: readonly string[];
  readonly severities: readonly string[];
  readonly placeholders: readonly string[];
  /** Keys of other engines that are accepted with a warning and shown to the agent. */
  readonly guidanceKeys: readonly string[];
}

const pattern = ["pattern_discovery", "patterns", 0] as const;
const sections: Readonly<Record<string, readonly (string | number)[]>> = {
  "phases[]": ["phases", 0],
  "per_file_checklist[]": ["per_file_checklist", 0],
  "per_file_checklist[].conditions": ["per_file_checklist", 0, "conditions"],
  topic_discovery: ["topic_discovery"],
  pattern_discovery: ["pattern_discovery"],
  "pattern_discovery.pattern_extraction": ["pattern_discovery", "pattern_extraction"],
  "pattern_discovery.patterns[]": pattern,
  "pattern_discovery.patterns[].arguments": [...pattern, "arguments"],
  "pattern_discovery.patterns[].instance_classifier": [...pattern, "instance_classifier"],
  "pattern_discovery.patterns[].instance_classifier.rules[]": [...pattern, "instance_classifier", "rules", 0],
  "pattern_discovery.patterns[].transformations[]": [...pattern, "transformations", 0],
  version_upgrade: ["version_upgrade"],
  completion_rules: ["completion_rules"],
  approach: ["approach"],
  "approach.options[]": ["approach", "options", 0],
  "verify[]": ["verify", 0],
};

/** Everything the dialect understands, by name; read from the shape that files are checked against. */
export const checklistFeatures: ChecklistFeatures = {
  topLevelKeys: Object.keys(checklistShape.shape),
  sectionKeys: Object.fromEntries(Object.entries(sections).map(([name, path]) => [name, keysOfShape(checklistShape, path, null)])),
  phaseModes,
  phaseRoles: ["inventory", "guides", "scan", "batch", "review", "agent", "verification", "summary"],
  entryTypes,
  approaches: approachIds,
  topicTools,
  textParts,
  argumentShapes,
  severities,
  placeholders,
  guidanceKeys,
};

const { topLevelKeys, sectionKeys } = checklistFeatures;

export const checklistReference: DialectReference = {
  guide: "checklists.md",
  topLevelKeys,
  sectionKeys,
  words: {
    "`phases[].mode`": phaseModes,
    "what the engine makes of a phase": checklistFeatures.phaseRoles,
    "`per_file_checklist[].type`": entryTypes,
    "`approach.options[]`": approachIds,
    "`topic_discovery.tool`": topicTools,
    "`in`": textParts,
    "`arguments.shapes`": argumentShapes,
    "`severity`": severities,
    "placeholders of a `template`": placeholders,
  },
  note: [
    "Besides these placeholders a template may use `{{arg0}}`, `{{arg1}}` ... for the arguments of the call, and the named groups of the",
    "expression. These keys of other engines are accepted at top level with a warning and shown to the agent; any other unknown word that",
    `is not close to a key of this page is treated the same: ${guidanceKeys.map((key) => `\`${key}\``).join(", ")}.`,
  ].join("\n"),
};
