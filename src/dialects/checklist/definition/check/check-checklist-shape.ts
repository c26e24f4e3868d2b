import {
  checkShape,
  descend,
  shown,
  textAt,
  type Complain,
  type DocumentPath,
  type ShapeRules,
  type SourceNode,
} from "../../../../source/index.ts";
import { checklistShape } from "../shape/checklist-shape.ts";
import { acceptForeignKey } from "./foreign-keys.ts";

const lists: Readonly<Record<string, string>> = {
  phases: "phase",
  per_file_checklist: "checklist entry",
  patterns: "pattern",
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
