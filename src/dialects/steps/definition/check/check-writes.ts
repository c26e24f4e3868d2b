import { child, has, textAt, type SourceNode } from "../../../../source/index.ts";
import { findHoles, wordsOf, fillHoles, hasHole, wholeHole } from "../template.ts";
import { operations, writeKeys } from "../vocabulary.ts";
import { writesOf, type WriteNode } from "../step-nodes.ts";
import type { CheckContext, VisitedStep } from "./check-context.ts";
import { checkExpression, type ExpressionScope } from "./check-expression.ts";
import { editDistance, forbiddenKeys, nearest, splitPath } from "../../../../base/index.ts";

/** Paths, values and transforms of everything a step writes. */
export function checkWrites(context: CheckContext, visited: VisitedStep): void {
  for (const write of writesOf(visited.step)) {
    const path = child(write.node, "path");
    if (path !== undefined) {
      checkWritePath(context, path);
      checkExpression(context, path, "path", scopeOf(visited, write));
      checkShared(context, visited, write, path);
    }
    checkExpression(context, child(write.node, "value"), "value", scopeOf(visited, write));
    checkExpression(context, child(write.node, "transform"), "js", scopeOf(visited, write));
    checkValue(context, visited, write);
    const both = has(write.node, "value") ? child(write.node, "transform") : undefined;
    if (both !== undefined) {
      const message = "A write takes either `value` or `transform`.";
      const fix = "Put the expression of `value` into the `transform`, where `result` is in scope.";
      context.complain(both, { code: "STEPS_CONFLICTING_KEYS", message, fix, at: "key" });
    }
  }
}

/** The fields of an `apply_hints` result are names of their own, so nothing can be said about names there. */
function scopeOf({ scene, type }: VisitedStep, write: WriteNode): ExpressionScope {
  const local = writeKeys[write.under];
  if (scene.locals === undefined || (type === "apply_hints" && write.under === "state_update")) return { locals: undefined };
  return { locals: local === undefined ? scene.locals : [...scene.locals, local] };
}

/** Only a write that follows a step has a result to fall back on. */
function checkValue(context: CheckContext, { step }: VisitedStep, { node, under }: WriteNode): void {
  const operation = textAt(node, "operation") ?? "set";
  if (has(node, "value") || has(node, "transform") || operation === "increment" || operation === "decrement") return;
  if (under === "state_update" || under === "error_state_update") return;
  if ((under === "step" && has(step, "updates")) || !operations.some((each) => each === operation)) return;
  const message = `This update says \`${operation}\` without a \`value\`, and there is no result to take.`;
  context.complain(node, { code: "STEPS_MISSING_KEY", message, fix: "Add `value:`." });
}

/** A name that the workflow does not know can only be a field of the item, so it differs from task to task. */
function checkShared(context: CheckContext, { scene }: VisitedStep, { node }: WriteNode, path: SourceNode): void {
  if (scene.perTask === undefined || typeof path.value !== "string" || (textAt(node, "operation") ?? "set") !== "set") return;
  const text = path.value;
  const words =
    context.checker !== undefined && context.checker.check({ as: "path", of: text }).length === 0
      ? context.checker.names({ as: "path", of: text })
      : findHoles(text).flatMap((hole) => wordsOf(hole.code));
  if (words.some((word) => scene.perTask?.includes(word) || !context.names.flat.has(word))) return;
  const message = `Every parallel task sets \`${text}\`; the last one wins.`;
  const fix = "Put `{{ task_id }}` or something of the item into the path, or use `append`, `increment` or `merge`.";
  context.warn(path, { code: "STEPS_SHARED_WRITE", message, fix });
}

/** Rules for a path that something is written to; one that is a template as a whole can only be judged when it is known. */
export function checkWritePath(context: CheckContext, node: SourceNode, options: { readonly fixed: boolean } = { fixed: false }): void {
  if (typeof node.value !== "string") return;
  const path = node.value;
  const refuse = (message: string, fix: string): void => context.complain(node, { code: "STEPS_WRITE_PATH", message, fix });
  if (options.fixed && hasHole(path))
    return refuse(`The path \`${path}\` must be fixed: templates are not evaluated here.`, "Use a path without templates.");
  if (wholeHole(path) !== undefined) return;
  const problem = problemOf(path);
  if (problem !== undefined) return refuse(problem, fixFor(context, path));
  const keys = splitPath(fillHoles(path, "_")) ?? [];
  const forbidden = keys.find((key) => forbiddenKeys.has(key));
  if (forbidden !== undefined) {
    const message = `The path \`${path}\` holds the key \`${forbidden}\`, which is not allowed.`;
    return context.complain(node, { code: "STEPS_FORBIDDEN_KEY", message, fix: "Choose another name." });
  }
  const [, name = ""] = keys;
  if (context.names.computed.has(name)) {
    const message = `\`${path}\` is written, but readers see the computed field \`${name}\` in its place.`;
    context.warn(node, { code: "STEPS_NAME_COLLISION", message, fix: "Use different names." });
  }
}

function problemOf(path: string): string | undefined {
  if (path.trim() === "") return "The path to write to is empty.";
  if (path !== path.trim()) return `The path \`${path}\` has blanks around it.`;
  if (path.startsWith(".")) return `The path \`${path}\` starts with a dot.`;
  const filled = fillHoles(path, "_");
  const [tier = ""] = /^[^.[]*/.exec(filled) ?? [];
  if (hasHole(/^[^.]*/.exec(path)?.[0] ?? "")) return `The path \`${path}\` must begin with \`raw.\` or \`state.\`, not with a template.`;
  if (tier === "computed") return `\`${path}\` cannot be written: computed fields are derived from others.`;
  if (tier === "inputs" || tier === "config") return `\`${path}\` cannot be written: \`${tier}\` is read-only.`;
  if (tier !== "raw" && tier !== "state") return `The path \`${path}\` does not start with \`raw.\` or \`state.\`.`;
  const keys = splitPath(filled);
  if (filled === tier || filled === `${tier}.`) return `The path \`${path}\` names a whole tier; it needs at least one field.`;
  return keys === undefined ? `The path \`${path}\` has an empty or unclosed part.` : undefined;
}

function fixFor(context: CheckContext, path: string): string {
  const name = path.trim().replace(/^\.+/, "").replace(/\.+$/, "");
  if (/^(raw|state)\b/.test(name)) return "Write it as `raw.<name>` or `state.<name>`, with one dot between keys.";
  if (/^(computed|inputs|config)\./.test(name)) return "Write to a field of `raw` or `state` instead.";
  if (name === "") return "Write it as `raw.<name>` or `state.<name>`.";
  const [first = "", ...rest] = name.split(".");
  const tier = ["raw", "state"].find((each) => editDistance(first, each) <= 1);
  if (tier !== undefined && rest.length > 0) return `Did you mean \`${[tier, ...rest].join(".")}\`?`;
  const [close = first] = context.names.raw.has(first) ? [first] : nearest(first, context.names.raw, 1);
  return `Did you mean \`${["raw", close, ...rest].join(".")}\`?`;
}
