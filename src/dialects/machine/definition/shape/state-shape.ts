import * as z from "zod";
import { retriesKey, taskKeys } from "../../../../source/index.ts";
import { stepWords } from "../vocabulary.ts";

const text: z.ZodString = z.string().min(1);
const names: z.ZodArray = z.array(text);
const when: z.ZodType = text.optional().describe("JavaScript condition; without it the step is always done.");
const into: z.ZodType = text.optional().describe("Name under which conditions read the answer.");

const choices: z.ZodType = z.record(text, text);

/** One shape per word of a step, in the order of `stepWords`. */
export const stepShapes: Readonly<Record<(typeof stepWords)[number], z.ZodObject>> = {
  dispatch: z.strictObject({
    dispatch: text.describe("Role that is given work and reports."),
    leaves: names.optional().describe("Artifacts that must pass their checks before the report counts."),
    goal: text.optional().describe("What it is to achieve; default the goal of the current task, or the request."),
    meta: z.boolean().optional().describe("About the session as a whole even while there is a current task; default false."),
    when,
  }),
  task: z.strictObject({
    task: text.describe("Name of a task that is given to an agent without a role."),
    ...taskKeys,
    ...retriesKey,
    into: text.optional().describe("Name under which conditions and later texts read its result; null before."),
    when,
  }),
  gate: z.strictObject({
    gate: text.describe("Fixed id of the decision, e.g. `UD-APPROVE-DESIGN`."),
    question: text.describe("What the person is asked."),
    shows: names.optional().describe("Artifacts that are summed up for the person."),
    binds: names.optional().describe("Artifacts whose content the answer is bound to: a later change asks again."),
    passes: text.optional().describe("The word an answer that passes begins with."),
    choices: choices.optional().describe("Answers that pass, each with what it means; instead of `passes`."),
    also: z.record(text, names).optional().describe("Other words for a choice, by choice. What is written down is the choice."),
    into,
    recommend: text.optional().describe("JavaScript that gives the choice to recommend; reads `tasks` too."),
    changes: z
      .strictObject({
        roles: z.record(text, names).describe("Roles that may be asked to correct, each with words that point to it."),
        prefix: text.optional().describe("How an answer that asks for changes begins; default `changes-requested:`."),
        history: text.optional().describe("File of the session that every request for changes is added to."),
      })
      .optional()
      .describe("Lets a person send the work back."),
    allows_commands: z.boolean().optional().describe("Shows the commands of all checks; passing allows exactly these. Default false."),
    reasks: z.int().min(0).max(20).optional().describe("Has no effect: a wrong answer never closes a gate, however often it is given."),
    when,
  }),
  ask: z.strictObject({
    ask: text.describe("What kind of question it is, in a word."),
    question: text.describe("What the person is asked; may hold `{{ }}`."),
    options: choices.describe("Answers to choose from, each with what it means."),
    into,
    insists: z.boolean().optional().describe("Only an explicit choice or deferral closes it; default false."),
    when,
  }),
  checks: z.strictObject({
    checks: z.enum(["task", "all"]).describe("Runs the commands of acceptance checks: of the current task, or of all tasks and criteria."),
    when,
  }),
  take_tasks: z.strictObject({ take_tasks: text.describe("Artifact of the form `tasks` whose tasks become the worklist."), when }),
  promote: z.strictObject({
    promote: z.enum(["task", "all"]).describe("Sets the status of the current task, or of all tasks."),
    to: z.enum(["implemented", "completed"]).describe("The status."),
    when,
  }),
  workflow: z.strictObject({
    workflow: text.describe("Workflow of any dialect that runs here, in the same run; the state continues when it has ended."),
    inputs: z.record(text, z.unknown()).optional().describe("What it is given; texts may hold `{{ }}`."),
    when,
  }),
  report: z.strictObject({ report: z.literal(true).describe("Waymark writes the report itself."), when }),
  finish: z.strictObject({ finish: z.literal(true).describe("Nothing passes before the definition of done holds."), when }),
};

const step: z.ZodType = z
  .union(stepWords.map((word) => stepShapes[word]) as [z.ZodObject, z.ZodObject])
  .meta({ id: "step", description: "Something that is done in a state." });

const common = {
  title: text.optional().describe("What happens in the state, for people; default its name."),
  shown_as: text.optional().describe("What status files show instead of its name."),
  do: z.array(step).min(1).optional().describe("What is done when the state is entered, in order."),
  on: z
    .array(z.strictObject({ when: text.describe("JavaScript condition."), to: text.describe("State to go to, or `end`.") }))
    .min(1)
    .optional()
    .describe("Where to go; the first condition that holds decides."),
  next: text.optional().describe("State to go to when no condition of `on` holds, or `end`."),
  repair: z
    .strictObject({
      by: text.describe("Role that repairs."),
      goal: text.describe("What it is to repair; may hold `{{ }}`."),
      back: text.describe("State that looks again."),
      accepted: text.describe("State to continue in when a person accepts things as they are, or `end`."),
      tries: z.int().min(1).max(100).optional().describe("Rounds for one task before a person is asked; default 3."),
      cut_scope: text.optional().describe("State that plans again when a person cuts the scope."),
    })
    .optional()
    .describe("Makes the state a repair loop; it then has no `do`, `on` and `next`."),
};

const innerState: z.ZodType = z.strictObject(common).meta({ id: "inner_state", description: "A state of a machine inside a state." });

export const stateShape: z.ZodType = z
  .strictObject({
    ...common,
    ahead: z
      .strictObject({
        role: text.describe("Role whose first dispatch of each task it is."),
        most: text.describe("JavaScript that gives how many at most; 1 or less: one after the other."),
      })
      .optional()
      .describe("Ready tasks whose `files_expected` do not meet are worked on at the same time, each in a worktree of its own."),
    each: z.literal("tasks").optional().describe("The machine inside runs once for every task, in the order of their dependencies."),
    start: text.optional().describe("First state of the machine inside."),
    states: z.record(text, innerState).optional().describe("A machine inside the state; it may also lead to states around it."),
  })
  .meta({ id: "state", description: "A state of the machine." });
