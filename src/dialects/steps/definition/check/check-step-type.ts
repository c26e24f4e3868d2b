import { child, flagAt, has, suggest, textAt, textsAt, type SourceNode } from "../../../../source/index.ts";
import { hasHole, wholeHole } from "../template.ts";
import { takenNames } from "../vocabulary.ts";
import { warnWithoutEffect, type CheckContext, type VisitedStep } from "./check-context.ts";
import { checkInclude, checkPattern } from "./check-inputs.ts";
import { checkWritePath } from "./check-writes.ts";

/** Rules that concern one type of step only. */
export function checkStepType(context: CheckContext, { step, type }: VisitedStep): void {
  switch (type) {
    case "state_update":
      return checkUpdateForm(context, step);
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
    case "exit":
      return checkExit(context, step);
    default:
      return;
  }
}

function checkOneOf(context: CheckContext, step: SourceNode, keys: readonly string[], needed: boolean): void {
  const given = keys.filter((key) => has(step, key));
  const listed = keys.map((key) => `\`${key}\``).join(", ");
  const type = textAt(step, "type") ?? "";
  if (given.length > 1) {
    context.complain(child(step, given[1]!)!, {
      code: "STEPS_CONFLICTING_KEYS",
      message: `A \`${type}\` step takes only one of ${listed}.`,
      fix: `Remove \`${given.slice(1).join("` and `")}\`.`,
      at: "key",
    });
  } else if (given.length === 0 && needed) {
    context.complain(step, {
      code: "STEPS_MISSING_KEY",
      message: `A \`${type}\` step needs one of ${listed}.`,
      fix: `Add \`${keys[0]}:\`.`,
    });
  }
}

function checkUpdateForm(context: CheckContext, step: SourceNode): void {
  checkOneOf(context, step, ["path", "updates"], true);
  if (!has(step, "updates") || has(step, "path")) return;
  for (const key of ["value", "operation"]) {
    const node = child(step, key);
    if (node !== undefined)
      context.complain(node, {
        code: "STEPS_CONFLICTING_KEYS",
        message: `\`${key}\` belongs to a single update, but this step has a list of \`updates\`.`,
        fix: `Move \`${key}\` into the entries of \`updates\`.`,
        at: "key",
      });
  }
}

function checkItems(context: CheckContext, step: SourceNode): void {
  const node = child(step, "items");
  if (node === undefined || typeof node.value !== "string" || wholeHole(node.value) !== undefined) return;
  const message = hasHole(node.value)
    ? `\`items\` is a text with a template in it, and a text is not a list.`
    : `\`items\` is the text \`${node.value}\`, and a text is not a list.`;
  context.complain(node, {
    code: "STEPS_ITEMS",
    message,
    fix: /^[\w.$]+$/.test(node.value)
      ? `Write \`"{{ ${node.value} }}"\`.`
      : 'Write one template as a whole, such as `"{{ files }}"`, or a YAML list.',
  });
}

function checkVariable(context: CheckContext, step: SourceNode): void {
  const node = child(step, "variable_name");
  if (node === undefined || typeof node.value !== "string") return;
  const name = node.value;
  if (!/^[A-Za-z_$][\w$]*$/.test(name))
    context.complain(node, {
      code: "STEPS_BAD_VALUE",
      message: `\`${name}\` cannot be the name of a variable.`,
      fix: "Use letters, digits and `_`, not starting with a digit.",
    });
  else if (takenNames.includes(name))
    context.complain(node, {
      code: "STEPS_BAD_VALUE",
      message: `\`${name}\` already means something else in expressions.`,
      fix: "Choose another name.",
    });
}

function checkParallel(context: CheckContext, step: SourceNode): void {
  const { complain, workflow } = context;
  const task = child(step, "sub_agent_task");
  if (task !== undefined && typeof task.value === "string" && !workflow.sections.tasks.has(task.value)) {
    complain(task, {
      code: "STEPS_UNKNOWN_TASK",
      message: `There is no sub-agent task \`${task.value}\`.`,
      fix: suggest(task.value, workflow.sections.tasks.keys()) ?? "Define it under `sub_agent_tasks`.",
    });
  }
  const prompt = child(step, "sub_agent_prompt_override");
  if (prompt !== undefined && typeof prompt.value === "string" && hasHole(prompt.value)) {
    complain(prompt, {
      code: "STEPS_BAD_VALUE",
      message: "The prompt for sub-agents is the same for all tasks; the template in it would not be evaluated.",
      fix: "Put the value under `inputs` of the task; every sub-agent gets it in its context.",
    });
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
    if (wholeHole(node.value) === undefined)
      context.complain(node, {
        code: "STEPS_WRONG_TYPE",
        message: `\`${node.value}\` is neither a number nor one template.`,
        fix: "Write a number without quotes, or one template as a whole.",
      });
  }
  const until = child(step, "until");
  if (until === undefined || typeof until.value !== "string" || hasHole(until.value) || !Number.isNaN(Date.parse(until.value))) return;
  context.complain(until, {
    code: "STEPS_BAD_VALUE",
    message: `\`${until.value}\` is not a time.`,
    fix: "Write it as ISO text, such as `2030-01-31T09:00:00Z`.",
  });
}

function checkExit(context: CheckContext, step: SourceNode): void {
  if (textAt(step, "status") === "failed") return;
  const fix = "Add `status: failed`, or show a `user_message` before.";
  warnWithoutEffect(context, child(step, "message"), "unless the run ends as failed", fix);
}
