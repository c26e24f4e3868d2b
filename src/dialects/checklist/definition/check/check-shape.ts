import type * as z from "zod";
import { isObject, nearest } from "../../../../base/index.ts";
import {
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
  textAt,
  type Complain,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { checklistShape } from "../shape/checklist-shape.ts";
import { acceptForeignKey } from "./foreign-keys.ts";

type Issue = z.core.$ZodIssue;

const mergeKeys = "Merge keys are not part of YAML 1.2; write the keys out, or use an alias for the whole value.";

/** Compares a file with the shape of a checklist workflow. Reports every difference, with a place and a way out. */
export function checkShape(root: SourceNode, complain: Complain): void {
  const outcome = checklistShape.safeParse(root.value);
  for (const issue of outcome.error?.issues ?? []) explain(root, issue, issue.path, complain);
}

function explain(root: SourceNode, issue: Issue, path: Where, complain: Complain): void {
  if (issue.code !== "unrecognized_keys" && explainMissing(root, path, complain)) return;
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
        code: "CHECKLIST_BAD_VALUE",
        message: `${nameOf(root, path)} cannot be used: ${issue.message}.`,
        fix: "Correct the value.",
      });
  }
}

function explainUnknownKey(root: SourceNode, path: Where, key: string, complain: Complain): void {
  const owner = nearestNode(root, path);
  const node = child(owner, key) ?? owner;
  const known = keysOfShape(checklistShape, path, root.value);
  if (acceptForeignKey(node, path, key, complain)) return;
  const close = nearest(key, known);
  complain(node, {
    code: "CHECKLIST_UNKNOWN_KEY",
    message: `\`${key}\` is not a key of ${ownerName(root, path)}.`,
    fix:
      key === "<<" ? mergeKeys : close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : `Allowed here: ${quoteList(known, "and")}.`,
    at: "key",
  });
}

/** A value that fits none of several forms: the form it comes closest to is explained. */
function explainUnion(root: SourceNode, issue: Extract<Issue, { code: "invalid_union" }>, path: Where, complain: Complain): void {
  const misfit = (error: Issue): boolean => error.path.length === 0 && (error.code === "invalid_type" || error.code === "invalid_value");
  const inside = issue.errors.filter((errors) => !errors.some(misfit));
  const best = inside.sort((a, b) => a.length - b.length)[0];
  if (best !== undefined) {
    for (const error of best) explain(root, error, [...path, ...error.path], complain);
    return;
  }
  const flat = issue.errors.flat();
  const words = flat.flatMap((error) => (error.code === "invalid_value" ? error.values.map(String) : []));
  if (words.length > 0 && typeof nearestNode(root, path).value === "string") return explainValue(root, words, path, complain);
  const forms = flat.flatMap((error) =>
    error.code === "invalid_type" ? [inWords(error.expected)] : error.code === "invalid_value" ? ["one of the known words"] : [],
  );
  complainOfType(root, [...new Set(forms)].filter((form) => form !== "a null").join(" or "), path, complain);
}

/** A required key that is not there: every kind of issue can mean that. */
function explainMissing(root: SourceNode, path: Where, complain: Complain): boolean {
  const key = path.at(-1);
  const owner = descend(root, path.slice(0, -1) as (string | number)[]);
  if (typeof key !== "string" || owner === undefined || !isObject(owner.value) || has(owner, key)) return false;
  complain(owner, {
    code: "CHECKLIST_MISSING_KEY",
    message: `${capital(ownerName(root, path.slice(0, -1)))} needs \`${key}\`.`,
    fix: `Add \`${key}:\`.`,
  });
  return true;
}

function complainOfType(root: SourceNode, expected: string, path: Where, complain: Complain): void {
  const node = nearestNode(root, path);
  const scalar = typeof node.value === "number" || typeof node.value === "boolean";
  const fix =
    expected === "a text" && scalar
      ? `Put quotes around it: \`"${String(node.value)}"\`.`
      : node.value === null
        ? `Give it a value: ${expected}.`
        : `Write ${expected}.`;
  complain(node, {
    code: "CHECKLIST_WRONG_TYPE",
    message: `${nameOf(root, path)} must be ${expected}, but is ${kindOf(node.value)}.`,
    fix,
  });
}

function explainValue(root: SourceNode, allowed: readonly string[], path: Where, complain: Complain): void {
  const node = nearestNode(root, path);
  const word = shown(node.value);
  const close = typeof node.value === "string" ? nearest(word, allowed) : [];
  complain(node, {
    code: "CHECKLIST_BAD_VALUE",
    message: `${nameOf(root, path)} is \`${word}\`, which is not one of ${quoteList(allowed, "and")}.`,
    fix: close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : `Use ${quoteList(allowed, "or")}.`,
  });
}

function explainSize(root: SourceNode, issue: Extract<Issue, { code: "too_small" | "too_big" }>, path: Where, complain: Complain): void {
  const node = nearestNode(root, path);
  if (issue.origin === "array" || issue.origin === "string") {
    const what = issue.origin === "array" ? "list" : "text";
    return complain(node, {
      code: "CHECKLIST_BAD_VALUE",
      message: `${nameOf(root, path)} is an empty ${what}.`,
      fix: issue.origin === "array" ? "Give it at least one entry, or remove the key." : "Give it some text, or remove the key.",
    });
  }
  const bound = issue.code === "too_small" ? `at least ${String(issue.minimum)}` : `at most ${String(issue.maximum)}`;
  complain(node, {
    code: "CHECKLIST_BAD_VALUE",
    message: `${nameOf(root, path)} is ${shown(node.value)}, but must be ${bound}.`,
    fix: `Use ${bound}.`,
  });
}

const lists: Readonly<Record<string, string>> = {
  phases: "phase",
  per_file_checklist: "checklist entry",
  patterns: "pattern",
  rules: "classifier rule",
  transformations: "transformation",
};

/** `the phase "review"` for members of a list, the path for anything else. */
function ownerName(root: SourceNode, path: Where): string {
  if (path.length === 0) return "a checklist workflow";
  const kind = typeof path.at(-1) === "number" ? lists[String(path.at(-2))] : undefined;
  const node = descend(root, path as (string | number)[]);
  const id = textAt(node, "id") ?? textAt(node, "name") ?? textAt(node, "instance_type");
  return kind !== undefined && id !== undefined && id !== "" ? `the ${kind} \`${shown(id)}\`` : nameOf(root, path);
}

function nameOf(root: SourceNode, path: Where): string {
  return `\`${formatDocumentPath([...root.path, ...(path as (string | number)[])])}\``;
}
