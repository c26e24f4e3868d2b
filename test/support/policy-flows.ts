/** Flows that leave a loop or a run early, wait, run into a limit, or fail under a policy; and keys that only change what is shown. */
import type { Flow } from "./protocol-flows.ts";

const job = (more = ""): string => `
sub_agent_tasks:
  job: { ${more}steps: [{ id: first, type: agent_shell_command, command: "first {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] }`;
const both = (more: string): string =>
  `- { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job, ${more} }`;
const own = `- { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }`;
const oneFails = {
  failures: { "first one": 9 },
  results: { "first one": "never", "first two": "did two", own: "of my own" },
} as const;

const leaving: readonly Flow[] = [
  {
    name: "break",
    body: `
default_state: { raw: { log: [] } }
steps:
  - id: each
    type: foreach
    items: [a, b, c]
    variable_name: letter
    steps:
      - { id: enough, type: conditional, condition: "{{ letter === 'b' }}", then: [{ id: leave, type: break }] }
      - { id: do, type: agent_shell_command, command: "do {{ letter }}", state_update: { path: raw.log, operation: append } }
  ${own}`,
    results: { "do a": "did a", own: "of my own" },
    state: { log: ["did a"], own: "of my own" },
  },
  {
    name: "continue",
    body: `
default_state: { raw: { log: [] } }
steps:
  - id: each
    type: foreach
    items: [a, b, c]
    body:
      - { id: not_this, type: conditional, condition: "{{ item === 'b' }}", then: [{ id: leave_out, type: continue }] }
      - { id: do, type: agent_shell_command, command: "do {{ item }}", state_update: { path: raw.log, operation: append } }`,
    results: { "do a": "did a", "do c": "did c" },
    state: { log: ["did a", "did c"] },
  },
  {
    name: "exit",
    body: `steps:\n  ${own}\n  - { id: stop, type: exit }\n  - { id: never, type: agent_shell_command, command: never, state_update: { path: raw.never } }`,
    results: { own: "of my own" },
    state: { own: "of my own" },
  },
  {
    name: "exit-failed",
    body: `steps:\n  ${own}\n  - { id: stop, type: exit, status: failed, message: "Not today, {{ own }}." }\n  - { id: never, type: user_message, message: never }`,
    results: { own: "friend" },
    ends: "failed",
    state: { own: "friend" },
  },
  {
    name: "wait",
    body: `
steps:
  - { id: moment, type: wait, duration_ms: 1 }
  - { id: none, type: wait, seconds: 0 }
  - { id: long_ago, type: wait, until: "2020-01-01T00:00:00Z" }
  ${own}`,
    results: { own: "of my own" },
    state: { own: "of my own" },
  },
  {
    name: "sequential",
    body: `
steps:
  - id: group
    type: sequential
    on_error: continue
    error_state_update: { path: raw.why, value: "{{ error.message }}" }
    steps:
      - { id: first, type: agent_shell_command, command: first, state_update: { path: raw.first } }
      - { id: try, type: agent_shell_command, command: try, on_error: fail, state_update: { path: raw.out } }
      - { id: never, type: agent_shell_command, command: never, state_update: { path: raw.never } }
  ${own}`,
    failures: { try: 1 },
    results: { first: "did first", try: "never", own: "of my own" },
    state: { first: "did first", why: "no luck", own: "of my own" },
  },
];

const limits: readonly Flow[] = [
  {
    name: "most-rounds",
    body: `
default_state: { raw: { log: [] } }
steps:
  - { id: loop, type: while, condition: "{{ true }}", max_iterations: 2, body: [{ id: add, type: agent_shell_command, command: add, state_update: { path: raw.log, operation: append } }] }`,
    results: { add: "one more" },
    state: { log: ["one more", "one more"] },
  },
  {
    name: "most-rounds-fail",
    body: `
default_state: { raw: { log: [] } }
steps:
  - { id: loop, type: while, condition: "{{ true }}", max_iterations: 1, on_limit: fail, body: [{ id: add, type: agent_shell_command, command: add, state_update: { path: raw.log, operation: append } }] }`,
    results: { add: "one more" },
    ends: "failed",
    state: { log: ["one more"] },
  },
  {
    name: "timeout",
    commands: true,
    body: `
steps:
  - { id: slow, type: shell_command, command: "sleep 60", timeout: 50, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.code }}" } }
  ${own}`,
    results: { own: "of my own" },
    state: { why: "TIMEOUT", own: "of my own" },
  },
  {
    name: "attempts",
    body: `
steps:
  - { id: ask, type: user_input, prompt: "Which?", attempts: 2, validation: { pattern: "^[a-z]+$", error_message: "Small letters." }, state_update: { path: raw.which } }`,
    answers: { "Which?": ["Wrong 1", "right"] },
    state: { which: "right" },
  },
  {
    name: "answer-by-person",
    body: `steps:\n  - { id: ask, type: user_input, answer_by: person, prompt: "Ship?", choices: ["yes", "no"], state_update: { path: raw.ship } }\n  ${own}`,
    answers: { "Ship?": "yes" },
    results: { own: "of my own" },
    state: { ship: "yes", own: "of my own" },
  },
];

const failing: readonly Flow[] = [
  {
    name: "error-task-fails-all",
    body: `default_state: { raw: { done: {} } }\nsteps:\n  ${both("on_sub_agent_error: { strategy: fail_all }")}\n  ${own}${job()}`,
    ...oneFails,
    ends: "failed",
    state: { done: {} },
  },
  {
    name: "error-task-fails-all-and-continues",
    body: `default_state: { raw: { done: {} } }\nsteps:\n  ${both("on_error: continue, on_sub_agent_error: { strategy: fail_all }")}\n  ${own}${job()}`,
    ...oneFails,
    state: { done: {}, own: "of my own" },
  },
  {
    name: "error-task-collected",
    body: `default_state: { raw: { done: {}, failed: [] } }
steps:
  ${both("max_parallel: 1, on_sub_agent_error: { strategy: continue, max_retries: 0, collect_errors: true, error_state_path: raw.failed }")}
  - { id: short, type: state_update, path: raw.failed, operation: set, value: "{{ failed.map((e) => e.message) }}" }
  ${own}${job()}`,
    ...oneFails,
    state: { done: { two: "did two" }, failed: ["no luck"], own: "of my own" },
  },
  {
    name: "error-task-cleanup",
    body: `default_state: { raw: { done: {}, cleaned: [] } }
steps:
  ${both("sub_agent_prompt_override: Do one step at a time.")}
  ${own}${job(`description: One job, inputs: { name: "{{ item.id }}" }, error_handling: { return_on_error: false, cleanup_on_error: [{ id: tidy, type: agent_shell_command, command: "tidy {{ context.name }}", state_update: { path: raw.cleaned, operation: append } }] }, `)}`,
    failures: { "first one": 9 },
    results: { "first one": "never", "first two": "did two", "tidy one": "tidied", own: "of my own" },
    state: { done: { two: "did two" }, cleaned: ["tidied"], own: "of my own" },
  },
  {
    name: "error-with-its-way",
    body: `
error_handling: { on_error: continue, error_collection: { enabled: true, state_path: raw.errors, include_stack_traces: true } }
default_state: { raw: { errors: [] } }
steps:
  - { id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }
  - { id: short, type: state_update, path: raw.errors, value: "{{ errors.map((e) => e.stack.includes('at try')) }}" }`,
    failures: { try: 1 },
    results: { try: "never" },
    state: { errors: [true] },
  },
  {
    name: "error-computed",
    body: `
state_schema:
  raw: { n: number }
  computed:
    kept: { from: raw.n, transform: "if (input > 1) throw new Error('no'); return input", on_error: use_fallback, fallback: 7 }
    gone: { from: raw.n, transform: "if (input > 1) throw new Error('no'); return input", on_error: ignore }
    fixed: { static: true, value: 3 }
default_state: { raw: { n: 1 } }
steps:
  - { id: set, type: mcp_call, mcp: { method: count, params: { of: files } }, state_update: { path: raw.n, value: "{{ result.n }}" } }`,
    results: { count: { n: 2 } },
    state: { n: 2, kept: 7, fixed: 3 },
  },
  {
    name: "error-computed-propagates",
    body: `
state_schema: { computed: { twice: { from: raw.n, transform: "input * 2", validate: "output < 4", on_error: propagate } } }
default_state: { raw: { n: 1 } }
steps:
  - { id: set, type: state_update, path: raw.n, value: 2, on_error: continue, error_state_update: { path: raw.why, value: refused } }
  ${own}`,
    results: { own: "of my own" },
    state: { n: 1, twice: 2, why: "refused", own: "of my own" },
  },
];

const shown: readonly Flow[] = [
  {
    name: "included-with-inputs",
    body: `
config: { greeting: Hello }
steps:
  - { id: sub, type: include_workflow, workflow: "flow:update-with-names", inputs: { who: "{{ config.greeting }}" }, on_complete: [{ id: take, type: state_update, path: raw.taken, value: "{{ sub.out }}" }] }
  ${own}`,
    results: { count: { n: 3, name: "x" }, own: "of my own" },
    state: { taken: "Hello has 3", own: "of my own" },
  },
  {
    name: "where-a-command-runs",
    commands: true,
    body: `
steps:
  - { id: say, type: shell_command, description: Says where it is., command: "echo $WHO in $(basename $PWD)", cwd: .waymark, env: { WHO: Ada }, state_update: { path: raw.said } }
  - { id: own, type: agent_shell_command, command: own, reason: You have the terminal., state_update: { path: raw.own } }`,
    results: { own: "of my own" },
    state: { said: "Ada in .waymark", own: "of my own" },
  },
];

export const policyFlows: readonly Flow[] = [...leaving, ...limits, ...failing, ...shown];
