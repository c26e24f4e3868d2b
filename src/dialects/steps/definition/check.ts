import { checkIds } from "./check/check-ids.ts";
import { checkInputs } from "./check/check-inputs.ts";
import { checkStepsShape } from "./check/check-steps-shape.ts";
import { checkState } from "./check/check-state.ts";
import { checkSteps } from "./check/check-steps.ts";
import { checkExpression } from "./check/check-expression.ts";
import { knownNames, warnWithoutEffect, type CheckContext } from "./check/check-context.ts";
import {
  child,
  entriesOf,
  has,
  isText,
  textAt,
  flagAt,
  listedTexts,
  membersOf,
  quoteList,
  suggest,
  type Complain,
  type ExpressionChecker,
  type SourceNode,
} from "../../../source/index.ts";
import { stepsOf, type Resolved, type Workflow } from "./resolve.ts";
import { defaults, resumeParts } from "./vocabulary.ts";
import { isCheckpoint, resumeWord } from "./step-nodes.ts";
import { checkWritePath } from "./check/check-writes.ts";

/**
 * Every problem of a resolved set, all at once: first the shape of each file, then what shapes cannot say, workflow by
 * workflow. The second pass looks only at what has the right type, so it runs on broken files too.
 */
export function check(resolved: Resolved, givenName: string, complain: Complain, checker?: ExpressionChecker): void {
  const warn: Complain = (node, complaint) => complain(node, { ...complaint, severity: "warning" });
  const runnable = new Set([...resolved.workflows.values()].map((workflow) => workflow.file));
  for (const file of resolved.files)
    checkStepsShape(file.root, runnable.has(file) || has(file.root, "steps") ? "workflow" : "shared", file.refused, complain);
  for (const workflow of resolved.workflows.values()) {
    const context = { workflow, resolved, complain, warn, checker, names: knownNames(workflow, resolved) };
    for (const checkPart of [checkInputs, checkState, checkSteps, checkIds, checkPolicies, checkTasks]) checkPart(context);
  }
  if (resolved.main !== undefined) checkMetadata(resolved.main, givenName, warn);
  for (const { root } of resolved.files) {
    const name = child(root, "name");
    if (isText(name) && !/^[A-Za-z0-9_:-]+$/.test(name.value)) {
      const message = `\`${name.value}\` cannot be the name of a workflow.`;
      complain(name, { code: "STEPS_BAD_NAME", message, fix: "Use letters, digits, `-`, `_` and `:`, such as `category:action`." });
    }
  }
}

/** Task inputs are expressions; a task that no step starts is reported in the file that defines it. */
function checkTasks(context: CheckContext): void {
  const used = new Set(stepsOf(context.workflow).map((step) => textAt(step, "sub_agent_task")));
  for (const [name, task] of context.workflow.sections.tasks) {
    for (const [, input] of entriesOf(child(task, "inputs"))) checkExpression(context, input, "value", { locals: undefined });
    if (used.has(name) || task.file !== context.workflow.root.file) continue;
    const message = `No step starts the sub-agent task \`${name}\`.`;
    context.warn(task, { code: "STEPS_UNUSED_TASK", message, fix: "Use it in a `parallel_foreach` step, or remove it.", at: "key" });
  }
}

function checkMetadata({ root }: Workflow, givenName: string, warn: Complain): void {
  if (!has(root, "description")) {
    const message = "The workflow has no `description`.";
    warn(root, { code: "STEPS_NO_DESCRIPTION", message, fix: "Add one sentence that says what it does." });
  }
  if (!has(root, "version")) {
    const message = `The workflow has no \`version\`; it counts as \`${defaults.version}\`.`;
    warn(root, { code: "STEPS_NO_VERSION", message, fix: `Add \`version: "${defaults.version}"\`.` });
  }
  const name = child(root, "name");
  if (!isText(name) || name.value === givenName) return;
  const message = `The file is stored as \`${givenName}\`, but calls itself \`${name.value}\`; the name inside the file counts.`;
  warn(name, { code: "STEPS_NAME_DIFFERS", message, fix: "Make both names equal." });
}

/** `error_handling`, `on_resume` and `on_high_context_usage` of a workflow. */
function checkPolicies(context: CheckContext): void {
  const { root } = context.workflow;
  checkErrorHandling(context, child(root, "error_handling"));
  const resume = child(root, "on_resume");
  for (const node of [...listedTexts(resume, "load_from_checkpoint"), ...listedTexts(resume, "exclude")]) {
    const word = resumeWord(node.value);
    if (resumeParts.includes(word) || /^(raw|state|computed)(\.[^.\s]+)+$/.test(word)) continue;
    const message = `\`${node.value}\` is not a part of a run that resuming can load or leave out.`;
    const fix = suggest(word, resumeParts) ?? `Use ${quoteList(resumeParts, "or")}, or a path such as \`raw.files\`.`;
    context.complain(node, { code: "STEPS_BAD_VALUE", message, fix });
  }
  checkHighContext(context, child(root, "on_high_context_usage"));
}

function checkErrorHandling(context: CheckContext, node: SourceNode | undefined): void {
  const policy = textAt(node, "on_error") ?? "checkpoint_and_fail";
  if (policy === "checkpoint_and_fail" || policy === "continue")
    warnWithoutEffect(context, child(node, "max_retries"), `with \`on_error: ${policy}\``, "Use `on_error: retry_workflow`, or remove it.");
  const collection = child(node, "error_collection");
  const path = child(collection, "state_path");
  if (path !== undefined) checkWritePath(context, path, { fixed: true });
  if (flagAt(collection, "enabled") !== false) return;
  for (const key of ["state_path", "include_stack_traces"])
    warnWithoutEffect(context, child(collection, key), "with `enabled: false`", "Remove it, or collect the errors.");
}

const checkpointParams: readonly string[] = ["workflow_id", "step_id", "reason"];

/** Only a checkpoint, a message and an exit, each at most once: the engine does them itself when the context is nearly full. */
function checkHighContext(context: CheckContext, node: SourceNode | undefined): void {
  const seen = new Set<string>();
  for (const step of membersOf(child(node, "steps"))) {
    const type = textAt(step, "type");
    if (type === undefined) continue;
    const refuse = (message: string, fix: string, at: SourceNode = step): void =>
      context.complain(at, { code: "STEPS_HIGH_CONTEXT_STEP", message, fix });
    if (type !== "user_message" && type !== "exit" && !isCheckpoint(step)) {
      refuse(
        `This \`${type}\` step cannot run here: when the context is nearly full, only a checkpoint is made and a message shown.`,
        "Keep an `mcp_call` of `workflow.checkpoint`, a `user_message` and an `exit`.",
      );
      continue;
    }
    if (seen.has(type)) refuse(`A second \`${type}\` step has no place here.`, "Merge the two.");
    seen.add(type);
    const own = type === "mcp_call" ? "mcp" : type === "user_message" ? "message" : "";
    const allowed: readonly string[] = ["type", "id", "description", own];
    for (const [key, held] of entriesOf(step))
      if (!allowed.includes(key)) refuse(`\`${key}\` has no effect in a step under \`on_high_context_usage\`.`, `Remove \`${key}\`.`, held);
    for (const [key, held] of entriesOf(child(child(step, "mcp"), "params"))) {
      if (!checkpointParams.includes(key))
        refuse(`A checkpoint has no parameter \`${key}\`.`, suggest(key, checkpointParams) ?? "Remove it.", held);
    }
  }
  const useful = seen.has("mcp_call") || seen.has("user_message");
  if (node !== undefined && has(node, "steps") && seen.size > 0 && !useful) {
    const message = "`on_high_context_usage` neither makes a checkpoint nor says anything.";
    context.complain(node, { code: "STEPS_HIGH_CONTEXT_STEP", message, fix: "Add a `user_message` that says how to resume." });
  }
}
