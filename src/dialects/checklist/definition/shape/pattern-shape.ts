import * as z from "zod";
import { argumentShapes, fileKinds, instanceWays, patternSources, severities, textParts } from "../vocabulary.ts";

const text: z.ZodString = z.string().min(1);
const texts: z.ZodType = z.array(text);

const callArguments: z.ZodType = z.strictObject({
  min: z.int().min(0).optional().describe("Fewest arguments of the call."),
  max: z.int().min(0).optional().describe("Most arguments of the call."),
  shapes: z.record(z.string(), z.enum(argumentShapes)).optional().describe("What the argument at a place, counted from 0, must look like."),
});

const rule: z.ZodType = z.strictObject({
  name: text.describe("Type of the instances that match."),
  pattern: text.describe("Regular expression on the text of the match; the first rule that matches counts."),
  suggested_action: z.string().optional().describe("What to do with instances of this type."),
  auto_fixable: z.boolean().optional().describe("Whether the engine may fix them without a look; default false."),
});

const transformation: z.ZodType = z.strictObject({
  instance_type: text.describe("Type of the instances it is for."),
  template: z.string().describe("Replacement of the match, with `{{placeholders}}`."),
  requires_review: z.boolean().optional().describe("A proposal only, to be looked at; default true."),
});

/** One thing to look for. */
export const patternShape: z.ZodObject = z
  .strictObject({
    id: text.describe("Name in items, filters and reports."),
    name: z.string().optional().describe("Name for people; default the id."),
    description: z.string().optional().describe("What the pattern detects."),
    why: text.optional().describe("Why it matters."),
    fix: text.optional().describe("What to do about it in general; what a rule suggests for its type comes first."),
    regex: text.optional().describe("Regular expression to find matches with; either this or `finder`."),
    regex_flags: z.string().optional().describe("Flags of the expression, e.g. `gi`."),
    exclude_regex: text.optional().describe("A match is dropped when this matches its text or its line."),
    context_lines: z
      .int()
      .min(0)
      .max(50)
      .optional()
      .describe("Lines of context kept with a match, default 2; an instance that is handed out comes with 5 or more."),
    instance_classifier: z
      .strictObject({ rules: z.array(rule).min(1).describe("Tried in order; the first that matches names the type.") })
      .optional()
      .describe("Tells matches apart by their text."),
    transformations: z.array(transformation).optional().describe("How instances of a type are rewritten."),
    specialist: text.optional().describe("Specialist to consult about these instances."),
    topic_id: text.optional().describe("Knowledge topic that belongs to the pattern."),
    finder: text.optional().describe("A built-in finder that understands the language, e.g. `al-error-call`; either this or `regex`."),
    in: z.enum(textParts).optional().describe("Which part of the text counts: `all` (default), `code`, `comments` or `strings`."),
    whole_word: z.boolean().optional().describe("The match must begin and end at the border of an identifier; default false."),
    balanced: z.boolean().optional().describe("A match that ends inside brackets reaches to their balanced end; default false."),
    arguments: callArguments.optional().describe("Only calls whose arguments look like this."),
    files: z.array(text).min(1).optional().describe("Only files that match one of these globs."),
    leave_out: z.array(z.enum(fileKinds)).min(1).optional().describe("Kinds of files in which this pattern finds nothing."),
    severity: z.enum(severities).optional().describe("How grave an instance is as a finding."),
    secret: z
      .boolean()
      .optional()
      .describe("What it finds is a secret, so it is masked wherever it is shown: the group `(?<secret>...)`, else what is in quotes."),
    same_as: z
      .array(text.regex(/^[a-z-]+\/./))
      .min(1)
      .optional()
      .describe("Rules of other tools that mean the same, as `eslint/no-empty`: a comment that switches one of them off counts here too."),
    category: text.optional().describe("Heading under which instances are reported."),
    section: text.optional().describe("Heading of the topic's section that helps with it."),
  })
  .meta({ id: "pattern", description: "A pattern: what to look for, how to tell instances apart, how to rewrite them." });

export const patternDiscoveryShape: z.ZodObject = z.strictObject({
  enabled: z.boolean().optional().describe("Default true."),
  source: z
    .enum(patternSources)
    .optional()
    .describe("`patterns`: only those listed here (default); `knowledge_topics`: from conversion guides as well."),
  topic_pattern: text.optional().describe("Which guides to read patterns from, e.g. `bc*-conversion-guide`."),
  pattern_extraction: z
    .strictObject({
      search_pattern_markers: texts.optional().describe("Headings in a guide that names to search for are below."),
      transformation_markers: texts.optional().describe("Headings in a guide that mark code before and after."),
    })
    .optional()
    .describe("How patterns are read from guides."),
  patterns: z.array(patternShape).optional().describe("What to look for."),
  create_instance_items: z.boolean().optional().describe("Every match becomes an item of its file's checklist; default true."),
  instances: z
    .enum(instanceWays)
    .optional()
    .describe("What an agent does with an instance: `convert` it in its file (default), or `confirm` it as a finding or dismiss it."),
  leave_out: z
    .array(z.enum(fileKinds))
    .min(1)
    .optional()
    .describe("Kinds of files in which patterns find nothing, known by path and text; what tools report there counts."),
  group_identical: z.boolean().optional().describe("One decision may cover all instances of the same text; default false."),
  group_by_guide: z.boolean().optional().describe("Instances are worked on guide by guide; default false."),
  specialist: text.optional().describe("Specialist for all patterns that name none."),
});
