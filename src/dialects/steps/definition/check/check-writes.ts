import { child, has, textAt, type SourceNode } from "../../../../source/index.ts";
import { findHoles, wordsOf } from "../template.ts";
import { operations, writeKeys } from "../vocabulary.ts";
import { writesOf, type WriteNode } from "../write-nodes.ts";
import type { CheckContext } from "./check-context.ts";
import { checkExpression, type ExpressionScope } from "./check-expression.ts";
import { checkWritePath } from "./check-write-path.ts";
import type { VisitedStep } from "./walk-steps.ts";

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
    if (both !== undefined)
      context.complain(both, {
        code: "STEPS_CONFLICTING_KEYS",
        message: "A write takes either `value` or `transform`.",
        fix: "Put the expression of `value` into the `transform`, where `result` is in scope.",
        at: "key",
      });
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
  context.complain(path, {
    code: "STEPS_SHARED_WRITE",
    severity: "warning",
    message: `Every parallel task sets \`${text}\`; the last one wins.`,
    fix: "Put `{{ task_id }}` or something of the item into the path, or use `append`, `increment` or `merge`.",
  });
}
