import { checkIds } from "./check/check-ids.ts";
import { checkInputs } from "./check/check-inputs.ts";
import { checkPolicies } from "./check/check-policies.ts";
import { checkStepsShape } from "./check/check-steps-shape.ts";
import { checkState } from "./check/check-state.ts";
import { checkSteps } from "./check/check-steps.ts";
import { checkExpression } from "./check/check-expression.ts";
import { knownNames, type CheckContext } from "./check/check-context.ts";
import { child, entriesOf, has, isText, textAt, type Complain, type ExpressionChecker } from "../../../source/index.ts";
import { stepsOf, type LoadedFile, type Resolved, type Workflow } from "./resolve.ts";
import { defaults } from "./vocabulary.ts";

/**
 * Every problem of a resolved set, all at once: first the shape of each file, then what shapes cannot say, workflow by
 * workflow. The second pass looks only at what has the right type, so it runs on broken files too.
 */
export function check(resolved: Resolved, givenName: string, complain: Complain, checker?: ExpressionChecker): void {
  const warn: Complain = (node, complaint) => complain(node, { ...complaint, severity: "warning" });
  const runnable = new Set([...resolved.workflows.values()].map((workflow) => workflow.file));
  for (const file of resolved.files)
    checkStepsShape(file.root, runnable.has(file) || has(file.root, "steps") ? "workflow" : "shared", file.refused, complain);
  for (const workflow of resolved.workflows.values())
    checkWorkflow({ workflow, resolved, complain, warn, checker, names: knownNames(workflow, resolved) });
  if (resolved.main !== undefined) checkMetadata(resolved.main, givenName, warn);
  for (const file of resolved.files) checkName(file, complain);
}

function checkWorkflow(context: CheckContext): void {
  checkInputs(context);
  checkState(context);
  checkSteps(context);
  checkIds(context);
  checkPolicies(context);
  checkTasks(context);
}

/** Task inputs are expressions; a task that no step starts is reported in the file that defines it. */
function checkTasks(context: CheckContext): void {
  const used = new Set(stepsOf(context.workflow).map((step) => textAt(step, "sub_agent_task")));
  for (const [name, task] of context.workflow.sections.tasks) {
    for (const [, input] of entriesOf(child(task, "inputs"))) checkExpression(context, input, "value", { locals: undefined });
    if (used.has(name) || task.file !== context.workflow.root.file) continue;
    context.warn(task, {
      code: "STEPS_UNUSED_TASK",
      message: `No step starts the sub-agent task \`${name}\`.`,
      fix: "Use it in a `parallel_foreach` step, or remove it.",
      at: "key",
    });
  }
}

function checkMetadata({ root }: Workflow, givenName: string, warn: Complain): void {
  if (!has(root, "description"))
    warn(root, {
      code: "STEPS_NO_DESCRIPTION",
      message: "The workflow has no `description`.",
      fix: "Add one sentence that says what it does.",
    });
  if (!has(root, "version"))
    warn(root, {
      code: "STEPS_NO_VERSION",
      message: `The workflow has no \`version\`; it counts as \`${defaults.version}\`.`,
      fix: `Add \`version: "${defaults.version}"\`.`,
    });
  const name = child(root, "name");
  if (!isText(name) || name.value === givenName) return;
  warn(name, {
    code: "STEPS_NAME_DIFFERS",
    message: `The file is stored as \`${givenName}\`, but calls itself \`${name.value}\`; the name inside the file counts.`,
    fix: "Make both names equal.",
  });
}

function checkName(file: LoadedFile, complain: Complain): void {
  const name = child(file.root, "name");
  if (!isText(name) || /^[A-Za-z0-9_:-]+$/.test(name.value)) return;
  complain(name, {
    code: "STEPS_BAD_NAME",
    message: `\`${name.value}\` cannot be the name of a workflow.`,
    fix: "Use letters, digits, `-`, `_` and `:`, such as `category:action`.",
  });
}
