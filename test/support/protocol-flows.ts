/** Small workflows of the steps dialect, one for each kind of step, form of `state_update` and policy for errors, with what each leaves behind. */
import { textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { answer, type Caller, type EngineContext } from "../../src/engine/index.ts";
import { controlFlows } from "./control-flows.ts";
import { policyFlows } from "./policy-flows.ts";
import type { Agent, Step } from "./literal-client.ts";

export interface Flow {
  readonly name: string;
  readonly body: string;
  /** Results by the command, method, file or prompt of a step. */
  readonly results?: Readonly<Record<string, Json>>;
  /** How often each command, method or file fails before it succeeds. */
  readonly failures?: Readonly<Record<string, number>>;
  /** Answers by the prompt of a question: one, or several in turn. */
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  readonly ends?: "completed" | "failed";
  readonly state: JsonObject;
  /** The engine runs commands, which a person has to allow. */
  readonly commands?: true;
}

const call = (update: string): string => `steps: [{ id: ask, type: mcp_call, mcp: { method: count }, state_update: ${update} }]`;
const counted = { count: { n: 3, name: "x" } };

export const flows: readonly Flow[] = [
  {
    name: "agent-command-text",
    body: `steps: [{ id: run, type: agent_shell_command, command: "list", state_update: { path: raw.out } }]`,
    results: { list: "some text" },
    state: { out: "some text" },
  },
  {
    name: "agent-command-as-text",
    body: `steps: [{ id: run, type: agent_shell_command, command: "list", output_format: text, state_update: { path: raw.out, operation: set } }]`,
    results: { list: "some text" },
    state: { out: "some text" },
  },
  {
    name: "agent-command-lines",
    body: `steps: [{ id: run, type: agent_shell_command, command: "list", output_format: lines, state_update: { path: raw.out } }]`,
    results: { list: ["a", "b"] },
    state: { out: ["a", "b"] },
  },
  {
    name: "agent-command-json",
    body: `steps: [{ id: run, type: agent_shell_command, command: "list", output_format: json, state_update: { path: raw.out } }]`,
    results: { list: { ok: true } },
    state: { out: { ok: true } },
  },
  {
    name: "agent-command-key-value",
    body: `steps: [{ id: run, type: agent_shell_command, command: "list", output_format: key_value, state_update: { path: raw.out } }]`,
    results: { list: { A: "x" } },
    state: { out: { A: "x" } },
  },
  {
    name: "agent-command-without-update",
    body: `default_state: { raw: { kept: 1 } }\nsteps: [{ id: run, type: agent_shell_command, command: "list" }]`,
    results: { list: "ignored" },
    state: { kept: 1 },
  },
  { name: "tool-call", body: call("{ path: raw.out }"), results: counted, state: { out: counted.count } },
  { name: "update-part", body: call(`{ path: raw.out, value: "{{ result.n }}" }`), results: counted, state: { out: 3 } },
  { name: "update-field", body: call(`{ path: raw.out, value: "{{ n }}" }`), results: counted, state: { out: 3 } },
  {
    name: "update-with-names",
    body: `inputs: { who: { type: string, default: Ada } }\n${call(`{ path: raw.out, value: "{{ inputs.who }} has {{ result.n }}" }`)}`,
    results: counted,
    state: { out: "Ada has 3" },
  },
  { name: "update-fixed", body: call("{ path: raw.out, value: 7 }"), results: counted, state: { out: 7 } },
  {
    name: "update-object",
    body: call(`{ path: raw.out, value: { size: "{{ result.n }}", kind: "{{ result.name }}" } }`),
    results: counted,
    state: { out: { size: 3, kind: "x" } },
  },
  { name: "update-transform", body: call(`{ path: raw.out, transform: "result.n * 2" }`), results: counted, state: { out: 6 } },
  {
    name: "update-append",
    body: `default_state: { raw: { log: [{ n: 1 }] } }\n${call("{ path: raw.log, operation: append }")}`,
    results: counted,
    state: { log: [{ n: 1 }, { n: 3, name: "x" }] },
  },
  {
    name: "update-append-part",
    body: `default_state: { raw: { log: [1] } }\n${call(`{ path: raw.log, operation: append, value: "{{ result.n }}" }`)}`,
    results: counted,
    state: { log: [1, 3] },
  },
  {
    name: "update-merge",
    body: `default_state: { raw: { all: { a: 1, n: 0 } } }\n${call("{ path: raw.all, operation: merge }")}`,
    results: counted,
    state: { all: { a: 1, n: 3, name: "x" } },
  },
  {
    name: "update-increment",
    body: `default_state: { raw: { n: 4 } }\n${call(`{ path: raw.n, operation: increment, value: "{{ result.n }}" }`)}`,
    results: counted,
    state: { n: 7 },
  },
  {
    name: "update-decrement-and-multiply",
    body: `default_state: { raw: { a: 4, b: 4 } }\n${call(`[{ path: raw.a, operation: decrement, value: "{{ result.n }}" }, { path: raw.b, operation: multiply, value: "{{ result.n }}" }]`)}`,
    results: counted,
    state: { a: 1, b: 12 },
  },
  {
    name: "update-list",
    body: `default_state: { raw: { log: [a] } }\n${call(`[{ path: raw.all }, { path: raw.n, value: "{{ result.n }}" }, { path: raw.log, operation: append, value: "{{ result.name }}" }, { path: raw.double, transform: "result.n * 2" }]`)}`,
    results: counted,
    state: { all: counted.count, n: 3, log: ["a", "x"], double: 6 },
  },
  {
    name: "hints",
    body: `steps: [{ id: apply, type: apply_hints, file: a.ts, hints: [one, two], state_update: { path: "raw.{{ 'a.ts' | path_to_key }}", value: "{{ applied_count }}" } }]`,
    results: { "a.ts": { applied_count: 2 } },
    state: { a_ts: 2 },
  },
  {
    name: "task",
    commands: true,
    body: `
steps:
  - id: judge
    type: agent_task
    prompt: Judge it.
    give: [1]
    files: [.waymark/workflows/flow__task.yaml]
    artifacts: [.waymark/workflows/flow__task.yaml]
    returns: { type: object, required: [verdict] }
    done_when: "true"
    context: fresh
    permission: read
    role: Judge
    agent: claude
    model: opus
    tools: { denied: [Bash] }
    idle_timeout: 60000
    on_lost_context: fresh
    state_update: { path: raw.verdict, value: "{{ result.verdict }}" }`,
    results: { "Judge it.": { verdict: "good" } },
    state: { verdict: "good" },
  },
  {
    name: "message",
    body: `default_state: { raw: { kept: 1 } }\nsteps: [{ id: tell, type: user_message, message: "{{ kept }}" }]`,
    state: { kept: 1 },
  },
  {
    name: "question",
    body: `steps: [{ id: ask, type: user_input, prompt: "Who?", state_update: { path: raw.who } }]`,
    answers: { "Who?": "Ada" },
    state: { who: "Ada" },
  },
  {
    name: "question-over-an-old-value",
    body: `default_state: { raw: { who: nobody } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", state_update: { path: raw.who } }]`,
    answers: { "Who?": "Ada" },
    state: { who: "Ada" },
  },
  {
    name: "question-append",
    body: `default_state: { raw: { who: [Bob] } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", state_update: { path: raw.who, operation: append } }]`,
    answers: { "Who?": "Ada" },
    state: { who: ["Bob", "Ada"] },
  },
  {
    name: "question-with-rule",
    body: `steps: [{ id: ask, type: user_input, prompt: "Which?", validation: { pattern: "^[a-z]+$", error_message: "Small letters." }, state_update: { path: raw.which } }]`,
    answers: { "Which?": "this" },
    state: { which: "this" },
  },
  {
    name: "question-with-options",
    body: `steps: [{ id: ask, type: user_input, prompt: "Which?", options: [left, right], state_update: { path: raw.which } }]`,
    answers: { "Which?": "left" },
    state: { which: "left" },
  },
  {
    name: "agent-update",
    body: `default_state: { raw: { n: 1 } }\nsteps: [{ id: set, type: state_update, by: agent, path: raw.out, value: "{{ n + 1 }}" }]`,
    state: { n: 1, out: 2 },
  },
  {
    name: "agent-update-increment",
    body: `default_state: { raw: { n: 1 } }\nsteps: [{ id: set, type: state_update, by: agent, path: raw.n, operation: increment, value: 3 }]`,
    state: { n: 4 },
  },
  {
    name: "agent-updates",
    body: `default_state: { raw: { log: [a] } }\nsteps: [{ id: set, type: batch_state_update, by: agent, updates: [{ path: raw.log, operation: append, value: b }, { path: raw.out, value: 2 }] }]`,
    state: { log: ["a", "b"], out: 2 },
  },
  {
    name: "engine-steps",
    commands: true,
    body: `
state_schema: { computed: { shout: { from: raw.said, transform: "input.toUpperCase()" } } }
steps:
  - { id: run, type: shell_command, command: "echo hi", state_update: { path: raw.said } }
  - { id: set, type: state_update, path: raw.copy, value: "{{ shout }}" }
  - { id: tell, type: user_message, message: "{{ copy }}" }`,
    state: { said: "hi", shout: "HI", copy: "HI" },
  },
  ...controlFlows,
  ...policyFlows,
];

/** All flows as workflows `flow:<name>`. */
export function flowWorkflows(): Record<string, string> {
  return Object.fromEntries(flows.map(({ name, body }) => [`flow:${name}`, body]));
}

const person: Caller = { holder: { kind: "person", name: "ada", session: "cli" }, surface: "cli-terminal", leaseOwner: "cli:ada" };

/** A fresh agent that works, fails and answers as a flow says. With an engine, a person beside it answers what only a person may answer. */
export function agentOf({ results = {}, failures = {}, answers = {} }: Flow, engine?: EngineContext): Agent {
  const [failed, asked]: [Record<string, number>, Record<string, number>] = [{}, {}];
  const held = <T>(table: Readonly<Record<string, T>>, key: string): T => {
    if (!Object.hasOwn(table, key)) throw new Error(`The flow says nothing about ${key}`);
    return table[key] as T;
  };
  const answerOf = ({ definition }: Step): string => {
    const prompt = textOf(definition["prompt"]);
    const given = [held(answers, prompt)].flat();
    asked[prompt] = (asked[prompt] ?? 0) + 1;
    return given[Math.min(asked[prompt], given.length) - 1] ?? "";
  };
  return {
    work: ({ definition }: Step) => {
      const what = textOf(definition["command"] ?? definition["method"] ?? definition["file"] ?? definition["prompt"]);
      failed[what] ??= 0;
      if (failed[what] >= (failures[what] ?? 0)) return { result: held(results, what) };
      failed[what] += 1;
      return { error: "no luck" };
    },
    answer: answerOf,
    ...(engine === undefined
      ? {}
      : {
          decide: async ({ data }, step) => {
            await answer(engine, person, { run: data.run_id, decision: data.action_id, answer: answerOf(step), relayed: false });
          },
        }),
  };
}
