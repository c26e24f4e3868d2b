import * as z from "zod";
import { inputShape, routingShape, typeWords } from "../../../../source/index.ts";
import { computedErrorPolicies, workflowErrorPolicies } from "../vocabulary.ts";
import { step, stepList } from "./step-shapes.ts";

const typeWord: z.ZodType = z.enum(typeWords);
const typeMap: z.ZodType = z.record(z.string(), typeWord);

const computedField: z.ZodType = z.strictObject({
  from: z
    .union([z.string(), z.array(z.string()).min(1)])
    .optional()
    .describe("One path, or a list of paths; `input` is the value, or the list of values."),
  transform: z
    .string()
    .optional()
    .describe("JavaScript over `input` and the flat state: an expression, an object literal, or statements with `return`."),
  on_error: z
    .enum(computedErrorPolicies)
    .optional()
    .describe("`use_fallback` (default), `propagate` refuses the update, `ignore` removes the field."),
  fallback: z.unknown().optional().describe("Value after an error; default null."),
  validate: z.string().optional().describe("Expression over `output`; false counts as an error."),
  static: z.boolean().optional().describe("Evaluated once at start, from `value`, without `from`."),
  value: z.unknown().optional().describe("Value of a static field; templates are evaluated once."),
});

const defaultState: z.ZodType = z.strictObject({
  raw: z.record(z.string(), z.unknown()).optional().describe("Writable values; texts may be templates, evaluated once at start."),
  state: z.record(z.string(), z.unknown()).optional().describe("Further writable values; `raw` hides equal names."),
});

const stateSchema: z.ZodType = z.strictObject({
  raw: typeMap.optional().describe("Fields of the raw tier and their types."),
  state: typeMap.optional().describe("Fields of the state tier and their types."),
  computed: z.record(z.string(), computedField).optional().describe("Fields derived from others, always up to date."),
});

const task: z.ZodType = z.strictObject({
  description: z.string().optional().describe("What the task is for; shown with it."),
  inputs: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "Values the task reads in its `context`: a template or literal, or a type word to take the field of that name from the item.",
    ),
  steps: stepList.describe("Steps of the task."),
  error_handling: z
    .strictObject({
      return_on_error: z
        .boolean()
        .optional()
        .describe("Hand the error to the `parallel_foreach` step (default), or count the task as done."),
      cleanup_on_error: z.array(step).optional().describe("Steps that run before that."),
    })
    .optional()
    .describe("What a failure inside the task does."),
});

const errorHandling: z.ZodType = z.strictObject({
  on_error: z
    .enum(workflowErrorPolicies)
    .optional()
    .describe(
      "What an unhandled failure does: `checkpoint_and_fail` (default), `continue` with the next step, or `retry_workflow` as a new run.",
    ),
  max_retries: z.int().min(1).optional().describe("How many new runs `retry_workflow` may start; default 1."),
  error_collection: z
    .strictObject({
      enabled: z.boolean().optional().describe("Default true."),
      state_path: z.string().optional().describe("List that every failure is appended to; default `raw.workflow_errors`."),
      include_stack_traces: z.boolean().optional().describe("Keep stack traces with the errors; default false."),
    })
    .optional()
    .describe("Collects the failures of all steps in the state."),
  on_failure: z.array(step).optional().describe("Steps that run when the workflow fails, with `error` in scope."),
});

const onResume: z.ZodType = z.strictObject({
  retry_failed_steps: z.boolean().optional().describe("Open failed steps again; default true."),
  skip_completed_steps: z.boolean().optional().describe("Do not repeat what is done; default true."),
  reset_error_counts: z.boolean().optional().describe("Count retries from zero again; default false."),
  load_from_checkpoint: z.array(z.string()).optional().describe("Parts of the run that the resuming agent is given."),
  exclude: z.array(z.string()).optional().describe("Parts that it is spared."),
});

const limit: z.ZodType = z.number().gt(0).optional();
const budget: z.ZodType = z.strictObject({
  steps: z.int().min(1).optional().describe("Most steps carried out."),
  minutes: limit.describe("Most minutes from start."),
  tokens: limit.describe("Most tokens, as reported by agents."),
  money: limit.describe("Most money, as reported by agents."),
});

/** A workflow file. `name` and `steps` are what makes it one. */
export const workflowShape: z.ZodObject = z
  .strictObject({
    name: z.string().describe("Name the workflow is started by, e.g. `standards:fix`."),
    description: z.string().optional().describe("One sentence on what the workflow does."),
    ...routingShape,
    version: z.string().optional().describe("Version of the definition; default 1.0.0."),
    imports: z.array(z.string()).optional().describe("Shared files, relative to this one, then to the workflows folder."),
    inputs: z.record(z.string(), inputShape).optional().describe("What a run is started with; read-only as `inputs.<name>`."),
    config: z.record(z.string(), z.unknown()).optional().describe("Fixed values, readable as `config.<name>`."),
    default_state: defaultState.optional().describe("State at the start of a run."),
    state_schema: stateSchema.optional().describe("Fields of the state and how computed ones are derived."),
    steps: stepList.describe("What the workflow does, in order."),
    sub_agent_tasks: z.record(z.string(), task).optional().describe("Tasks that `parallel_foreach` steps hand to sub-agents."),
    error_handling: errorHandling.optional().describe("What a failure that no step handles does."),
    on_resume: onResume.optional().describe("What resuming a stopped run does."),
    on_high_context_usage: z
      .strictObject({ steps: stepList.describe("A checkpoint, a message and an exit.") })
      .optional()
      .describe("What the driving agent is shown when its context is nearly full."),
    budget: budget.optional().describe("Limits after which a person is asked."),
  })
  .meta({
    title: "Waymark workflow (steps)",
    description: "A step program: the engine runs it and hands one step at a time to the agent.",
  });

/** A shared file without steps: components for the workflows that import it. */
export const sharedShape: z.ZodObject = z.strictObject({
  ...workflowShape.partial({ name: true, steps: true }).shape,
});

/** Keys of a workflow that mean nothing in a shared file without steps. */
export const workflowOnlyKeys: readonly string[] = [
  ...Object.keys(routingShape),
  "error_handling",
  "on_resume",
  "on_high_context_usage",
  "budget",
];
