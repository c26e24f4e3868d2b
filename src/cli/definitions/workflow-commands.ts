import { inGroup, type CommandSpec } from "../define-command.ts";
import type { DialectCommands } from "../dialect-commands.ts";

const group = "Workflows:";

/** Commands about definitions: nothing is run by them but tests. */
export const workflowCommands: readonly CommandSpec[] = inGroup(group, [
  {
    usage: "list",
    summary: "List the workflows of the project, the user and the package.",
    options: [
      { flags: "--all", description: "Also those that are shadowed by one of the same name." },
      { flags: "--no-global", description: "Without the workflows of the user's home folder." },
      { flags: "--names", description: "Names only, one per line." },
    ],
    examples: ["waymark list", "waymark list --json"],
    load: async () => (await import("../commands/show-workflows.ts")).listCommand,
  },
  {
    usage: "info <workflow>",
    summary: "Show what a workflow does, its inputs, and what it would run.",
    examples: ["waymark info codebase-review"],
    load: async () => (await import("../commands/show-workflows.ts")).infoCommand,
  },
  {
    usage: "route <request...>",
    summary: "Show which workflow a request asks for, and why. Starts nothing.",
    details: [
      "Waymark compares the words of the request with names, descriptions, `triggers`, `examples` and `not_for` of all workflows that can be",
      "started; shadowed ones and those with errors do not count. With `--agent` that agent decides, and words only where it fails. `-` reads the request",
      "from stdin.",
    ].join("\n"),
    options: [{ flags: "--agent <name>", description: "The agent that decides; it may read in the workspace and nothing else." }],
    examples: ['waymark route "the login page is broken, please fix it"', 'waymark route "add a dark theme" --agent claude --json'],
    load: async () => (await import("../commands/route.ts")).routeCommand,
  },
  {
    usage: "validate [workflows...]",
    summary: "Check definitions and show all problems at once, with their places.",
    details: "Takes names or files; without any, every workflow of the project is checked. Ends with 1 when there are errors.",
    options: [{ flags: "--strict", description: "Count warnings as errors." }],
    examples: ["waymark validate", "waymark validate hello .waymark/workflows/hello.yaml", "waymark validate --json"],
    load: async () => (await import("../commands/validate.ts")).validateCommand,
  },
  {
    usage: "explain <workflow>",
    summary: "Show the plan of a workflow: blocks, branches, loops and who does what.",
    details: "Takes a name or a file.",
    options: [
      {
        flags: "-f, --format <format>",
        description: "How to show it; `--json` means `json`.",
        choices: ["text", "json", "mermaid"],
        default: "text",
      },
    ],
    examples: ["waymark explain codebase-review", "waymark explain fix-issue --format mermaid > plan.mmd"],
    load: async () => (await import("../commands/show-workflows.ts")).explainCommand,
  },
  {
    usage: "test [files...]",
    summary: "Run workflows against scripted answers, without any model, and report branch coverage.",
    details: [
      "Test files are called `<workflow>.waymark-test.yaml` and are beside the workflow; without arguments all of the workspace are run.",
      "Commands of the workflow get scripted replies and are not executed, waits take no time. `agent` names a script that does tasks and prompts",
      "in a folder of its own; no coding agent is started, and nothing has to be allowed. A test file:",
      "",
      "  workflow: hello",
      "  tests:",
      "    - name: greets by name",
      "      inputs: { name: Ada }",
      "      commands: { 'git status*': { stdout: clean } }",
      "      steps:",
      "        - step: ask_mood",
      "          expect: { prompt: /How are you/ }",
      "          answer: fine",
      "      messages: [Hello Ada]",
      "      state: { mood: fine }",
      "      status: completed",
    ].join("\n"),
    options: [
      { flags: "--only <text>", description: "Only tests whose name contains this." },
      { flags: "--min-coverage <percent>", description: "Fail when less than this share of the branches of a workflow was taken." },
    ],
    examples: ["waymark test", "waymark test .waymark/workflows/hello.waymark-test.yaml", "waymark test --min-coverage 90 --json"],
    load: async () => (await import("../commands/test.ts")).testCommand,
  },
]);

/** The dialect that is meant when none is named says so. */
export function schemaSpec(dialects: readonly DialectCommands[]): CommandSpec {
  const names = dialects.flatMap(({ dialect, schema }) => (schema === undefined ? [] : [dialect]));
  return {
    usage: "schema",
    group,
    summary: "Print the JSON Schema of workflow files, for completion in editors.",
    options: [
      {
        flags: "--dialect <dialect>",
        description: "Of which kind of workflow.",
        choices: names,
        default: dialects.find(({ schema }) => schema === "preset")?.dialect ?? names[0] ?? "",
      },
    ],
    examples: ["waymark schema > .waymark/workflow.schema.json"],
    load: async () => (await import("../commands/show-workflows.ts")).schemaCommand,
  };
}
