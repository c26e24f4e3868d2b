import * as z from "zod";
import { toolFormats } from "../vocabulary.ts";

const text: z.ZodString = z.string().min(1);
const globs: z.ZodType = z.array(text).min(1);
const paths: z.ZodType = z.array(text).min(1);

/** A tool of the team: a linter, a compiler, another scanner. */
export const toolShape: z.ZodObject = z
  .strictObject({
    id: text.describe("Name in types, filters and reports, e.g. `eslint`."),
    command: text.describe("One shell line, run in the workspace; its stdout is read."),
    format: z
      .enum(toolFormats)
      .describe("What it prints: `sarif`, ESLint's JSON (`eslint`), or `lines` that each say one finding, read with `pattern`."),
    pattern: text
      .optional()
      .describe(
        "Of `lines`: tried on each line; named groups `file`, `line` and, where there are any, `column`, `severity`, `rule`, `message`.",
      ),
    files: globs.optional().describe("Only findings in files that match one of these globs; default `file_patterns`."),
    per_file: text
      .optional()
      .describe("A shell line that looks at one file, with `{{file}}` as a whole argument: a report about a file is then settled at once."),
    secrets: z.boolean().optional().describe("What it reports are secrets, so they are masked wherever they are shown; default false."),
    if_present: paths
      .optional()
      .describe(
        "Use the tool only where all of these are in the workspace, e.g. `node_modules/.bin/eslint`; `{a,b}`: one of them. Default always.",
      ),
  })
  .meta({ id: "tool", description: "A tool of the team: every result it reports becomes an instance, and its next look settles it." });
