import { articleFor, child, descend, has, numberAt, textAt, textLeaves } from "../../../../source/index.ts";
import { stepKeys } from "../shape/step-shapes.ts";
import { isPlainId } from "../step-nodes.ts";
import { hasHole } from "../template.ts";
import { isLeaf, perTaskNames, stepExpressions } from "../vocabulary.ts";
import { walkSteps, warnWithoutEffect, type CheckContext, type VisitedStep } from "./check-context.ts";
import { checkExpression } from "./check-expression.ts";
import { checkStepType } from "./check-step-type.ts";
import { checkWrites } from "./check-writes.ts";

/** Everything about steps that their shape cannot say. */
export function checkSteps(context: CheckContext): void {
  walkSteps(context.workflow, perTaskNames, (visited) => {
    checkId(context, visited);
    checkLeaving(context, visited);
    checkErrorKeys(context, visited);
    checkExpressions(context, visited);
    checkWrites(context, visited);
    checkStepType(context, visited);
  });
}

function checkId(context: CheckContext, { step, type, scene }: VisitedStep): void {
  const node = child(step, "id");
  if (node === undefined || typeof node.value !== "string") return;
  const id = node.value;
  if (!hasHole(id)) {
    if (!isPlainId(id))
      context.complain(node, {
        code: "STEPS_BAD_ID",
        message: id === "" ? "The id is empty." : `The id \`${id}\` has characters that ids may not have.`,
        fix: "Use letters, digits, `_`, `-`, `.` and `:`, or leave the id out.",
      });
    return;
  }
  checkExpression(context, node, "text", scene);
  if (isLeaf(type)) return;
  context.warn(node, {
    code: "STEPS_ID_TEMPLATE_UNUSED",
    message: `The id \`${id}\` is not rendered: ${articleFor(type)} \`${type}\` step keeps one fixed id.`,
    fix: "Use a fixed id here; the steps inside may have templates in theirs.",
  });
}

function checkLeaving(context: CheckContext, { step, type, scene, index, siblings }: VisitedStep): void {
  if (type !== "break" && type !== "continue" && type !== "exit") return;
  if (type === "exit" && (scene.kind === "cleanup" || scene.kind === "failure")) {
    context.complain(step, {
      code: "STEPS_EXIT_NOT_ALLOWED",
      message: "`exit` is among steps that run because something failed; the outcome is already decided.",
      fix: "Remove the step.",
    });
  }
  if (type !== "exit" && !scene.loop) {
    const where =
      scene.kind === "task" ? "A sub-agent task cannot leave the loop around the step that started it" : "There is no loop around it";
    context.complain(step, {
      code: "STEPS_NOT_IN_LOOP",
      message: `\`${type}\` is outside a loop. ${where}.`,
      fix: "Move it into a `while` or `foreach` body, or use `exit` to end the run.",
    });
  }
  const next = siblings[index + 1];
  if (next === undefined) return;
  const rest = siblings.length - index - 1;
  context.warn(next, {
    code: "STEPS_UNREACHABLE",
    message:
      rest === 1
        ? `This step can never be reached: it follows \`${type}\`.`
        : `These ${rest} steps can never be reached: they follow \`${type}\`.`,
    fix: `Remove ${rest === 1 ? "it" : "them"}, or put the \`${type}\` into a \`conditional\`.`,
  });
}

function checkErrorKeys(context: CheckContext, { step, type }: VisitedStep): void {
  const policy = textAt(step, "on_error") ?? "fail";
  if (policy === "fail" || policy === "continue")
    for (const key of ["retry_count", "retry_delay"])
      warnWithoutEffect(context, child(step, key), `with \`on_error: ${policy}\``, `Use \`on_error: retry\`, or remove \`${key}\`.`);
  if (policy === "retry" && numberAt(step, "retry_count") === 0) {
    context.warn(child(step, "retry_count")!, {
      code: "STEPS_WITHOUT_EFFECT",
      message: "`on_error: retry` with a `retry_count` of 0 never tries again.",
      fix: "Use a higher number, or `on_error: fail`.",
    });
  }
  const fallback = child(step, "fallback_value");
  if (fallback === undefined || !stepKeys[type].includes("fallback_value")) return;
  if (policy === "fail") {
    context.complain(fallback, {
      code: "STEPS_WITHOUT_EFFECT",
      message: "`fallback_value` has no effect with `on_error: fail`: the step fails instead of using it.",
      fix: "Add `on_error: continue` or `on_error: retry`.",
      at: "key",
    });
  }
  for (const leaf of textLeaves(fallback)) {
    if (hasHole(leaf.value))
      context.complain(leaf, {
        code: "STEPS_BAD_VALUE",
        message: "`fallback_value` is taken as written; the template in it would not be evaluated.",
        fix: "Write a fixed value.",
      });
  }
}

function checkExpressions(context: CheckContext, { step, type, scene }: VisitedStep): void {
  for (const [key, as] of Object.entries(stepExpressions[type])) {
    if (has(step, key.split(".")[0] ?? key)) checkExpression(context, descend(step, key.split(".")), as, scene);
  }
}
