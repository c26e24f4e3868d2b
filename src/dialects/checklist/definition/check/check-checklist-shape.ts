import {
  checkShape,
  descend,
  shown,
  textAt,
  type Complain,
  type DocumentPath,
  type ShapeRules,
  type SourceNode,
  child,
  entriesOf,
  type Where,
} from "../../../../source/index.ts";
import { checklistShape } from "../shape/checklist-shape.ts";
import { editDistance, isObject, nearest, type Json, type JsonObject } from "../../../../base/index.ts";
import { guidanceKeys } from "../vocabulary.ts";

const lists: Readonly<Record<string, string>> = {
  phases: "phase",
  per_file_checklist: "checklist entry",
  patterns: "pattern",
  findings_from: "tool",
  rules: "classifier rule",
  transformations: "transformation",
};

const rules: ShapeRules = {
  shape: checklistShape,
  codes: {
    unknownKey: "CHECKLIST_UNKNOWN_KEY",
    missingKey: "CHECKLIST_MISSING_KEY",
    wrongType: "CHECKLIST_WRONG_TYPE",
    badValue: "CHECKLIST_BAD_VALUE",
    unknownWord: () => "CHECKLIST_BAD_VALUE",
  },
  nameAt(path, root) {
    if (path.length === 0) return "a checklist workflow";
    const kind = typeof path.at(-1) === "number" ? lists[String(path.at(-2))] : undefined;
    const node = descend(root, path as DocumentPath);
    const id = textAt(node, "id") ?? textAt(node, "name") ?? textAt(node, "instance_type");
    return kind !== undefined && id !== undefined && id !== "" ? `the ${kind} \`${shown(id)}\`` : undefined;
  },
};

/** Compares a file with the shape of a checklist workflow. */
export function checkChecklistShape(root: SourceNode, complain: Complain): void {
  checkShape({ ...rules, accepts: (node, path, key) => acceptForeignKey(node, path, key, complain) }, root, complain);
}

const topKeys: readonly string[] = Object.keys(checklistShape.shape);
const ruleKeys: readonly string[] = ["require_all_files", "require_all_checklist_items", "allow_skip_with_reason"];

/** Accepts, with a warning, keys that other engines give a meaning and that the agent is shown. Answers whether it did. */
export function acceptForeignKey(node: SourceNode, path: Where, key: string, complain: Complain): boolean {
  const top = path.length === 0;
  if (!(top ? isGuidance(key) : isForeignRule(path, key, node.value))) return false;
  complain(node, {
    code: "CHECKLIST_FOREIGN_KEY",
    severity: "warning",
    message: top
      ? `The engine does not act on \`${key}\`; the agent is shown it as guidance.`
      : `\`${key}\` is not a completion rule of Waymark; the agent is shown it as guidance.`,
    fix: top
      ? "Remove it, or say it with phases, entries and patterns."
      : "Use `require_all_files`, `require_all_checklist_items` and `allow_skip_with_reason`.",
    at: "key",
  });
  return true;
}

/** What the agent is shown as written: extra keys of the file, and foreign completion rules under `completion_rules`. */
export function guidanceOf(root: SourceNode): JsonObject {
  const made: Record<string, Json> = {};
  for (const [key, node] of entriesOf(root)) if (!topKeys.includes(key) && isGuidance(key)) made[key] = node.value;
  const rules = entriesOf(child(root, "completion_rules"))
    .filter(([key, node]) => !ruleKeys.includes(key) && isForeignRule(["completion_rules"], key, node.value))
    .map(([key, node]) => [key, node.value] as const);
  if (rules.length > 0) made["completion_rules"] = Object.fromEntries(rules);
  return made;
}

/** A key that could be a slip of the pen for one of ours, or that is not a word at all, is never taken as guidance. */
function isGuidance(key: string): boolean {
  return guidanceKeys.includes(key) || (/^[A-Za-z][\w-]*$/.test(key) && nearest(key, topKeys).length === 0);
}

function isForeignRule(path: Where, key: string, value: Json): boolean {
  if (path.length !== 1 || path[0] !== "completion_rules" || isObject(value)) return false;
  return ruleKeys.every((each) => editDistance(each, key) > 2 && !each.includes(key));
}
