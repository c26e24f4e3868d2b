/**
 * One small workflow of every dialect, as files of a workspace. Each does one thing that an agent or a person must close; with `calls`
 * it runs another workflow in the same run.
 */
export type SampleFiles = Record<string, string>;
export type SampleDialect = "steps" | "checklist" | "bots" | "machine";

const folder = ".waymark/workflows";

export const samples: Readonly<Record<SampleDialect, (name: string, calls?: string) => SampleFiles>> = {
  steps: (name, calls) => ({
    [`${folder}/${name}.yaml`]: [
      `name: ${name}`,
      "description: Says something.",
      'version: "1.0.0"',
      "steps:",
      `  - { id: ${name}_hello, type: user_message, message: hello }`,
      ...(calls === undefined ? [] : [`  - { id: sub, type: include_workflow, workflow: ${calls} }`]),
      "",
    ].join("\n"),
  }),
  checklist: (name, calls) => ({
    [`${folder}/${name}.workflow.yaml`]: [
      `type: ${name}`,
      `name: ${name}`,
      "description: Looks at every file.",
      'file_patterns: ["**/*.js"]',
      "phases:",
      "  - { id: inventory, name: Inventory, description: d, required: true }",
      "  - { id: analysis, name: Analysis, description: d, required: true, available_actions: [analyze_file] }",
      "  - { id: summary, name: Summary, description: d, required: true }",
      "per_file_checklist:",
      "  - { id: analyze, type: analysis, description: Analyse it, required: true }",
      "topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.6 }",
      ...(calls === undefined ? [] : [`sub_workflows: [${calls}]`]),
      "completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }",
      "",
    ].join("\n"),
  }),
  bots: (name, calls) => ({
    [`${folder}/${name}/bot_config.json`]: JSON.stringify({ name, behaviors: ["shape"], description: "A bot for tests." }),
    [`${folder}/${name}/behaviors/1_shape/instructions.md`]: "Shape it.",
    ...Object.fromEntries(
      [
        { name: "gather", order: 1, next_action: calls === undefined ? null : "call" },
        ...(calls === undefined ? [] : [{ name: "call", order: 2, next_action: null, calls }]),
      ].map((action) => [
        `${folder}/${name}/base_actions/${action.name}/action_config.json`,
        JSON.stringify({ ...action, workflow: true, auto_progress: true }),
      ]),
    ),
    [`${folder}/${name}/base_actions/gather/instructions.json`]: JSON.stringify({ actionName: "gather", instructions: ["Ask."] }),
  }),
  machine: (name, calls) => ({
    [`${folder}/${name}.machine.yaml`]: [
      `machine: ${name}`,
      "description: One role makes something.",
      "start: MAKE",
      "roles:",
      "  Maker: { title: Makes things., instructions: roles/maker.md }",
      "states:",
      `  MAKE: { do: [{ dispatch: Maker, goal: Make it. }${calls === undefined ? "" : `, { workflow: ${calls} }`}], next: DONE }`,
      "  DONE: { do: [{ finish: true }], next: end }",
      "done: {}",
      "",
    ].join("\n"),
    [`${folder}/roles/maker.md`]: "Make it.",
  }),
};

/** The files of a caller and of what it calls, and a file that a checklist can look at. */
export function calling(caller: SampleDialect, called: SampleDialect): SampleFiles {
  return { ...samples[called]("inner"), ...samples[caller]("outer", "inner"), "a.js": "1;\n" };
}
