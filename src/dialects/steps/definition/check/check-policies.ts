import {
  child,
  entriesOf,
  flagAt,
  has,
  listedTexts,
  membersOf,
  quoteList,
  suggest,
  textAt,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { isCheckpoint, resumeWord } from "../step-nodes.ts";
import { resumeParts } from "../vocabulary.ts";
import { warnWithoutEffect, type CheckContext } from "./check-context.ts";
import { checkWritePath } from "./check-writes.ts";

/** `error_handling`, `on_resume` and `on_high_context_usage` of a workflow. */
export function checkPolicies(context: CheckContext): void {
  const { root } = context.workflow;
  checkErrorHandling(context, child(root, "error_handling"));
  const resume = child(root, "on_resume");
  for (const node of [...listedTexts(resume, "load_from_checkpoint"), ...listedTexts(resume, "exclude")]) checkResumePart(context, node);
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

function checkResumePart(context: CheckContext, node: TextNode): void {
  const word = resumeWord(node.value);
  if ((resumeParts as readonly string[]).includes(word) || /^(raw|state|computed)(\.[^.\s]+)+$/.test(word)) return;
  context.complain(node, {
    code: "STEPS_BAD_VALUE",
    message: `\`${node.value}\` is not a part of a run that resuming can load or leave out.`,
    fix: suggest(word, resumeParts) ?? `Use ${quoteList(resumeParts, "or")}, or a path such as \`raw.files\`.`,
  });
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
    context.complain(node, {
      code: "STEPS_HIGH_CONTEXT_STEP",
      message: "`on_high_context_usage` neither makes a checkpoint nor says anything.",
      fix: "Add a `user_message` that says how to resume.",
    });
  }
}
