import type { CommandSpec } from "../define-command.ts";

const group = "Checklists over files:";
const run = "wf-code-review-2026-01-31-a1b2c3";

/** Commands about workflows that go through files. */
export const checklistCommands: readonly CommandSpec[] = [
  {
    usage: "scan <workflow> [path]",
    group,
    summary: "Look for a workflow's patterns in a folder or a file, without a run; for people and for CI.",
    details: [
      "Takes the workflow's file patterns and exclusions and what git ignores, relative to the folder that is named; a file that is named is",
      "always scanned. Nothing is written. With `--json` one instance per line: file, line, column, end_line, end_column (from 1, in UTF-16",
      "units), pattern, type, auto_fixable, text, and where there is one seed_type, why, guide, step. The summary goes to stderr.",
    ].join("\n"),
    options: [
      {
        flags: "--fail-on <what>",
        description: "End with 1 when there is any instance, or any that could be fixed automatically.",
        choices: ["found", "auto-fixable"],
      },
      { flags: "--bc-version <version>", description: "Business Central version of AL files that have no app.json above them, such as `BC24`." },
      { flags: "--source <version>", description: "For version upgrades: the version the code comes from." },
      { flags: "--target <version>", description: "For version upgrades: the version it goes to." },
    ],
    examples: [
      "waymark scan error-to-errorinfo-migration ../app --json > calls.jsonl",
      "waymark scan codebase-review src --fail-on found",
      "waymark scan bc-version-upgrade . --source BC23 --target BC24",
    ],
    completes: "workflow",
    load: async () => (await import("../commands/scan.ts")).scanCommand,
  },
];
