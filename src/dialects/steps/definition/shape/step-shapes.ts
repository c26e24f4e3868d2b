import * as z from "zod";
import { taskKeys } from "../../../../source/index.ts";
import { itemErrorStrategies, lostPolicies, operations, outputFormats, stepErrorPolicies, type StepType } from "../vocabulary.ts";

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
const update: z.ZodObject = z
  .strictObject({
    path: z.string().describe("Full path to write to; starts with `raw.` or `state.`."),
    value: z.unknown().optional().describe("Value to write; `increment` and `decrement` take 1 without one."),
    operation: z.enum(operations).optional().describe("How to combine with what is there; default `set`."),
  })
  .meta({ id: "state_change", description: "One change of the state." });

const writes: z.ZodUnion = z.union([write, z.array(write).min(1)]);

const commonKeys: Keys = {
  id: z
    .string()
    .optional()
    .describe("Name of the step in reports, logs and ids of steps inside it; may hold templates where the step is carried out."),
  description: z.string().optional().describe("One line that views and plans show for the step."),
};

/** What any step may say about its own failure. */
const errorKeys: Keys = {
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

const limited: Keys = {
  timeout: z.int().min(1).optional().describe("Milliseconds after which the step fails with code TIMEOUT."),
  ...errorKeys,
};

const storing: Keys = {
  state_update: writes.optional().describe("Where the result goes; one write or a list of them, applied together."),
};

const fallback: Keys = {
  fallback_value: z
    .unknown()
    .optional()
    .describe("Result to use instead of failing, with `on_error: continue` or after the retries; taken as written."),
};

/** What a step may say that has a result. */
const resultKeys: Keys = { ...storing, ...limited, ...fallback };

const lostKey: Keys = {
  on_lost: z.enum(lostPolicies).optional().describe("What happens when the step was interrupted and nobody knows whether it was done."),
};

const formatKey: Keys = {
  output_format: z.enum(outputFormats).optional().describe("How output becomes a value: `text` (default), `lines`, `json` or `key_value`."),
};

function head(type: StepType, what: string): Keys {
  return { type: z.literal(type).describe(what), ...commonKeys };
}

const condition: z.ZodType = z.union([z.string().min(1), z.boolean()]);
const amount: z.ZodType = z.union([z.number().min(0), z.string()]);
const items: z.ZodType = z.union([z.string(), z.array(z.unknown())]);

const option: z.ZodType = z.union([
  z.string(),
  z.strictObject({
    value: z.string().describe("What is stored when this is chosen."),
    label: z.string().optional().describe("What the person reads."),
  }),
]);
const options: z.ZodType = z.array(option).min(1).optional();

const validation: z.ZodType = z.strictObject({
  pattern: z.string().describe("Regular expression that a valid answer matches."),
  error_message: z.string().optional().describe("What the person reads when the answer does not match."),
});

const itemErrors: z.ZodType = z.strictObject({
  strategy: z
    .enum(itemErrorStrategies)
    .describe("`retry_failed` tries a failed task again, `continue` lets the others continue, `fail_all` fails the step at once."),
  max_retries: z.int().min(0).optional().describe("Retries for each task; default 2 with `retry_failed`, 0 with `continue`."),
  collect_errors: z.boolean().optional().describe("Append each final failure to `error_state_path`."),
  error_state_path: z.string().optional().describe("List that failures are appended to; default `raw.sub_agent_errors`."),
});

/** One shape per step type; the keys of a shape are the keys of the step. */
export const stepShapes: Readonly<Record<StepType, z.ZodObject>> = {
  shell_command: z.strictObject({
    ...head("shell_command", "Runs a command in the engine, without an agent."),
    command: z.string().min(1).describe("Command line; values of templates are quoted as shell words."),
    cwd: z.string().optional().describe("Folder to run in, inside the workspace; default the workspace."),
    env: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe("Additional environment variables."),
    ...formatKey,
    ...resultKeys,
    ...lostKey,
  }),
  agent_shell_command: z.strictObject({
    ...head("agent_shell_command", "Asks the agent to run a command, for terminals or permissions the engine does not have."),
    command: z.string().min(1).describe("Command line for the agent; values of templates are quoted as shell words."),
    reason: z.string().optional().describe("Why the agent has to run it and not the engine."),
    timeout: z.int().min(1).optional().describe("Milliseconds the agent gives the command."),
    ...formatKey,
    ...storing,
    ...errorKeys,
    ...fallback,
    ...lostKey,
  }),
  agent_task: z.strictObject({
    ...head("agent_task", "Gives an agent a prompt; what it must bring is checked when it reports."),
    ...taskKeys,
    ...resultKeys,
    ...lostKey,
  }),
  mcp_call: z.strictObject({
    ...head("mcp_call", "Calls a tool: by the engine if it can reach it, else by the agent."),
    mcp: z
      .strictObject({
        method: z.string().min(1).describe("Name of the tool."),
        params: z.record(z.string(), z.unknown()).optional().describe("Arguments of the tool; a template alone keeps its type."),
      })
      .describe("The tool and its arguments."),
    ...resultKeys,
    ...lostKey,
  }),
  apply_hints: z.strictObject({
    ...head("apply_hints", "Asks the agent to apply coding hints to a file; `applied_count` is in scope of `state_update`."),
    file: z.string().min(1).describe("File to change."),
    hints: z.unknown().describe("The hints; usually one template."),
    ...resultKeys,
    ...lostKey,
  }),
  user_message: z.strictObject({
    ...head("user_message", "Shows a message to the person."),
    message: z.string().min(1).describe("The message; templates are replaced by text."),
    ...limited,
    ...lostKey,
  }),
  user_input: z.strictObject({
    ...head("user_input", "Asks the person a question and waits for the answer."),
    prompt: z.string().min(1).describe("The question; templates are replaced by text."),
    validation: validation.optional().describe("What a valid answer looks like. Without it every answer is valid that is not empty."),
    attempts: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Wrong answers allowed before the step fails, where an agent may relay the answer; default 3. Those of a person are not counted.",
      ),
    options: options.describe("Answers to choose from."),
    choices: options.describe("Another word for `options`."),
    answer_by: z
      .enum(["relay", "person"])
      .optional()
      .describe("`relay` (default) lets an agent carry the answer, `person` accepts it only from the person."),
    ...resultKeys,
  }),
  state_update: z.strictObject({
    ...head("state_update", "Changes the state: one path, or a list of `updates` applied together."),
    path: z.string().optional().describe("Full path to write to; starts with `raw.` or `state.`."),
    value: z.unknown().optional().describe("Value to write; `increment` and `decrement` take 1 without one."),
    operation: update.shape["operation"]!,
    updates: z.array(update).min(1).optional().describe("Several changes, applied together or not at all."),
    by: z.enum(["engine", "agent"]).optional().describe("`engine` (default) writes at once, `agent` hands the update out as a step."),
    ...errorKeys,
  }),
  batch_state_update: z.strictObject({
    ...head("batch_state_update", "Several changes of the state, applied together or not at all."),
    updates: z.array(update).min(1).describe("The changes, in order."),
    by: z.enum(["engine", "agent"]).optional().describe("`engine` (default) writes at once, `agent` hands the update out as a step."),
    ...errorKeys,
  }),
  conditional: z.strictObject({
    ...head("conditional", "Runs one list of steps or the other."),
    condition: condition.describe("Template or bare JavaScript over the flat state."),
    ...limited,
    get then(): z.ZodType {
      return stepList.describe("Steps when the condition holds.");
    },
    get else(): z.ZodType {
      return z.array(step).optional().describe("Steps when it does not.");
    },
  }),
  while: z.strictObject({
    ...head("while", "Repeats steps as long as a condition holds; `iteration` counts from 1."),
    condition: condition.describe("Judged before every round, after all state is up to date."),
    max_iterations: z.int().min(1).optional().describe("Most rounds; default 100."),
    on_limit: z
      .enum(["warn", "fail"])
      .optional()
      .describe("What happens when the rounds are used up and the condition still holds; default `warn`."),
    ...limited,
    get body(): z.ZodType {
      return stepList.describe("Steps of one round.");
    },
  }),
  foreach: z.strictObject({
    ...head("foreach", "Runs steps for every item of a list, one after another."),
    items: items.describe("The list: one template, or a YAML list."),
    variable_name: z
      .string()
      .optional()
      .describe(
        "Another name of the current item in expressions. `item` is always that of the innermost loop: name the outer one to read both.",
      ),
    ...limited,
    get steps(): z.ZodType {
      return stepList.optional().describe("Steps for one item.");
    },
    get body(): z.ZodType {
      return stepList.optional().describe("Another word for `steps`.");
    },
  }),
  parallel_foreach: z.strictObject({
    ...head("parallel_foreach", "Gives every item of a list to a sub-agent task, several at once."),
    items: items.describe("The list: one template, or a YAML list."),
    sub_agent_task: z.string().min(1).describe("Name under `sub_agent_tasks`."),
    max_parallel: z.int().min(1).optional().describe("Most tasks at once; default 10."),
    wait_for_all: z.boolean().optional().describe("Wait for all tasks before the next step (default), or only before the run completes."),
    sub_agent_prompt_override: z.string().min(1).optional().describe("Replaces the standard prompt for sub-agents."),
    on_sub_agent_error: itemErrors.optional().describe("What the failure of a task does; without it the step fails."),
    ...limited,
  }),
  include_workflow: z.strictObject({
    ...head("include_workflow", "Runs another workflow in a state of its own, readable afterwards under the id of this step."),
    workflow: z.string().min(1).describe("Name of the workflow."),
    inputs: z.record(z.string(), z.unknown()).optional().describe("Its inputs; a template alone keeps its type."),
    ...limited,
    get on_complete(): z.ZodType {
      return z.array(step).optional().describe("Steps that run after it and see its names first.");
    },
  }),
  sequential: z.strictObject({
    ...head("sequential", "Steps in order, as one step that can be given an error policy or a time limit."),
    ...limited,
    get steps(): z.ZodType {
      return stepList.describe("The steps.");
    },
  }),
  wait: z.strictObject({
    ...head("wait", "Waits without holding anybody up; exactly one of its keys is given."),
    duration_ms: amount.optional().describe("Milliseconds to wait."),
    seconds: amount.optional().describe("Seconds to wait."),
    until: z.string().optional().describe("Time to wait for, as ISO text or a template."),
  }),
  break: z.strictObject(head("break", "Leaves the enclosing loop.")),
  continue: z.strictObject(head("continue", "Goes to the next round or item of the enclosing loop.")),
  exit: z.strictObject({
    ...head("exit", "Ends the run here."),
    status: z.enum(["success", "failed"]).optional().describe("How the run ends; default `success`."),
    message: z.string().optional().describe("Why it failed, with `status: failed`."),
  }),
};

/** Any step. */
export const step: z.ZodType = z
  .discriminatedUnion("type", Object.values(stepShapes) as unknown as [z.ZodObject, ...z.ZodObject[]])
  .meta({ id: "step", description: "One step of the workflow." });

export const stepList: z.ZodType = z.array(step).min(1);

/** Keys of each type of step. */
export const stepKeys: Readonly<Record<StepType, readonly string[]>> = Object.fromEntries(
  Object.entries(stepShapes).map(([type, { shape }]) => [type, Object.keys(shape)]),
) as unknown as Record<StepType, string[]>;
