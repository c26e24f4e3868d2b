import * as z from "zod";
import { longestWait, typeWords } from "../../../../source/index.ts";
import { triggerRules } from "../graph-definition.ts";
import { agentKeys, text, texts } from "./agent-keys.ts";

export const isolationWords = ["inherit", "worktree"] as const;
export const lostWords = ["retry", "ask", "fail"] as const;
export const runtimeWords = ["bun", "uv"] as const;
export const joinWords = ["all_done", "all_success"] as const;

const flag = (what: string): z.ZodType => z.boolean().optional().describe(what);

/** What ends the rounds of a loop, of one prompt or of a group. */
const loopKeys: Readonly<Record<string, z.ZodType>> = {
  until: text("The signal: the loop ends when an answer has `<promise>SIGNAL</promise>`, or the signal alone on its last line.").optional(),
  until_bash: text("Command that is run after each round; the loop ends when it succeeds.").optional(),
  max_iterations: z.int().min(1).describe("Most rounds; when they are used up the node fails."),
  fresh_context: flag("Begin every round with a fresh context; default false."),
  interactive: flag("Ask a person between rounds; needs `gate_message`."),
  gate_message: text("What that person is asked.").optional(),
  signal_completes: flag("Of an interactive loop: the signal ends it without asking; default false."),
};

const loop: z.ZodType = z.strictObject({
  prompt: text("The prompt of each round.").optional(),
  command: text("Name of the file with it, instead of `prompt`.").optional(),
  until_field: text("A flag of `output_format`; the loop ends when it is true.").optional(),
  ...loopKeys,
});

const group: z.ZodType = z.strictObject({
  get nodes(): z.ZodType {
    return z.array(nodeShape).min(1).describe("The nodes of each round, a graph of their own.");
  },
  ...loopKeys,
});

const approval: z.ZodType = z.strictObject({
  message: text("What a person is asked."),
  capture_response: flag("What the person writes is the node's output; default false."),
  decisions: z
    .array(z.strictObject({ id: text("The word that is the decision."), label: text("What the person reads instead of it.").optional() }))
    .min(1)
    .optional()
    .describe("Decisions to choose from, instead of yes or no. The output has `decision` and `text`."),
  on_reject: z
    .strictObject({
      prompt: text("What an agent is asked after a rejection; `$REJECTION_REASON` is why. Then the person is asked again.").optional(),
      reopens: texts("Nodes above this one that run again after a rejection, with what depends on them."),
      max_attempts: z
        .int()
        .min(1)
        .max(10)
        .optional()
        .describe("The rejection that cancels the run, 1 to 10; each one before it reworks. Default 3."),
    })
    .optional()
    .describe("What a rejection begins; without it the run is cancelled."),
});

const fanOut: z.ZodType = z.strictObject({
  items: text("A reference to a list, or a list as JSON text: the workflow is run once for each of its items."),
  as: text("Input that an item is given as; default the message.").optional(),
  max_parallel: z.int().min(1).optional().describe("How many of them run at once; default 5."),
  join: z
    .enum(joinWords)
    .optional()
    .describe("`all_done` (default): failed ones are part of the output. `all_success`: the node fails with one of them."),
});

/** A node of a graph. */
export const nodeShape: z.ZodObject = z
  .strictObject({
    id: text("Name of the node, which others refer to as `$id.output`."),
    depends_on: texts("Nodes that it waits for."),
    when: text("Condition, such as `$id.output.field == 'value'`; a node whose condition does not hold is skipped.").optional(),
    trigger_rule: z.enum(triggerRules).optional().describe("What must have become of the nodes that it waits for; default `all_success`."),
    always_run: flag("Run it again when a failed run is taken up; default false."),
    command: text("Name of the file with its prompt.").optional(),
    prompt: text("Its prompt.").optional(),
    bash: text("A shell command; its output is the node's.").optional(),
    script: text("A program, or the name of a file in `scripts/`.").optional(),
    runtime: z.enum(runtimeWords).optional().describe("What runs the script: `bun`, or `uv` for Python."),
    deps: texts("Packages of the script."),
    get loop(): z.ZodType {
      return loop.optional().describe("Repeats a prompt.");
    },
    get loop_group(): z.ZodType {
      return group.optional().describe("Repeats several nodes.");
    },
    approval: approval.optional().describe("Asks a person."),
    cancel: text("Ends the run, for this reason.").optional(),
    include: text("Name of a workflow that is put in here.").optional(),
    workflow: text("Name of a workflow that is run for itself.").optional(),
    input: text("What the workflow is asked for.").optional(),
    with: z.record(z.string(), z.unknown()).optional().describe("Inputs of the workflow by their names."),
    isolation: z
      .enum(isolationWords)
      .optional()
      .describe("Where the workflow works: `inherit` (default), in the folder of the run, or `worktree`, in a git worktree of its own."),
    fan_out: fanOut.optional().describe("Runs the workflow once for each item of a list."),
    context: z
      .union([z.enum(["fresh", "shared"]), z.strictObject({ resume: text("The node.") })])
      .optional()
      .describe(
        "`fresh`; `shared`, to continue what was said before, as a node does that is alone in its layer; or `resume`, for a copy of a node's session.",
      ),
    output_format: z.record(z.string(), z.unknown()).optional().describe("JSON Schema that the output must fit."),
    timeout: z.int().min(1).max(longestWait).optional().describe("Milliseconds that the node may take; each try of a command or script."),
    on_lost: z.enum(lostWords).optional().describe("Of a command or script that was interrupted: run it again, ask a person, or fail."),
    ...agentKeys,
  })
  .meta({ id: "node" });

/** An input of a graph. */
export const graphInputShape: z.ZodType = z.strictObject({
  type: z.enum(typeWords).optional().describe("Type of the value; default any."),
  description: z.string().optional().describe("What the input is for."),
  default: z.unknown().optional().describe("Value when none is given; makes the input optional."),
  required: flag("Whether it must be given; default true without a `default`."),
});
