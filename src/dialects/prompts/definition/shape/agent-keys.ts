import * as z from "zod";
import { longestWait, lostContextWords, permissionShape } from "../../../../source/index.ts";
import { retryWords } from "../vocabulary.ts";

export const text = (what: string): z.ZodType => z.string().min(1).describe(what);
export const texts = (what: string): z.ZodType => z.array(z.string().min(1)).optional().describe(what);

const retryShape: z.ZodType = z.strictObject({
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

/** What a step or a node may say about the agent that it is for, and about its turn. */
export const agentKeys: Readonly<Record<string, z.ZodType>> = {
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
  retry: retryShape.optional().describe("When and how often a failed step is tried again."),
};
