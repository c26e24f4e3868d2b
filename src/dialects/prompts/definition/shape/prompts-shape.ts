import * as z from "zod";
import { contextWords, longestWait, lostContextWords, permissionShape } from "../../../../source/index.ts";
import { longestName, retryWords } from "../vocabulary.ts";

const text = (what: string): z.ZodType => z.string().min(1).describe(what);
const texts = (what: string): z.ZodType => z.array(z.string().min(1)).optional().describe(what);

const retry: z.ZodType = z.strictObject({
  max_attempts: z.int().min(1).max(5).describe("How often it is tried again, 1 to 5."),
  delay_ms: z
    .int()
    .min(1000)
    .max(60_000)
    .optional()
    .describe("Milliseconds before the first retry, doubled for each further one; default 3000."),
  on_error: z
    .enum(retryWords)
    .optional()
    .describe("`transient` (default) tries again only after what passes by itself, `all` after everything but refused credentials."),
});

/** What a step with a prompt may say beside its name. */
const promptKeys: Readonly<Record<string, z.ZodType>> = {
  clearContext: z.boolean().optional().describe("Begin with a fresh context; default false. The first step always does."),
  context: z
    .enum(contextWords)
    .optional()
    .describe("`fresh`, or `last` to continue where the step before ended; instead of `clearContext`."),
  on_lost_context: z
    .enum(lostContextWords)
    .optional()
    .describe(
      "Of a session that cannot be continued: `fail` (default), begin `fresh`, or `replay` what was said in it ahead of the prompt.",
    ),
  artifacts: texts("Files below the run's folder for artifacts that must be there before the step counts as done."),
  permission: permissionShape.optional().describe("What an agent that Waymark drives may do without asking."),
  provider: text("Agent for this step.").optional(),
  model: text("Model for this step.").optional(),
  allowed_tools: z.array(z.string().min(1)).optional().describe("The agent's only tools; an empty list means none."),
  denied_tools: texts("Tools that the agent may not use."),
  idle_timeout: z
    .int()
    .min(1)
    .max(longestWait)
    .optional()
    .describe("Milliseconds without a sign of life after which the agent is stopped."),
  retry: retry.optional().describe("When and how often a failed step is tried again."),
};

const named: Readonly<Record<string, z.ZodType>> = {
  step: text("Name of the step: its prompt is `<step>.md`.").optional(),
  command: text("Another word for `step`.").optional(),
};

/** A member of `parallel`. */
export const memberShape: z.ZodObject = z.strictObject({ ...named, ...promptKeys });

export const stepShape: z.ZodObject = z.strictObject({
  ...named,
  parallel: z.array(memberShape).min(1).optional().describe("Steps that do not build on each other, each with a fresh context."),
  workflow: text("Name of a workflow that the step runs, of any dialect.").optional(),
  input: text("What the workflow is asked for: its `user_message`.").optional(),
  with: z.record(z.string(), z.unknown()).optional().describe("Inputs of the workflow by their names."),
  ...promptKeys,
});

export const promptsShape: z.ZodObject = z.strictObject({
  name: z.string().min(1).max(longestName).describe("Name of the workflow, without spaces."),
  description: text("What it does and when to use it; a router chooses by it."),
  version: text("Version of the workflow.").optional(),
  provider: text("Agent for all steps; default the one that the run is started with.").optional(),
  model: text("Model for all steps.").optional(),
  permission: permissionShape.optional().describe("What an agent that Waymark drives may do in every step without asking."),
  steps: z.array(stepShape).min(1).optional().describe("The steps, in order."),
  loop: z
    .strictObject({
      until: text("The signal: the loop ends when an answer has `<promise>SIGNAL</promise>`, or the signal alone on its last line."),
      max_iterations: z.int().min(1).describe("Most rounds; when they are used up the run fails."),
      fresh_context: z.boolean().optional().describe("Begin every round with a fresh context; default false."),
    })
    .optional()
    .describe("Repeats `prompt` until a signal, instead of `steps`."),
  prompt: text("The prompt of the loop.").optional(),
  nodes: z.unknown().optional().describe("A graph. Not supported yet."),
});
