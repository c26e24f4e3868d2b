import {
  articleFor,
  checkFreshRole,
  checkReturns,
  child,
  descend,
  numberAt,
  textAt,
  textLeaves,
  flagAt,
  has,
  isText,
  suggest,
  textsAt,
  type SourceNode,
} from "../../../../source/index.ts";
import { stepKeys } from "../shape/step-shapes.ts";
import { isPlainId } from "../step-nodes.ts";
import { hasHole, wholeHole } from "../template.ts";
import { isLeaf, stepExpressions, takenNames } from "../vocabulary.ts";
import { walkSteps, warnWithoutEffect, type CheckContext, type VisitedStep } from "./check-context.ts";
import { checkExpression } from "./check-expression.ts";
import { checkPersons } from "./check-persons.ts";
import { checkWrites, checkWritePath } from "./check-writes.ts";
import { checkInclude, checkPattern } from "./check-inputs.ts";

/** Everything about steps that their shape cannot say. */
export function checkSteps(context: CheckContext): void {
  walkSteps(context.workflow, (visited) => {
    checkId(context, visited);
    checkLeaving(context, visited);
    checkErrorKeys(context, visited);
    for (const [key, as] of Object.entries(stepExpressions[visited.type] ?? {}))
      checkExpression(context, descend(visited.step, key.split(".")), as, visited.scene);
    checkWrites(context, visited);
    checkStepType(context, visited);
  });
  checkPersons(context);
}

function checkId(context: CheckContext, { step, type, scene }: VisitedStep): void {
  const node = child(step, "id");
  if (node === undefined || typeof node.value !== "string") return;
  const id = node.value;
  if (!hasHole(id)) {
    if (!isPlainId(id)) {
      const message = id === "" ? "The id is empty." : `The id \`${id}\` has characters that ids may not have.`;
      context.complain(node, { code: "STEPS_BAD_ID", message, fix: "Use letters, digits, `_`, `-`, `.` and `:`, or leave the id out." });
    }
    return;
  }
  checkExpression(context, node, "text", scene);
  if (isLeaf(type)) return;
  const message = `The id \`${id}\` is not rendered: ${articleFor(type)} \`${type}\` step keeps one fixed id.`;
  const fix = "Use a fixed id here; the steps inside may have templates in theirs.";
  context.warn(node, { code: "STEPS_ID_TEMPLATE_UNUSED", message, fix });
}

function checkLeaving(context: CheckContext, { step, type, scene, index, siblings }: VisitedStep): void {
  if (type !== "break" && type !== "continue" && type !== "exit") return;
  if (type === "exit" && (scene.kind === "cleanup" || scene.kind === "failure")) {
    const message = "`exit` is among steps that run because something failed; the outcome is already decided.";
    context.complain(step, { code: "STEPS_EXIT_NOT_ALLOWED", message, fix: "Remove the step." });
  }
  if (type !== "exit" && !scene.loop) {
    const where =
      scene.kind === "task" ? "A sub-agent task cannot leave the loop around the step that started it" : "There is no loop around it";
    const message = `\`${type}\` is outside a loop. ${where}.`;
    const fix = "Move it into a `while` or `foreach` body, or use `exit` to end the run.";
    context.complain(step, { code: "STEPS_NOT_IN_LOOP", message, fix });
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
    const message = "`on_error: retry` with a `retry_count` of 0 never tries again.";
    context.warn(child(step, "retry_count")!, { code: "STEPS_WITHOUT_EFFECT", message, fix: "Use a higher number, or `on_error: fail`." });
  }
  const fallback = child(step, "fallback_value");
  if (fallback === undefined || !stepKeys[type].includes("fallback_value")) return;
  if (policy === "fail") {
    const message = "`fallback_value` has no effect with `on_error: fail`: the step fails instead of using it.";
    context.complain(fallback, { code: "STEPS_WITHOUT_EFFECT", message, fix: "Add `on_error: continue` or `on_error: retry`.", at: "key" });
  }
  for (const leaf of textLeaves(fallback)) {
    if (hasHole(leaf.value)) {
      const message = "`fallback_value` is taken as written; the template in it would not be evaluated.";
      context.complain(leaf, { code: "STEPS_BAD_VALUE", message, fix: "Write a fixed value." });
    }
  }
}

/** Rules that concern one type of step only. */
function checkStepType(context: CheckContext, { step, type }: VisitedStep): void {
  switch (type) {
    case "state_update":
      return checkUpdateForm(context, step);
    case "agent_task":
      // A fallback is the result of a step that failed, and what the command says is not its result.
      checkOneOf(context, step, ["done_when", "fallback_value"], false);
      checkFreshRole(step, "STEPS_BAD_VALUE", context.complain);
      return checkReturns(step, "STEPS_BAD_VALUE", context.complain);
    case "apply_hints":
      if (!has(step, "hints"))
        context.complain(step, { code: "STEPS_MISSING_KEY", message: "An `apply_hints` step needs `hints`.", fix: "Add `hints:`." });
      return;
    case "user_input":
      checkPattern(context, child(child(step, "validation"), "pattern"));
      return checkOneOf(context, step, ["options", "choices"], false);
    case "foreach":
      checkItems(context, step);
      checkVariable(context, step);
      return checkOneOf(context, step, ["steps", "body"], true);
    case "parallel_foreach":
      checkItems(context, step);
      return checkParallel(context, step);
    case "include_workflow":
      return checkInclude(context, step);
    case "wait":
      return checkWait(context, step);
    case "exit": {
      const fix = "Add `status: failed`, or show a `user_message` before.";
      if (textAt(step, "status") !== "failed") warnWithoutEffect(context, child(step, "message"), "unless the run ends as failed", fix);
      return;
    }
    default:
      return;
  }
}

function checkOneOf(context: CheckContext, step: SourceNode, keys: readonly string[], needed: boolean): void {
  const given = keys.filter((key) => has(step, key));
  const listed = keys.map((key) => `\`${key}\``).join(", ");
  const type = textAt(step, "type") ?? "";
  if (given.length > 1) {
    const message = `A \`${type}\` step takes only one of ${listed}.`;
    const fix = `Remove \`${given.slice(1).join("` and `")}\`.`;
    context.complain(child(step, given[1]!)!, { code: "STEPS_CONFLICTING_KEYS", message, fix, at: "key" });
  } else if (given.length === 0 && needed) {
    const message = `A \`${type}\` step needs one of ${listed}.`;
    context.complain(step, { code: "STEPS_MISSING_KEY", message, fix: `Add \`${keys[0]}:\`.` });
  }
}

function checkUpdateForm(context: CheckContext, step: SourceNode): void {
  checkOneOf(context, step, ["path", "updates"], true);
  if (!has(step, "updates") || has(step, "path")) return;
  for (const key of ["value", "operation"]) {
    const node = child(step, key);
    if (node !== undefined) {
      const message = `\`${key}\` belongs to a single update, but this step has a list of \`updates\`.`;
      const fix = `Move \`${key}\` into the entries of \`updates\`.`;
      context.complain(node, { code: "STEPS_CONFLICTING_KEYS", message, fix, at: "key" });
    }
  }
}

function checkItems(context: CheckContext, step: SourceNode): void {
  const node = child(step, "items");
  if (!isText(node) || wholeHole(node.value) !== undefined) return;
  context.complain(node, {
    code: "STEPS_ITEMS",
    message: `\`items\` is ${hasHole(node.value) ? "a text with a template in it" : `the text \`${node.value}\``}, and a text is not a list.`,
    fix: /^[\w.$]+$/.test(node.value)
      ? `Write \`"{{ ${node.value} }}"\`.`
      : 'Write one template as a whole, such as `"{{ files }}"`, or a YAML list.',
  });
}

function checkVariable(context: CheckContext, step: SourceNode): void {
  const node = child(step, "variable_name");
  if (!isText(node)) return;
  const name = node.value;
  const refuse = (message: string, fix: string): void => context.complain(node, { code: "STEPS_BAD_VALUE", message, fix });
  if (!/^[A-Za-z_$][\w$]*$/.test(name))
    refuse(`\`${name}\` cannot be the name of a variable.`, "Use letters, digits and `_`, not starting with a digit.");
  else if (takenNames.includes(name)) refuse(`\`${name}\` already means something else in expressions.`, "Choose another name.");
}

function checkParallel(context: CheckContext, step: SourceNode): void {
  const { complain, workflow } = context;
  const task = child(step, "sub_agent_task");
  if (isText(task) && !workflow.sections.tasks.has(task.value)) {
    const message = `There is no sub-agent task \`${task.value}\`.`;
    const fix = suggest(task.value, workflow.sections.tasks.keys()) ?? "Define it under `sub_agent_tasks`.";
    complain(task, { code: "STEPS_UNKNOWN_TASK", message, fix });
  }
  const prompt = child(step, "sub_agent_prompt_override");
  if (isText(prompt) && hasHole(prompt.value)) {
    const message = "The prompt for sub-agents is the same for all tasks; the template in it would not be evaluated.";
    const fix = "Put the value under `inputs` of the task; every sub-agent gets it in its context.";
    complain(prompt, { code: "STEPS_BAD_VALUE", message, fix });
  }
  const errors = child(step, "on_sub_agent_error");
  const path = child(errors, "error_state_path");
  if (path !== undefined) checkWritePath(context, path, { fixed: true });
  if (flagAt(errors, "collect_errors") === false)
    warnWithoutEffect(context, path, "with `collect_errors: false`", "Remove it, or collect the errors.");
  if (textAt(errors, "strategy") === "fail_all")
    warnWithoutEffect(context, child(errors, "max_retries"), "with `strategy: fail_all`", "Use `strategy: retry_failed`, or remove it.");
}

function checkWait(context: CheckContext, step: SourceNode): void {
  checkOneOf(context, step, ["duration_ms", "seconds", "until"], true);
  for (const node of [...textsAt(step, "duration_ms"), ...textsAt(step, "seconds")]) {
    if (wholeHole(node.value) === undefined) {
      const message = `\`${node.value}\` is neither a number nor one template.`;
      context.complain(node, { code: "STEPS_WRONG_TYPE", message, fix: "Write a number without quotes, or one template as a whole." });
    }
  }
  const until = child(step, "until");
  if (!isText(until) || hasHole(until.value) || !Number.isNaN(Date.parse(until.value))) return;
  const message = `\`${until.value}\` is not a time.`;
  context.complain(until, { code: "STEPS_BAD_VALUE", message, fix: "Write it as ISO text, such as `2030-01-31T09:00:00Z`." });
}
