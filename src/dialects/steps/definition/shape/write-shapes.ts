import * as z from "zod";
import { operations, outputFormats, stepErrorPolicies, lostPolicies } from "../vocabulary.ts";

type Keys = Readonly<Record<string, z.ZodType>>;

/** A write to the state that follows a step. */
const write: z.ZodObject = z
  .strictObject({
    path: z.string().describe("Full path to write to, e.g. `raw.files` or `raw.results.{{ item }}`; a template in it is one key."),
    value: z.unknown().optional().describe("What to write; default: the whole result. A template alone keeps its type."),
    operation: z.enum(operations).optional().describe("How to combine with what is there; default `set`."),
    transform: z.string().optional().describe("JavaScript that turns `result` into the value before it is written."),
  })
  .meta({ id: "state_write", description: "Where and how a result is written to the state." });

/** One entry of an update list. */
export const update: z.ZodObject = z
  .strictObject({
    path: z.string().describe("Full path to write to; starts with `raw.` or `state.`."),
    value: z.unknown().optional().describe("Value to write; `increment` and `decrement` take 1 without one."),
    operation: z.enum(operations).optional().describe("How to combine with what is there; default `set`."),
  })
  .meta({ id: "state_change", description: "One change of the state." });

const writes: z.ZodUnion = z.union([write, z.array(write).min(1)]);

export const storing: Keys = {
  state_update: writes.optional().describe("Where the result goes; one write or a list of them, applied together."),
};

export const commonKeys: Keys = {
  id: z
    .string()
    .optional()
    .describe("Name of the step in reports, logs and ids of steps inside it; may hold templates where the step is carried out."),
  description: z.string().optional().describe("One line that views and plans show for the step."),
};

export const timeoutKey: Keys = {
  timeout: z.int().min(1).optional().describe("Milliseconds after which the step fails with code TIMEOUT."),
};

/** What any step may say about its own failure. */
export const errorKeys: Keys = {
  on_error: z
    .enum(stepErrorPolicies)
    .optional()
    .describe("What a failure does: `fail` (default) hands it on, `continue` goes to the next step, `retry` tries again."),
  retry_count: z.int().min(0).optional().describe("How often `on_error: retry` tries again; default 3."),
  retry_delay: z
    .int()
    .min(0)
    .optional()
    .describe("Milliseconds before the first retry, doubled for each further one up to 30000; default 1000."),
  error_state_update: writes
    .optional()
    .describe("Written when the step has failed for good, with `error` in scope; without `value` the error itself."),
};

/** The same for steps that have a result. */
export const resultErrorKeys: Keys = {
  ...errorKeys,
  fallback_value: z
    .unknown()
    .optional()
    .describe("Result to use instead of failing, with `on_error: continue` or after the retries; taken as written."),
};

export const lostKey: Keys = {
  on_lost: z.enum(lostPolicies).optional().describe("What happens when the step was interrupted and nobody knows whether it was done."),
};

export const formatKey: Keys = {
  output_format: z.enum(outputFormats).optional().describe("How output becomes a value: `text` (default), `lines`, `json` or `key_value`."),
};
