import * as z from "zod";
import { retriesKey, routingShape, taskKeys } from "../../../../source/index.ts";
import { answerers, approachIds, entryTypes, entryWorkers, phaseModes } from "../vocabulary.ts";
import { patternDiscoveryShape } from "./pattern-shape.ts";
import { toolShape } from "./tool-shape.ts";

const text: z.ZodString = z.string().min(1);
const globs: z.ZodArray = z.array(z.string());
const version: z.ZodType = z.union([z.string(), z.number(), z.null()]);

const phase: z.ZodType = z
  .strictObject({
    id: text.describe("Name in conditions, replies and reports."),
    name: text.describe("Name for people."),
    description: z.string().optional().describe("What happens in the phase."),
    required: z.boolean().optional().describe("Whether the run may end without it; default true."),
    entry_conditions: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe("What must hold before: `<phase id> phase completed`; any other text is shown to the agent."),
    available_actions: z.array(text).optional().describe("What the agent may do in the phase."),
    mode: z
      .enum(phaseModes)
      .optional()
      .describe("Who does it: the engine, the agent step by step, or the agent on its own. Without it the id and the actions decide."),
    hard_stop: z.boolean().optional().describe("A person must let the run into the phase; default false."),
    specialist_handoff: text.optional().describe("Specialist who is consulted in the phase."),
    checklist: z.array(text).optional().describe("Plain lines the agent is shown in the phase."),
    task: z
      .strictObject({ ...taskKeys, ...retriesKey })
      .optional()
      .describe("Makes the phase one task for an agent; it then has no `mode`, `available_actions` and `checklist`."),
  })
  .meta({ id: "phase", description: "A phase of the run." });

const entry: z.ZodType = z
  .strictObject({
    id: text.describe("Name of the entry below each file."),
    type: z.enum(entryTypes).describe("What kind of work it is."),
    description: z.string().optional().describe("What is to be done; default the id."),
    required: z.boolean().optional().describe("Whether the file may be completed without it; default true."),
    conditions: z
      .strictObject({
        file_pattern: text.optional().describe("Only for files that match this glob."),
        content_pattern: text.optional().describe("Only for files whose text matches this regular expression."),
        phase: text.optional().describe("Phase it belongs to."),
      })
      .optional()
      .describe("When the entry applies to a file."),
    by: z.enum(entryWorkers).optional().describe("Who does it: `engine` or `agent`."),
    topic: text.optional().describe("Knowledge topic to apply."),
    timeout: z.number().gt(0).optional().describe("Seconds after which an agent's entry fails with code TIMEOUT."),
  })
  .meta({ id: "entry", description: "An entry that every file gets." });

const approach: z.ZodType = z.strictObject({
  advice: text.optional().describe("Said before the options: what the change is worth."),
  options: z
    .array(
      z.union([
        z.enum(approachIds),
        z.strictObject({
          id: z.enum(approachIds).describe("Which way it is."),
          label: text.optional().describe("Short name for people."),
          description: text.optional().describe("What choosing it means."),
        }),
      ]),
    )
    .min(1)
    .optional()
    .describe("Ways to continue after the scan."),
  recommended: z.enum(approachIds).optional().describe("One of the options; default the first."),
  answer_by: z
    .enum(answerers)
    .optional()
    .describe("`relay`: the agent may pass on a person's answer (default); `person`: no agent may answer."),
});

/** A checklist workflow file. */
export const checklistShape: z.ZodObject = z
  .strictObject({
    type: text.describe("Name the workflow is started by, e.g. `code-review`."),
    name: text.describe("Name for people."),
    description: z.string().optional().describe("One sentence on what the workflow does."),
    ...routingShape,
    version: text.optional().describe("Version of the definition; default 1.0.0."),
    specialist: text.optional().describe("Specialist for the whole workflow."),
    file_patterns: globs.min(1).describe("Globs of the files to work on."),
    file_exclusions: globs.optional().describe("Globs of files to leave out."),
    gitignore: z.boolean().optional().describe("Leave out what .gitignore names; default true."),
    max_file_bytes: z.int().min(1).optional().describe("Larger files are listed but not read; default 10485760."),
    phases: z.array(phase).min(1).describe("Phases of the run, in order."),
    per_file_checklist: z.array(entry).optional().describe("What is done with every file."),
    topic_discovery: z
      .strictObject({
        enabled: z.boolean().optional().describe("Default true."),
        tool: text.optional().describe("Tool that suggests topics: one of ours, or any that your agents have; default `analyze_al_code`."),
        auto_expand_checklist: z.boolean().optional().describe("Suggested topics become entries of the file; default true."),
        min_relevance_score: z.number().min(0).max(1).optional().describe("Topics below this are left out; default 0.6."),
      })
      .optional()
      .describe("How knowledge topics come into the checklists."),
    pattern_discovery: patternDiscoveryShape.optional().describe("What the engine scans for."),
    findings_from: z
      .array(toolShape)
      .min(1)
      .optional()
      .describe("Tools of the team whose findings become instances; they run only when a person has allowed the workflow."),
    choose_tools: z
      .boolean()
      .optional()
      .describe(
        "Ask the user which of the tools that are there to use; default false: all of them. The option `tools` answers it at the start.",
      ),
    version_upgrade: z
      .strictObject({
        source_version: version.optional().describe("Version to start from, e.g. `BC21`; usually given at start."),
        target_version: version.optional().describe("Version to reach, e.g. `BC27`; usually given at start."),
        conversion_guide_pattern: text.optional().describe("Names of the guides, with `{version}` for the target of a step."),
        conversion_guide_tags: z.array(text).optional().describe("A topic with one of these tags is a guide."),
        apply_in_sequence: z.boolean().optional().describe("Version steps are worked on in order; default true."),
        extract_patterns_from_guides: z.boolean().optional().describe("Guides bring their patterns with them; default true."),
      })
      .optional()
      .describe("Upgrade from one version to another with conversion guides."),
    completion_rules: z
      .strictObject({
        require_all_files: z.boolean().optional().describe("Every file must be dealt with; default true."),
        require_all_checklist_items: z.boolean().optional().describe("Every required item must be dealt with; default true."),
        allow_skip_with_reason: z.boolean().optional().describe("Items may be skipped when a reason is given; default true."),
      })
      .optional()
      .describe("When the run counts as complete."),
    approach: approach.optional().describe("The decision after the scan."),
    verify: z
      .array(
        z.union([z.string().min(1), z.strictObject({ name: text.describe("Name in reports."), command: text.describe("Command line.") })]),
      )
      .min(1)
      .optional()
      .describe("Commands of the verification phase; they run only when a person has allowed the workflow."),
    sub_workflows: z.array(text).optional().describe("Workflows that are called on the same files before the summary."),
  })
  .meta({
    title: "Waymark workflow (checklist)",
    description: "A checklist over all files of a code base: the engine lists and scans, the agent gets one item at a time.",
  });
