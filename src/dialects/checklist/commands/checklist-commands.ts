/**
 * What checklists over files add to the command line: commands about files, instances and batches, the report of a run, and their own
 * way to show and report entries.
 */
import type { DialectCommands } from "../../../cli/index.ts";
import { codes } from "./codes.ts";
import { changed, commandDefinitions, file, type } from "./command-definitions.ts";

export const checklistCommands: DialectCommands = {
  dialect: "checklist",
  commands: commandDefinitions,
  additions: {
    done: { details: "For an entry of a checklist it may carry findings, proposed_changes and topics as lists in one JSON object." },
    export: {
      details: [
        "The form `bc` is for tools of Business Central: it writes `.bc-workflows/sessions/<run>.json` and `.bc-workflows/reports/<run>-report.md`",
        "of a checklist run in the workspace.",
      ].join("\n"),
      choices: { "-f, --format <format>": ["bc"] },
      examples: ["waymark export wf-code-review-2026-01-31-a1b2c3 --format bc"],
      answers: { when: ({ format }) => format === "bc", load: async () => (await import("./export-session.ts")).exportSession },
    },
    items: {
      details: [
        "Of a checklist run, and of the checklists that a run calls, items are what patterns found, or for a workflow without patterns the",
        "entries of its checklist; with `--jsonl` as `scan` prints them, with id, kind and label.",
      ].join("\n"),
      options: [
        type,
        file,
        { flags: "--kind <kind>", description: "Which rows of a checklist.", choices: ["instance", "entry", "topic", "file", "all"] },
      ],
      examples: ['waymark items wf-code-review-2026-01-31-a1b2c3 --type literal --file "src/**" --jsonl'],
    },
    start: {
      details: [
        "Of a checklist, paths say which folders and files of the workspace it goes through; `-` reads a list from stdin, of whose files those count that",
        "the workflow takes. `--since` takes the files that were changed instead, of the paths where there are some.",
      ].join("\n"),
      options: changed,
      examples: ["waymark start codebase-review --since HEAD --changed-lines", "waymark start code-review src test/setup.ts"],
    },
    schema: { examples: ["waymark schema --dialect checklist > .waymark/checklist.schema.json"] },
  },
  failures: ["`scan --fail-on` found something", "a batch or its undoing left files out"],
  codes,
  schema: true,
  tours: [
    {
      name: "migration",
      about: "takes a sample application through a whole migration and back",
      preset: true,
      load: async () => (await import("./migration-tour.ts")).migrationTour,
    },
  ],
  share: async () => (await import("./checklist-share.ts")).checklistShare,
  statusBar: async (engine) => (await import("./status-bar-changes.ts")).statusBarChanges(engine),
};
