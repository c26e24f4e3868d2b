import { isObject, nearest } from "../../../../base/index.ts";
import {
  articleFor,
  checkShape,
  child,
  descend,
  entriesOf,
  formatDocumentPath,
  nearestNode,
  quoteList,
  shown,
  suggest,
  textAt,
  typeWords,
  type Complain,
  type DocumentPath,
  type ShapeRules,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { refusedKey } from "../generation.ts";
import { stepKeys } from "../shape/step-shapes.ts";
import { sharedShape, workflowOnlyKeys, workflowShape } from "../shape/workflow-shape.ts";
import { stepTypes, type StepType } from "../vocabulary.ts";

const rules: Omit<ShapeRules, "shape"> = {
  codes: {
    unknownKey: "STEPS_UNKNOWN_KEY",
    missingKey: "STEPS_MISSING_KEY",
    wrongType: "STEPS_WRONG_TYPE",
    badValue: "STEPS_BAD_VALUE",
    unknownWord(key, allowed) {
      const typeWord = allowed.length === typeWords.length && allowed.every((each) => (typeWords as readonly string[]).includes(each));
      return key === "operation" ? "STEPS_UNKNOWN_OPERATION" : typeWord ? "STEPS_UNKNOWN_TYPE_WORD" : "STEPS_BAD_VALUE";
    },
  },
  oneWord: "a type word",
  nameAt(path, root) {
    if (path.length === 0) return "a workflow";
    const type = stepTypeAt(root, path);
    return type === undefined ? `\`${formatDocumentPath(path as DocumentPath)}\`` : `${articleFor(type)} \`${type}\` step`;
  },
  keysAt(path, root) {
    const type = stepTypeAt(root, path);
    return type === undefined ? undefined : stepKeys[type];
  },
  foreignKeys: {
    orchestrator_behavior: "Remove it: it describes what the driving agent does by itself. `on_high_context_usage` says what happens then.",
    outputs: "Remove it: the final state of a run is its output.",
    when: "Put the step into a `conditional`.",
  },
  special(issue, path, { root, complain }) {
    if (issue.code !== "invalid_union" || issue.errors.length > 0) return false;
    explainStepType(root, path, complain);
    return true;
  },
};

/** Compares a file with the shape of a workflow, or of a shared file. */
export function checkStepsShape(root: SourceNode, kind: "workflow" | "shared", refused: ReadonlySet<string>, complain: Complain): void {
  const quiet: Complain = (node, complaint) => {
    if (!refused.has(refusedKey(node))) complain(node, complaint);
  };
  checkShape({ ...rules, shape: kind === "workflow" ? workflowShape : sharedShape }, root, quiet);
  for (const [key, node] of kind === "workflow" ? [] : entriesOf(root))
    if (workflowOnlyKeys.includes(key)) {
      const message = `\`${key}\` has no effect in a shared file without \`steps\`.`;
      complain(node, { code: "STEPS_SHARED_FILE_KEY", message, fix: "Move it into the workflow that imports this file.", at: "key" });
    }
}

function explainStepType(root: SourceNode, path: Where, complain: Complain): void {
  const code = "STEPS_UNKNOWN_STEP_TYPE";
  const step = nearestNode(root, path.slice(0, -1));
  const type = child(step, "type");
  if (type === undefined) {
    const known = isObject(step.value) ? Object.keys(step.value) : [];
    const close = known.find((key) => nearest(key, ["type"]).length > 0);
    const fix = close === undefined ? `Add \`type:\` with one of ${quoteList(stepTypes, "or")}.` : `Rename \`${close}\` to \`type\`.`;
    return complain(step, { code, message: `The step at \`${formatDocumentPath(step.path)}\` has no \`type\`.`, fix });
  }
  const word = shown(type.value);
  const message = `\`${word}\` is not a step type.`;
  complain(type, { code, message, fix: suggest(word, stepTypes, stepTypes.length) ?? "Use a known type." });
}

function stepTypeAt(root: SourceNode, path: Where): StepType | undefined {
  if (typeof path.at(-1) !== "number") return undefined;
  const type = textAt(descend(root, path as DocumentPath), "type");
  return stepTypes.find((each) => each === type);
}
