import * as z from "zod";
import type { JsonObject } from "../../../base/index.ts";
import {
  guidanceKeys,
  approachIds,
  argumentShapes,
  entryTypes,
  phaseModes,
  phaseRoles,
  placeholders,
  severities,
  textParts,
  toolFormats,
  topicTools,
} from "./vocabulary.ts";
import { keysOfShape, type DialectReference } from "../../../source/index.ts";
import { checklistShape } from "./shape/checklist-shape.ts";

const pattern = ["pattern_discovery", "patterns", 0] as const;
const sections: Readonly<Record<string, readonly (string | number)[]>> = {
  "phases[]": ["phases", 0],
  "phases[].task": ["phases", 0, "task"],
  "phases[].task.permission": ["phases", 0, "task", "permission"],
  "phases[].task.tools": ["phases", 0, "task", "tools"],
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
  "findings_from[]": ["findings_from", 0],
  version_upgrade: ["version_upgrade"],
  completion_rules: ["completion_rules"],
  approach: ["approach"],
  "approach.options[]": ["approach", "options", 0],
  "verify[]": ["verify", 0],
};

/** Everything the dialect understands, by name; read from the shape that files are checked against. */
export const checklistReference: DialectReference = {
  guide: "checklists.md",
  topLevelKeys: Object.keys(checklistShape.shape),
  sectionKeys: Object.fromEntries(Object.entries(sections).map(([name, path]) => [name, keysOfShape(checklistShape, path, null)])),
  words: {
    "`phases[].mode`": phaseModes,
    "what the engine makes of a phase": phaseRoles,
    "`per_file_checklist[].type`": entryTypes,
    "`approach.options[]`": approachIds,
    "`topic_discovery.tool` (ours)": topicTools,
    "`in`": textParts,
    "`arguments.shapes`": argumentShapes,
    "`severity`": severities,
    "`findings_from[].format`": toolFormats,
    "placeholders of a `template`": placeholders,
  },
  note: [
    "Besides these placeholders a template may use `{{arg0}}`, `{{arg1}}` ... for the arguments of the call, and the named groups of the",
    "expression. These keys of other engines are accepted at top level with a warning and shown to the agent; any other unknown word that",
    `is not close to a key of this page is treated the same: ${guidanceKeys.map((key) => `\`${key}\``).join(", ")}.`,
  ].join("\n"),
};

/** JSON Schema (draft 7) for editors, made from the shape that files are checked against. */
export function checklistJsonSchema(): JsonObject {
  return z.toJSONSchema(checklistShape, { io: "input", target: "draft-7" }) as JsonObject;
}
