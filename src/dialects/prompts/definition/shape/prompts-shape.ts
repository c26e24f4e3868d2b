import * as z from "zod";
import { contextWords, permissionShape, routingShape } from "../../../../source/index.ts";
import { longestName } from "../vocabulary.ts";
import { agentKeys, text } from "./agent-keys.ts";
import { graphInputShape, nodeShape } from "./node-shape.ts";

/** What a step with a prompt may say beside its name. */
const promptKeys: Readonly<Record<string, z.ZodType>> = {
  clearContext: z.boolean().optional().describe("Begin with a fresh context; default false. The first step always does."),
  context: z
    .enum(contextWords)
    .optional()
    .describe("`fresh`, or `last` to continue where the step before ended; instead of `clearContext`."),
  ...agentKeys,
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
  ...routingShape,
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
  nodes: z
    .array(nodeShape)
    .min(1)
    .optional()
    .describe("A graph, instead of `steps`: each node runs when those that it waits for are done."),
  inputs: z
    .record(z.string().min(1), graphInputShape)
    .optional()
    .describe("Inputs of a graph by name, which its texts have as `$INPUTS.<name>`. Without this key those that they name are required."),
  returns: text("Node of a graph whose output is the workflow's; default the last one.").optional(),
});
