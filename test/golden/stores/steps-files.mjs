// Workflows in steps, one for each place that a run is left at.
const head = (name) => `name: ${name}\ndescription: For a store of an earlier version.\nversion: "1.0.0"\n`;
const ask = (id, path, more = "") =>
  `  - { id: ${id}, type: agent_shell_command, command: "echo ${id}"${more}, state_update: { path: ${path}, value: "{{ result }}" } }\n`;

const plain = `inputs: { who: { type: string, description: "Who is greeted.", default: Ada } }
default_state: { raw: { out: "", first: "", second: "" } }
state_schema:
  raw: { first: string }
  computed: { loud: { from: raw.first, transform: "input.toUpperCase()" } }
steps:
  - { id: greet, type: shell_command, command: "echo hello {{ inputs.who }}", state_update: { path: raw.out, value: "{{ result }}" } }
${ask("first", "raw.first")}  - { id: say, type: user_message, message: "{{ loud }}" }
${ask("second", "raw.second")}`;

const written = `default_state: { raw: { note: "", count: 0, after: "" } }
steps:
  - id: keep
    type: state_update
    by: agent
    updates: [{ path: raw.note, value: kept }, { path: raw.count, operation: increment, value: 3 }]
${ask("after", "raw.after")}`;

const question = `default_state: { raw: { colour: "", word: "" } }
steps:
  - { id: colour, type: user_input, prompt: "Which colour?", options: [red, green], state_update: { path: raw.colour, value: "{{ result }}" } }
  - { id: word, type: user_input, prompt: "Which word?", answer_by: person, state_update: { path: raw.word, value: "{{ result }}" } }
`;

const tasks = `default_state: { raw: { seen: {}, kept: {}, end: "" } }
steps:
  - { id: each, type: parallel_foreach, items: [a, b, c], sub_agent_task: look, max_parallel: 3 }
${ask("end", "raw.end")}sub_agent_tasks:
  look:
    description: Looks at one thing.
    steps:
    - { id: see, type: agent_shell_command, command: "echo {{ item }}", state_update: { path: "raw.seen.{{ item }}", value: "{{ result }}" } }
    - { id: keep, type: agent_shell_command, command: "echo {{ item }}", state_update: { path: "raw.kept.{{ item }}", value: "{{ result }}" } }
`;

const failing = `default_state: { raw: { first: "", second: "" } }
steps:
${ask("first", "raw.first")}${ask("second", "raw.second")}`;

const again = `default_state: { raw: { first: "", second: "" } }
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps:
${ask("first", "raw.first")}${ask("second", "raw.second")}`;

const timer = (wait) => `default_state: { raw: { before: "", after: "" } }
steps:
${ask("before", "raw.before")}  - { id: pause, type: wait, ${wait} }
${ask("after", "raw.after")}`;

const secret = `inputs: { token: { type: string, description: "A key.", secret: true, required: true } }
default_state: { raw: { used: "", told: "" } }
steps:
  - { id: use, type: state_update, path: raw.used, value: "with {{ inputs.token }}" }
${ask("tell", "raw.told")}`;

const outer = `default_state: { raw: { list: [], end: "" } }
steps:
  - id: rounds
    type: foreach
    items: [1, 2]
    steps:
    - { id: round, type: include_workflow, workflow: inner, inputs: { number: "{{ item }}" } }
    - { id: note, type: state_update, path: raw.list, operation: append, value: "{{ round.line }}" }
${ask("end", "raw.end")}`;

const inner = `inputs: { number: { type: number, description: "Which round." } }
default_state: { raw: { line: "" } }
steps:
${ask("line", "raw.line")}`;

const texts = {
  plain,
  written,
  question,
  tasks,
  failing,
  again,
  due: timer("seconds: 3600"),
  later: timer('until: "2999-01-01T00:00:00.000Z"'),
  secret,
  outer,
  inner,
};

export const stepsFiles = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [`.waymark/workflows/${name}.yaml`, head(name) + text]),
);
