import type * as z from "zod";
import { isObject, nearest } from "../../../../base/index.ts";
import {
  articleFor,
  capital,
  child,
  descend,
  formatDocumentPath,
  has,
  inWords,
  keysOfShape,
  kindOf,
  nearestNode,
  quoteList,
  shown,
  suggest,
  textAt,
  type Complain,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { refusedKey } from "../recognise.ts";
import { sharedShape, workflowOnlyKeys, workflowShape } from "../shape/workflow-shape.ts";
import { stepsFeatures } from "../features.ts";
import { stepTypes, typeWords, type StepType } from "../vocabulary.ts";

type Issue = z.core.$ZodIssue;

/** Keys people bring from elsewhere, with what to do about them. */
const foreignKeys: Readonly<Record<string, string>> = {
  "<<": "Merge keys are not part of YAML 1.2; write the keys out, or use an alias for the whole value.",
  orchestrator_behavior: "Remove it: it describes what the driving agent does by itself. `on_high_context_usage` says what happens then.",
  outputs: "Remove it: the final state of a run is its output.",
  when: "Put the step into a `conditional`.",
};

/** Compares a file with the shape of a workflow, or of a shared file. Reports every difference, with a place and a way out. */
export function checkShape(root: SourceNode, kind: "workflow" | "shared", refused: ReadonlySet<string>, complain: Complain): void {
  const quiet: Complain = (node, complaint) => {
    if (!refused.has(refusedKey(node))) complain(node, complaint);
  };
  const outcome = (kind === "workflow" ? workflowShape : sharedShape).safeParse(root.value);
  for (const issue of outcome.error?.issues ?? []) explain(root, issue, issue.path, quiet);
  if (kind === "shared") for (const key of workflowOnlyKeys) complainOfSharedKey(root, key, complain);
}

function complainOfSharedKey(root: SourceNode, key: string, complain: Complain): void {
  const node = child(root, key);
  if (node === undefined) return;
  complain(node, {
    code: "STEPS_SHARED_FILE_KEY",
    message: `\`${key}\` has no effect in a shared file without \`steps\`.`,
    fix: "Move it into the workflow that imports this file.",
    at: "key",
  });
}

function explain(root: SourceNode, issue: Issue, path: Where, complain: Complain): void {
  const isStepType = issue.code === "invalid_union" && issue.errors.length === 0;
  if (issue.code !== "unrecognized_keys" && !isStepType && explainMissing(root, path, complain)) return;
  switch (issue.code) {
    case "unrecognized_keys":
      for (const key of issue.keys) explainUnknownKey(root, path, key, complain);
      return;
    case "invalid_union":
      return explainUnion(root, issue, path, complain);
    case "invalid_type":
      return complainOfType(root, inWords(issue.expected), path, complain);
    case "invalid_value":
      return explainValue(root, issue.values.map(String), path, complain);
    case "too_small":
    case "too_big":
      return explainSize(root, issue, path, complain);
    default:
      return complain(nearestNode(root, path), {
        code: "STEPS_BAD_VALUE",
        message: `${nameOf(root, path)} cannot be used: ${issue.message}.`,
        fix: "Correct the value.",
      });
  }
}

function explainUnknownKey(root: SourceNode, path: Where, key: string, complain: Complain): void {
  const owner = nearestNode(root, path);
  const node = child(owner, key) ?? owner;
  const known = knownKeys(root, path);
  const close = nearest(key, known);
  const fix =
    close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : (foreignKeys[key] ?? `Allowed here: ${quoteList(known, "and")}.`);
  complain(node, { code: "STEPS_UNKNOWN_KEY", message: `\`${key}\` is not a key of ${ownerName(root, path)}.`, fix, at: "key" });
}

/** A step without a known type, or a value that fits none of several forms: the form it comes closest to is explained. */
function explainUnion(root: SourceNode, issue: Extract<Issue, { code: "invalid_union" }>, path: Where, complain: Complain): void {
  if (issue.errors.length === 0) return explainStepType(root, path, complain);
  const inside = issue.errors.filter(
    (errors) => !errors.some((error) => error.path.length === 0 && (error.code === "invalid_type" || error.code === "invalid_value")),
  );
  const best = inside.sort((a, b) => a.length - b.length)[0];
  if (best !== undefined) {
    for (const error of best) explain(root, error, [...path, ...error.path], complain);
    return;
  }
  const flat = issue.errors.flat();
  const words = flat.flatMap((error) => (error.code === "invalid_value" ? error.values.map(String) : []));
  const held = descend(root, path as (string | number)[])?.value;
  if (words.length > 0 && typeof held === "string") return explainValue(root, words, path, complain);
  const forms = [
    ...new Set(
      flat.flatMap((error) =>
        error.code === "invalid_type" ? [inWords(error.expected)] : error.code === "invalid_value" ? ["a type word"] : [],
      ),
    ),
  ];
  complainOfType(root, forms.join(" or "), path, complain);
}

function explainStepType(root: SourceNode, path: Where, complain: Complain): void {
  const step = nearestNode(root, path.slice(0, -1));
  const type = child(step, "type");
  if (type === undefined) {
    const known = isObject(step.value) ? Object.keys(step.value) : [];
    const close = known.find((key) => nearest(key, ["type"]).length > 0);
    const fix = close === undefined ? `Add \`type:\` with one of ${quoteList(stepTypes, "or")}.` : `Rename \`${close}\` to \`type\`.`;
    return complain(step, {
      code: "STEPS_UNKNOWN_STEP_TYPE",
      message: `The step at \`${formatDocumentPath(step.path)}\` has no \`type\`.`,
      fix,
    });
  }
  const message = `\`${shown(type.value)}\` is not a step type.`;
  complain(type, {
    code: "STEPS_UNKNOWN_STEP_TYPE",
    message,
    fix: suggest(shown(type.value), stepTypes, stepTypes.length) ?? "Use a known type.",
  });
}

/** A required key that is not there: every kind of issue can mean that. */
function explainMissing(root: SourceNode, path: Where, complain: Complain): boolean {
  const key = path.at(-1);
  const owner = descend(root, path.slice(0, -1) as (string | number)[]);
  if (typeof key !== "string" || owner === undefined || !isObject(owner.value) || has(owner, key)) return false;
  complain(owner, {
    code: "STEPS_MISSING_KEY",
    message: `${capital(ownerName(root, path.slice(0, -1)))} needs \`${key}\`.`,
    fix: `Add \`${key}:\`.`,
  });
  return true;
}

function complainOfType(root: SourceNode, expected: string, path: Where, complain: Complain): void {
  const node = nearestNode(root, path);
  const scalar = typeof node.value === "number" || typeof node.value === "boolean";
  const fix =
    /^a text( or a map)?$/.test(expected) && scalar
      ? `Put quotes around it: \`"${String(node.value)}"\`.`
      : node.value === null
        ? `Give it a value: ${expected}.`
        : `Write ${expected}.`;
  complain(node, { code: "STEPS_WRONG_TYPE", message: `${nameOf(root, path)} must be ${expected}, but is ${kindOf(node.value)}.`, fix });
}

function explainValue(root: SourceNode, allowed: readonly string[], path: Where, complain: Complain): void {
  const node = nearestNode(root, path);
  const key = path.at(-1);
  const word = shown(node.value);
  const typeWord = allowed.length === typeWords.length && allowed.every((each) => (typeWords as readonly string[]).includes(each));
  const code = key === "operation" ? "STEPS_UNKNOWN_OPERATION" : typeWord ? "STEPS_UNKNOWN_TYPE_WORD" : "STEPS_BAD_VALUE";
  const close = typeof node.value === "string" ? nearest(word, allowed) : [];
  const fix = close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : `Use ${quoteList(allowed, "or")}.`;
  complain(node, { code, message: `${nameOf(root, path)} is \`${word}\`, which is not one of ${quoteList(allowed, "and")}.`, fix });
}

function explainSize(root: SourceNode, issue: Extract<Issue, { code: "too_small" | "too_big" }>, path: Where, complain: Complain): void {
  const node = nearestNode(root, path);
  const limit = issue.code === "too_small" ? issue.minimum : issue.maximum;
  if (issue.origin === "array" || issue.origin === "string") {
    const what = issue.origin === "array" ? "list" : "text";
    return complain(node, {
      code: "STEPS_BAD_VALUE",
      message: `${nameOf(root, path)} is an empty ${what}.`,
      fix: issue.origin === "array" ? "Give it at least one entry." : "Give it some text.",
    });
  }
  const bound = `${issue.code === "too_small" ? (issue.inclusive === false ? "more than" : "at least") : "at most"} ${String(limit)}`;
  complain(node, {
    code: "STEPS_BAD_VALUE",
    message: `${nameOf(root, path)} is ${shown(node.value)}, but must be ${bound}.`,
    fix: `Use ${bound}.`,
  });
}

function knownKeys(root: SourceNode, path: Where): readonly string[] {
  if (path.length === 0) return stepsFeatures.topLevelKeys;
  const type = stepTypeAt(root, path);
  if (type !== undefined) return stepsFeatures.stepKeys[type];
  return keysOfShape(workflowShape, path, descend(root, [])?.value ?? null);
}

function stepTypeAt(root: SourceNode, path: Where): StepType | undefined {
  if (typeof path.at(-1) !== "number") return undefined;
  const type = textAt(descend(root, path as (string | number)[]), "type");
  return (stepTypes as readonly string[]).includes(type ?? "") ? (type as StepType) : undefined;
}

function ownerName(root: SourceNode, path: Where): string {
  if (path.length === 0) return "a workflow";
  const type = stepTypeAt(root, path);
  return type === undefined ? `\`${formatDocumentPath(path as (string | number)[])}\`` : `${articleFor(type)} \`${type}\` step`;
}

function nameOf(root: SourceNode, path: Where): string {
  return `\`${formatDocumentPath([...root.path, ...(path as (string | number)[])])}\``;
}
