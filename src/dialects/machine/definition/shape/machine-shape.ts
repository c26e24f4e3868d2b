import * as z from "zod";
import { inputShape, permissionShape, routingShape } from "../../../../source/index.ts";
import { artifactForms } from "../machine-definition.ts";
import { answerWords, outputKinds } from "../vocabulary.ts";
import { stateShape } from "./state-shape.ts";

const text: z.ZodString = z.string().min(1);
const names: z.ZodArray = z.array(text);
const input: z.ZodType = inputShape.meta({ id: "input", description: "A type word, or a map." });

const mode: z.ZodType = z
  .strictObject({
    start: text.describe("First state."),
    default: z.boolean().optional().describe("The mode of runs that ask for none; without one the first mode is it."),
    roles: names.optional().describe("Roles that must have worked at least once before the end."),
    only_if: z.record(text, text).optional().describe("What must be confirmed before a run begins in this mode: key and sentence."),
    most_files: z.int().min(1).optional().describe("More changed files than this, and the mode does not fit."),
    otherwise: text.optional().describe("State to continue in, in the default mode, when this one does not fit."),
  })
  .meta({ id: "mode", description: "A way through the machine." });

const artifact: z.ZodType = z
  .union([
    text,
    z.strictObject({
      path: text.optional().describe("Below the session's folder; may be a glob such as `design-specs/*.md`."),
      form: z
        .enum(artifactForms)
        .optional()
        .describe("A content check that is built in, for the artifact of that name; it has its own path."),
      sections: names.min(1).optional().describe("Headings that must be there and say something."),
      not_in: names.min(1).optional().describe("Modes in which it is not needed."),
    }),
  ])
  .meta({ id: "artifact", description: "A file of the session: its path, or a map." });

const role: z.ZodType = z
  .strictObject({
    title: text.describe("What the role is, in a sentence."),
    instructions: text.describe("File with its instructions, relative to this one."),
    reads: names.optional().describe("Artifacts it is given; `design?` is given when it exists."),
    writes: names.optional().describe("Artifacts it may write, by name, and globs of project files it may change."),
    answers: z.array(z.enum(answerWords)).min(1).optional().describe("Words its report may have as `status`."),
    output: z
      .enum(outputKinds as [string, ...string[]])
      .optional()
      .describe("Whose reports its own are checked like; default its name when that is a known role, else `plain`."),
    sees_changes: z.boolean().optional().describe("It is given every file the session changed; default true for reviewers."),
    agent: text.optional().describe("Agent that plays it when Waymark drives the run; default the one of the run."),
    model: text.optional().describe("Model of that agent."),
    permission: permissionShape.optional().describe("What that agent may do without asking."),
  })
  .meta({ id: "role", description: "A role that an agent plays." });

/** A machine file. */
export const machineShape: z.ZodObject = z
  .strictObject({
    machine: text.describe("Name the machine is started by, e.g. `delivery`."),
    title: text.optional().describe("Name for people; default the name."),
    description: text.describe("One sentence on what the machine does."),
    ...routingShape,
    version: text.optional().describe("Version of the definition; default 1.0.0."),
    inputs: z.record(text, input).optional().describe("What a run is given, beside the inputs that every machine has."),
    sessions: text.optional().describe("Folder of all sessions, relative to the workspace; default `.agents-work`."),
    project_instructions: names.optional().describe("Files of the project that every role has to read when they exist."),
    precedence: names.min(1).optional().describe("Order in which conflicts between instructions are settled, highest first."),
    start: text.optional().describe("First state of a machine with one mode, which is then called `full`."),
    modes: z.record(text, mode).optional().describe("Ways through the machine, instead of `start`."),
    artifacts: z.record(text, artifact).optional().describe("Files of the session, by name."),
    roles: z.record(text, role).describe("Roles, by name."),
    states: z.record(text, stateShape).describe("States, by name."),
    done: z
      .strictObject({
        tasks: z.boolean().optional().describe("Every task is completed; default false."),
        criteria: z.boolean().optional().describe("Every acceptance criterion is met or waived by a person; default false."),
        report: z.boolean().optional().describe("The report has its four parts; default false."),
        checks: z.boolean().optional().describe("The commands of all checks pass; default false."),
        rules: z
          .array(
            z.strictObject({
              when: text.describe("JavaScript condition that must hold."),
              message: text.describe("What is said when it does not."),
            }),
          )
          .min(1)
          .optional()
          .describe("Further conditions."),
      })
      .describe("What must hold before a run may end."),
  })
  .meta({
    title: "Waymark workflow (machine)",
    description: "A state machine of agent roles: artifacts with content checks, gates for people, repair loops with budgets.",
  });
