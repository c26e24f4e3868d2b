import * as z from "zod";
import { defined, isObject, unknownSchemaWords, type JsonObject } from "../base/index.ts";
import { quoteList, type Complain } from "./complaint.ts";
import { child, has, listedTexts, numberAt, textAt, type SourceNode } from "./source-node.ts";
import type { TaskSpec } from "./task-blocks.ts";

const permissionLevels = ["read", "edit", "all"] as const;
export const contextWords = ["fresh", "last"] as const;
/** What a session that cannot be continued means. */
export const lostContextWords = ["fail", "fresh", "replay"] as const;
/** Longest time that a timer can wait, in milliseconds. */
export const longestWait: number = 2 ** 31 - 1;

/** What an agent that Waymark drives may do without asking: a level, or a level with commands. */
export const permissionShape: z.ZodUnion = z.union([
  z.enum(permissionLevels),
  z.strictObject({
    level: z.enum(permissionLevels).describe("`read`, `edit` (files of the workspace too) or `all`."),
    commands: z.array(z.string().min(1)).optional().describe("Command lines that it may run too."),
  }),
]);

/** A permission as it is declared; undefined for a malformed one. */
export function readPermission(node: SourceNode | undefined): JsonObject | undefined {
  if (node === undefined) return undefined;
  const level = typeof node.value === "string" ? node.value : textAt(node, "level");
  if (level === undefined) return undefined;
  const commands =
    isObject(node.value) && child(node, "commands") !== undefined ? listedTexts(node, "commands").map((each) => each.value) : undefined;
  return defined({ level, commands });
}

/** Keys of a prompt for an agent, in every dialect that writes it as one map. */
export const taskKeys: Readonly<Record<string, z.ZodType>> = {
  prompt: z.string().min(1).describe("The prompt; templates are replaced by text."),
  give: z.unknown().optional().describe("Values that the prompt is about; a template alone keeps its type."),
  files: z.array(z.string().min(1)).optional().describe("Files that the agent reads first."),
  artifacts: z.array(z.string().min(1)).optional().describe("Files that must be there, and not empty, before the step counts as done."),
  returns: z.record(z.string(), z.unknown()).optional().describe("JSON Schema of the result; a report with another one is refused."),
  done_when: z
    .string()
    .min(1)
    .optional()
    .describe("Command that must succeed afterwards; the engine runs it, and if it fails the step fails."),
  context: z
    .enum(contextWords)
    .optional()
    .describe("Of an agent that Waymark drives: `fresh` (default), or `last` to continue the last session."),
  on_lost_context: z
    .enum(lostContextWords)
    .optional()
    .describe(
      "Of a session that cannot be continued: `fail` (default), begin `fresh`, or `replay` what was said in it ahead of the prompt.",
    ),
  permission: permissionShape.optional().describe("What an agent that Waymark drives may do without asking."),
  agent: z.string().min(1).optional().describe("Name of the agent that Waymark drives; default the one that the run is started with."),
  model: z.string().min(1).optional().describe("Model of that agent."),
  role: z
    .string()
    .min(1)
    .optional()
    .describe("Role that does it, in a conversation of its own; `roles` of a configuration and `--role` bind it to another agent."),
  tools: z
    .strictObject({
      allowed: z.array(z.string().min(1)).optional().describe("Its only tools."),
      denied: z.array(z.string().min(1)).optional().describe("Tools that it may not use."),
    })
    .optional()
    .describe("Tools of that agent."),
  idle_timeout: z
    .int()
    .min(1)
    .max(longestWait)
    .optional()
    .describe("Milliseconds without a sign of life after which that agent is stopped."),
};

/** Where a dialect has no other words for what a failure does. */
export const retriesKey: Readonly<Record<string, z.ZodType>> = {
  retries: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("How often it is tried again after a failure, with what went wrong in its prompt; default 0."),
};

/** Keys of a task that hold expressions, and how each outcome is used. */
export const taskExpressions: Readonly<Record<"prompt" | "give" | "files" | "artifacts" | "done_when", "text" | "value" | "command">> = {
  prompt: "text",
  give: "value",
  files: "value",
  artifacts: "value",
  done_when: "command",
};

/** A task as it is written, with what is malformed left out. */
export function readTask(node: SourceNode): TaskSpec {
  const texts = (key: string): readonly string[] | undefined =>
    has(node, key) ? listedTexts(node, key).map((each) => each.value) : undefined;
  const [returns, tools] = [child(node, "returns")?.value, child(node, "tools")?.value];
  return {
    prompt: { as: "text", of: textAt(node, "prompt") ?? "" },
    ...defined({
      give: child(node, "give")?.value,
      files: texts("files"),
      artifacts: texts("artifacts"),
      returns: isObject(returns) ? returns : undefined,
      doneWhen: textAt(node, "done_when"),
      context: has(node, "context") ? { as: "value" as const, of: textAt(node, "context") ?? "" } : undefined,
      onLostContext: textAt(node, "on_lost_context"),
      permission: readPermission(child(node, "permission")),
      agent: textAt(node, "agent"),
      model: textAt(node, "model"),
      role: textAt(node, "role"),
      tools: isObject(tools) ? tools : undefined,
      idleMs: numberAt(node, "idle_timeout"),
    }),
  };
}

/** Complains of a role that would continue the conversation of another step: nobody reviews their own work. */
export function checkFreshRole(task: SourceNode | undefined, code: string, complain: Complain): void {
  const node = child(task, "context");
  if (node?.value !== "last" || !has(task, "role")) return;
  const message = "A task of a role begins a conversation of its own, so it cannot continue the last one.";
  complain(node, { code, message, fix: "Leave `context` out, or `role`." });
}

/** Complains of words in `returns` that no report is compared with. */
export function checkReturns(task: SourceNode | undefined, code: string, complain: Complain): void {
  const node = child(task, "returns");
  const words = node === undefined ? [] : unknownSchemaWords(node.value);
  if (node === undefined || words.length === 0) return;
  const message = `\`returns\` uses ${quoteList(words, "and")}, which Waymark does not check.`;
  const fix = "Describe the result with types, properties, items, enum, const, sizes and `required` alone.";
  complain(node, { code, message, fix });
}
