import { isObject, nearest, type Json } from "../../../../base/index.ts";
import {
  checkShape,
  isMissing,
  nearestNode,
  quoteList,
  type Complain,
  type ShapeCheck,
  type ShapeIssue,
  type ShapeRules,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { machineShape } from "../shape/machine-shape.ts";
import { stepShapes } from "../shape/state-shape.ts";
import { stepWords, type StepWord } from "../vocabulary.ts";

const kinds: Readonly<Record<string, string>> = { roles: "role", states: "state", artifacts: "artifact", modes: "mode", inputs: "input" };

const rules: ShapeRules = {
  shape: machineShape,
  codes: {
    unknownKey: "MACHINE_UNKNOWN_KEY",
    missingKey: "MACHINE_MISSING_KEY",
    wrongType: "MACHINE_WRONG_TYPE",
    badValue: "MACHINE_BAD_VALUE",
    unknownWord: () => "MACHINE_UNKNOWN_WORD",
  },
  nameAt(path, root) {
    if (path.length === 0) return "a machine";
    const word = stepWordAt(path, root);
    if (word !== undefined) return `the step \`${word}\``;
    const kind = path.length % 2 === 0 ? kinds[String(path.at(-2))] : undefined;
    return kind === undefined ? undefined : `the ${kind} \`${String(path.at(-1))}\``;
  },
  keysAt(path, root) {
    const word = stepWordAt(path, root);
    return word === undefined ? undefined : Object.keys(stepShapes[word].shape);
  },
  special(issue, path, check) {
    if (path.length === 1 && path[0] === "done" && isMissing(check.root, path)) {
      check.complain(check.root, {
        code: "MACHINE_NO_DONE",
        message: "The machine does not say when it is done.",
        fix: "Add `done:` with what must hold, e.g. `done: { tasks: true, report: true }`.",
      });
      return true;
    }
    if (issue.code !== "invalid_union" || !isStep(path) || !isObject(nearestNode(check.root, path).value)) return false;
    explainStep(check, issue.errors, path);
    return true;
  },
};

/** Compares a file with the shape of a machine. */
export function checkMachineShape(root: SourceNode, complain: Complain): void {
  checkShape(rules, root, complain);
}

/** A step is judged as the one that its word names. */
function explainStep({ root, complain, explain }: ShapeCheck, errors: readonly (readonly ShapeIssue[])[], path: Where): void {
  const node = nearestNode(root, path);
  const words = stepWordsIn(node.value);
  const [word] = words;
  if (word !== undefined && words.length === 1) {
    for (const error of errors[stepWords.indexOf(word)] ?? []) explain(error, [...path, ...error.path]);
    return;
  }
  const close = isObject(node.value) ? Object.keys(node.value).flatMap((key) => nearest(key, stepWords, 1)) : [];
  complain(node, {
    code: "MACHINE_STEP_FORM",
    message: words.length === 0 ? "The step does not say what it does." : `The step does several things: ${quoteList(words, "and")}.`,
    fix:
      words.length > 0
        ? "Make each of them a step of its own."
        : close.length > 0
          ? `Did you mean ${quoteList(close, "or")}?`
          : `Give it one of ${quoteList(stepWords, "and")}.`,
  });
}

function isStep(path: Where): boolean {
  return typeof path.at(-1) === "number" && path.at(-2) === "do";
}

function stepWordAt(path: Where, root: SourceNode): StepWord | undefined {
  return isStep(path) ? stepWordsIn(nearestNode(root, path).value)[0] : undefined;
}

function stepWordsIn(value: Json): StepWord[] {
  return isObject(value) ? stepWords.filter((word) => Object.hasOwn(value, word)) : [];
}
