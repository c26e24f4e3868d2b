import * as z from "zod";

/** Words that many tools take; described once, so that the list stays short. */
export const runId: z.ZodString = z.string().min(1).describe("Run id.");
export const taskId: z.ZodOptional<z.ZodString> = z.string().optional().describe("Your task, if you are a sub-agent.");
export const workflowName: z.ZodString = z.string().min(1).describe("Workflow name, e.g. standards:fix.");
export const anyObject: z.ZodRecord<z.ZodString, z.ZodUnknown> = z.record(z.string(), z.unknown());
export const hiddenText: z.ZodOptional<z.ZodString> = z.string().optional().meta({ hidden: true });
