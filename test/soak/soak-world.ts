import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

const head = (name: string): string => `name: "${name}"\ndescription: A case.\nversion: "1.0.0"\n`;

/** One of each kind of thing that can be open: actions, questions, tasks, commands, waits. */
const workflows: Readonly<Record<string, string>> = {
  "soak:steps": `inputs: { who: { type: string, default: you }, files: { type: array, default: [a.ts, b.ts] }, key: { type: string, default: hidden, secret: true } }
default_state: { raw: { count: 0, seen: [], text: "{{ inputs.who }}" } }
state_schema: { computed: { twice: { from: raw.count, transform: "input * 2", on_error: use_fallback, fallback: 0 }, loud: { from: raw.text, transform: "input.toUpperCase()", on_error: ignore } } }
steps:
  - { id: hello, type: user_message, message: "Hello {{ text }}, {{ twice }}" }
  - { id: ask, type: user_input, prompt: "Which?", validation: { pattern: "^[a-z]+$", error_message: "Small letters." }, state_update: { path: raw.text } }
  - { id: list, type: agent_shell_command, command: "ls {{ text }}", output_format: lines, state_update: { path: raw.seen } }
  - id: each
    type: foreach
    items: "{{ inputs.files }}"
    body:
      - { id: call, type: mcp_call, mcp: { method: look, params: { file: "{{ item }}" } }, state_update: { path: "raw.found.{{ index }}" } }
  - { id: again, type: while, condition: "count < 3", max_iterations: 5, body: [{ id: bump, type: state_update, path: raw.count, operation: increment }] }
  - { id: last, type: user_message, message: "{{ loud }}" }
`,
  "soak:tasks": `inputs: { files: { type: array, default: [a.ts, b.ts, c.ts] } }
default_state: { raw: { done: [] } }
steps:
  - { id: all, type: parallel_foreach, items: "{{ inputs.files }}", max_parallel: 2, sub_agent_task: one }
sub_agent_tasks:
  one:
    description: One file.
    steps:
      - { id: work, type: mcp_call, mcp: { method: work_on, params: { file: "{{ item }}" } }, state_update: { path: raw.done, operation: append } }
`,
  "soak:command": `inputs: { text: { type: string, default: plain } }
steps:
  - { id: echo, type: shell_command, command: "printf %s {{ inputs.text }}", state_update: { path: raw.out } }
  - { id: show, type: user_message, message: "{{ out }}" }
`,
};

export const workflowNames: readonly string[] = Object.keys(workflows);

/** A fresh engine with the soak's workflows, all allowed; calls wait only shortly for engine work. */
export async function openSoakWorld(): Promise<TestEngine> {
  const files = Object.entries(workflows).map(([name, text]) => [
    `.waymark/workflows/${name.replaceAll(":", "__")}.yaml`,
    `${head(name)}${text}`,
  ]);
  const engine = await openTestEngine(Object.fromEntries(files), { callWaitMs: 300 });
  for (const name of workflowNames) {
    const { program, diagnostics } = await engine.context.catalog.load(name);
    if (program === undefined)
      throw new Error(`The soak's own workflow ${name} is wrong: ${diagnostics.map((problem) => problem.message).join(" ")}`);
    await engine.allow(name);
  }
  return engine;
}

/** Names that earlier answers gave, so that later questions hit something. */
export class Known {
  readonly runs: string[] = [];
  readonly ids: string[] = [
    "hello",
    "ask",
    "list",
    "each.call",
    "call",
    "last",
    "work",
    "all",
    "a1",
    "d1",
    "main",
    "a.ts",
    "all.0",
    "each.0",
  ];

  /** A run and the action that was open in it, newest last. */
  readonly open: { readonly run: string; readonly action: string }[] = [];

  /** Remembers whatever looks like an id in an answer. */
  learn(answer: unknown): void {
    const { run_id: run, action_id: action } = (answer ?? {}) as { readonly run_id?: unknown; readonly action_id?: unknown };
    if (typeof run === "string" && typeof action === "string") this.open.push({ run, action });
    this.open.splice(0, Math.max(0, this.open.length - 6));
    for (const [, key = "", value = ""] of (JSON.stringify(answer) ?? "").matchAll(
      /"(run_id|workflow_id|action_id|task_id|decision_id|id|step_id)":"([^"\\]{1,80})"/g,
    )) {
      const into = key === "run_id" || key === "workflow_id" ? this.runs : this.ids;
      if (!into.includes(value)) into.push(value);
    }
    this.runs.splice(0, Math.max(0, this.runs.length - 12));
    this.ids.splice(14, Math.max(0, this.ids.length - 60));
  }
}
