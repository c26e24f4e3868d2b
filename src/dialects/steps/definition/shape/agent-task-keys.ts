import * as z from "zod";
import { contextWords, lostContextWords, permissionShape } from "../../../../source/index.ts";

/** Keys of a prompt for an agent, beside those that every step with a result has. */
export const agentTaskKeys: Readonly<Record<string, z.ZodType>> = {
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
  tools: z
    .strictObject({
      allowed: z.array(z.string().min(1)).optional().describe("Its only tools."),
      denied: z.array(z.string().min(1)).optional().describe("Tools that it may not use."),
    })
    .optional()
    .describe("Tools of that agent."),
  idle_timeout: z.int().min(1).optional().describe("Milliseconds without a sign of life after which that agent is stopped."),
};
