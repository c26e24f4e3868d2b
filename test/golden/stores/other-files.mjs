// Checklists, bots and the project of a machine, as small as the places in them allow.
const phase = (id, more = "") => `  - { id: ${id}, name: ${id}, description: d, required: true${more} }\n`;

const oldCalls = `type: old-calls
name: "Old calls"
description: "Turns old() into fresh()."
file_patterns: ["**/*.js"]
phases:
${phase("inventory")}${phase("scan")}  - { id: batch_auto, name: Batch, description: d, required: false }
${phase("manual_review")}${phase("verification")}${phase("summary")}per_file_checklist:
  - { id: review_complete, type: validation, description: "All calls dealt with", required: true }
topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.5 }
pattern_discovery:
  enabled: true
  create_instance_items: true
  patterns:
    - id: old-call
      name: "Old call"
      description: "old() is gone"
      regex: "old\\\\("
      in: code
      balanced: true
      instance_classifier:
        rules:
          - { name: text, pattern: "^old\\\\('[^']*'\\\\)$", suggested_action: "Rename it", auto_fixable: true }
          - { name: other, pattern: "old", suggested_action: "Look at it", auto_fixable: false }
      transformations:
        - { instance_type: text, template: "fresh({{arg0}})", requires_review: false }
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;

const review = (type, more = "") => `type: ${type}
name: "Review"
description: "Looks at every file."
file_patterns: ["**/*.js"]
phases:
${phase("inventory")}${phase("analysis", ", available_actions: [analyze_file]")}${phase("summary")}per_file_checklist:
  - { id: analyze, type: analysis, description: "Analyse it", required: true }
  - { id: review_complete, type: validation, description: "Done?", required: true }
topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.6 }
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
${more}`;

const sources = {
  "a.js": "old('one');\nold('two');\nold(three);\n",
  "b.js": "old('four');\n",
  "c.js": "fresh('five');\nold(six + 'seven');\n",
};

export const batchFiles = { ".waymark/workflows/old-calls.workflow.yaml": oldCalls, ...sources };
export const reviewFiles = {
  ".waymark/workflows/review.workflow.yaml": review("review"),
  ".waymark/workflows/twice.workflow.yaml": review("twice", "sub_workflows: [review]\n"),
  ...sources,
};

/** Two behaviours of two actions; `calls` names a workflow that runs as the first action. */
function bot(name, calls) {
  const base = `.waymark/workflows/${name}`;
  const action = (of) => [`${base}/base_actions/${of.name}/action_config.json`, JSON.stringify({ workflow: true, ...of })];
  return Object.fromEntries([
    [`${base}/bot_config.json`, JSON.stringify({ name, behaviors: ["shape", "build"], description: "A bot.", done_by: "relay" })],
    [`${base}/behaviors/1_shape/instructions.md`, "Shape it."],
    [`${base}/behaviors/2_build/instructions.md`, "Build it."],
    action({ name: "gather", order: 1, next_action: "check", ...(calls === undefined ? {} : { calls }) }),
    action({ name: "check", order: 2, next_action: null }),
    action({ name: "correct", workflow: false, order: null, next_action: null }),
    [`${base}/base_actions/check/instructions.md`, "Check it."],
  ]);
}

const steps = `description: For a store of an earlier version.
version: "1.0.0"
default_state: { raw: { line: "", end: "" } }
steps:
`;
const line = (id, path) =>
  `  - { id: ${id}, type: agent_shell_command, command: "echo ${id}", state_update: { path: ${path}, value: "{{ result }}" } }\n`;

export const botFiles = {
  ...bot("started_bot"),
  ...bot("jumping_bot"),
  ...bot("calling_bot", "called"),
  ...bot("included_bot"),
  ".waymark/workflows/called.yaml": `name: called\n${steps}${line("line", "raw.line")}`,
  ".waymark/workflows/with-bot.yaml": `name: with-bot\n${steps}${line("line", "raw.line")}  - { id: whole, type: include_workflow, workflow: included_bot }\n${line("end", "raw.end")}`,
};

const check = `import { slug } from "./src/slug.mjs";
if (slug("A b") !== "a-b") process.exit(1);
`;

export const machineFiles = {
  ".gitignore": ".agents-work/\n.waymark/\n",
  "check.mjs": check,
  "package.json": '{"type":"module"}\n',
  "README.md": "# Slugs\n",
};
