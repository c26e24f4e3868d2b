import type * as z from "zod";
import { isObject, nearest, type Json } from "../../../../base/index.ts";
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
  type Complain,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { machineShape } from "../shape/machine-shape.ts";
import { stepShapes } from "../shape/state-shape.ts";
import { stepWords, type StepWord } from "../vocabulary.ts";

type Issue = z.core.$ZodIssue;

interface Telling {
  readonly root: SourceNode;
  readonly complain: Complain;
}

/** Compares a file with the shape of a machine. Reports every difference, with a place and a way out. */
export function checkShape(root: SourceNode, complain: Complain): void {
  const outcome = machineShape.safeParse(root.value);
  for (const issue of outcome.error?.issues ?? []) explain({ root, complain }, issue, issue.path);
}

function explain(telling: Telling, issue: Issue, path: Where): void {
  const { root, complain } = telling;
  if (issue.code !== "unrecognized_keys" && explainMissing(telling, path)) return;
  switch (issue.code) {
    case "unrecognized_keys":
      for (const key of issue.keys) explainUnknownKey(telling, path, key);
      return;
    case "invalid_union":
      return explainUnion(telling, issue, path);
    case "invalid_type":
      return complainOfType(telling, inWords(issue.expected), path);
    case "invalid_value":
      return explainValue(telling, issue.values.map(String), path);
    case "too_small":
    case "too_big":
      return explainSize(telling, issue, path);
    default:
      return complain(nearestNode(root, path), {
        code: "MACHINE_BAD_VALUE",
        message: `${nameOf(root, path)} cannot be used: ${issue.message}.`,
        fix: "Correct the value.",
      });
  }
}

function explainUnknownKey({ root, complain }: Telling, path: Where, key: string): void {
  const owner = nearestNode(root, path);
  const word = isStep(path) ? stepWordsIn(owner.value)[0] : undefined;
  const known = word === undefined ? keysOfShape(machineShape, path, root.value) : Object.keys(stepShapes[word].shape);
  const close = nearest(key, known);
  const node = child(owner, key) ?? owner;
  // `{ goal: Mend it, then test it }` is two keys.
  const comma = node.value === null && key.includes(" ");
  complain(node, {
    code: "MACHINE_UNKNOWN_KEY",
    message: `\`${key}\` is not a key of ${word === undefined ? ownerName(root, path) : `the step \`${word}\``}.`,
    fix: comma
      ? "A comma ends a value between `{` and `}`: put the whole text in quotes."
      : close.length > 0
        ? `Did you mean ${quoteList(close, "or")}?`
        : `Allowed here: ${quoteList(known, "and")}.`,
    at: "key",
  });
}

/** A value that fits none of several forms: the form it is meant to have, or comes closest to, is explained. */
function explainUnion(telling: Telling, issue: Extract<Issue, { code: "invalid_union" }>, path: Where): void {
  const { root } = telling;
  const { value } = nearestNode(root, path);
  if (isStep(path) && isObject(value)) return explainStep(telling, issue.errors, path);
  const misfit = (error: Issue): boolean => error.path.length === 0 && (error.code === "invalid_type" || error.code === "invalid_value");
  const best = issue.errors.filter((errors) => !errors.some(misfit)).sort((a, b) => a.length - b.length)[0];
  if (best !== undefined) {
    for (const error of best) explain(telling, error, [...path, ...error.path]);
    return;
  }
  const flat = issue.errors.flat();
  const words = flat.flatMap((error) => (error.code === "invalid_value" ? error.values.map(String) : []));
  if (words.length > 0 && typeof value === "string") return explainValue(telling, words, path);
  const forms = flat.flatMap((error) =>
    error.code === "invalid_type" ? [inWords(error.expected)] : error.code === "invalid_value" ? ["one of the known words"] : [],
  );
  complainOfType(telling, [...new Set(forms)].join(" or "), path);
}

/** A step is judged as the one that its word names. */
function explainStep(telling: Telling, errors: readonly (readonly Issue[])[], path: Where): void {
  const { root, complain } = telling;
  const node = nearestNode(root, path);
  const words = stepWordsIn(node.value);
  const [word] = words;
  if (word !== undefined && words.length === 1) {
    for (const error of errors[stepWords.indexOf(word)] ?? []) explain(telling, error, [...path, ...error.path]);
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

function stepWordsIn(value: Json): StepWord[] {
  return isObject(value) ? stepWords.filter((word) => Object.hasOwn(value, word)) : [];
}

/** A required key that is not there: every kind of issue can mean that. */
function explainMissing({ root, complain }: Telling, path: Where): boolean {
  const key = path.at(-1);
  const owner = descend(root, path.slice(0, -1) as (string | number)[]);
  if (typeof key !== "string" || owner === undefined || !isObject(owner.value) || has(owner, key)) return false;
  if (key === "done" && path.length === 1) {
    complain(root, {
      code: "MACHINE_NO_DONE",
      message: "The machine does not say when it is done.",
      fix: "Add `done:` with what must hold, e.g. `done: { tasks: true, report: true }`.",
    });
    return true;
  }
  complain(owner, {
    code: "MACHINE_MISSING_KEY",
    message: `${capital(ownerName(root, path.slice(0, -1)))} needs \`${key}\`.`,
    fix: `Add \`${key}:\`.`,
  });
  return true;
}

function complainOfType({ root, complain }: Telling, expected: string, path: Where): void {
  const node = nearestNode(root, path);
  const scalar = typeof node.value === "number" || typeof node.value === "boolean";
  const quoted = `Put quotes around it: \`"${shown(node.value)}"\`.`;
  const fix = node.value === null ? `Give it a value: ${expected}.` : `Write ${expected}.`;
  complain(node, {
    code: "MACHINE_WRONG_TYPE",
    message: `${nameOf(root, path)} must be ${expected}, but is ${kindOf(node.value)}.`,
    fix: expected === "a text" && scalar ? quoted : fix,
  });
}

function explainValue({ root, complain }: Telling, allowed: readonly string[], path: Where): void {
  const node = nearestNode(root, path);
  const word = shown(node.value);
  const close = typeof node.value === "string" ? nearest(word, allowed) : [];
  complain(node, {
    code: "MACHINE_UNKNOWN_WORD",
    message: `${nameOf(root, path)} is \`${word}\`, which is not ${allowed.length === 1 ? "" : "one of "}${quoteList(allowed, "and")}.`,
    fix: close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : `Use ${quoteList(allowed, "or")}.`,
  });
}

function explainSize({ root, complain }: Telling, issue: Extract<Issue, { code: "too_small" | "too_big" }>, path: Where): void {
  const node = nearestNode(root, path);
  const list = issue.origin === "array";
  const bound = issue.code === "too_small" ? `at least ${String(issue.minimum)}` : `at most ${String(issue.maximum)}`;
  const empty = list || issue.origin === "string";
  complain(node, {
    code: "MACHINE_BAD_VALUE",
    message: empty
      ? `${nameOf(root, path)} is an empty ${list ? "list" : "text"}.`
      : `${nameOf(root, path)} is ${shown(node.value)}, but must be ${bound}.`,
    fix: empty ? "Give it a content, or remove the key." : `Use ${bound}.`,
  });
}

const kinds: Readonly<Record<string, string>> = { roles: "role", states: "state", artifacts: "artifact", modes: "mode", inputs: "input" };

/** `the state "REVIEW"` for members of a map, the path for anything else. */
function ownerName(root: SourceNode, path: Where): string {
  if (path.length === 0) return "a machine";
  const kind = path.length % 2 === 0 ? kinds[String(path.at(-2))] : undefined;
  return kind === undefined ? nameOf(root, path) : `the ${kind} \`${String(path.at(-1))}\``;
}

function nameOf(root: SourceNode, path: Where): string {
  return `\`${formatDocumentPath([...root.path, ...(path as (string | number)[])])}\``;
}
