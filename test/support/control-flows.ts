/** Flows that decide, loop, call, hand out tasks, or fail. */
import type { Flow } from "./protocol-flows.ts";

export const controlFlows: readonly Flow[] = [
  {
    name: "condition",
    body: `
steps:
  - { id: ask, type: mcp_call, mcp: { method: count }, state_update: { path: raw.n, value: "{{ result.n }}" } }
  - { id: if, type: conditional, condition: "{{ n > 2 }}", then: [{ id: big, type: agent_shell_command, command: big, state_update: { path: raw.out } }], else: [{ id: small, type: agent_shell_command, command: small, state_update: { path: raw.out } }] }`,
    results: { count: { n: 3 }, big: "was big", small: "was small" },
    state: { n: 3, out: "was big" },
  },
  {
    name: "while",
    body: `
default_state: { raw: { log: [] } }
steps:
  - { id: loop, type: while, condition: "{{ log.length < 3 }}", body: [{ id: add, type: agent_shell_command, command: "add", state_update: { path: raw.log, operation: append } }] }`,
    results: { add: "one more" },
    state: { log: ["one more", "one more", "one more"] },
  },
  {
    name: "foreach",
    body: `
default_state: { raw: { log: [], by: {} } }
steps:
  - { id: each, type: foreach, items: [a, b, c], steps: [{ id: do, type: agent_shell_command, command: "do {{ item }}", state_update: [{ path: raw.log, operation: append }, { path: "raw.by.{{ item }}", value: "{{ index }}: {{ result }}" }] }] }`,
    results: { "do a": "did a", "do b": "did b", "do c": "did c" },
    state: { log: ["did a", "did b", "did c"], by: { a: "0: did a", b: "1: did b", c: "2: did c" } },
  },
  {
    name: "foreach-of-messages",
    body: `default_state: { raw: { kept: 1 } }\nsteps: [{ id: each, type: foreach, items: [a, b, c], steps: [{ id: say, type: user_message, message: same }] }]`,
    state: { kept: 1 },
  },
  {
    name: "nested-foreach",
    body: `
default_state: { raw: { log: [] } }
steps:
  - { id: rows, type: foreach, items: [[a, b], [a, b]], steps: [{ id: cells, type: foreach, items: "{{ item }}", steps: [{ id: do, type: agent_shell_command, command: "do {{ item }}", state_update: { path: raw.log, operation: append } }] }] }`,
    results: { "do a": "did a", "do b": "did b" },
    state: { log: ["did a", "did b", "did a", "did b"] },
  },
  {
    name: "included",
    body: `
steps:
  - { id: sub, type: include_workflow, workflow: "flow:agent-command-text" }
  - { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }`,
    results: { list: "some text", own: "of my own" },
    state: { own: "of my own" },
  },
  {
    name: "tasks",
    body: `
default_state: { raw: { done: {} } }
steps:
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }
  - { id: end, type: agent_shell_command, command: end, state_update: { path: raw.end } }
sub_agent_tasks:
  job:
    steps:
      - { id: first, type: agent_shell_command, command: "first {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}", value: "{{ result }}" } }
      - { id: tell, type: user_message, message: "{{ item.id }}" }`,
    results: { "first one": "did one", "first two": "did two", end: "ended" },
    state: { done: { one: "did one", two: "did two" }, end: "ended" },
  },
  {
    name: "tasks-beside",
    body: `
default_state: { raw: { done: {} } }
steps:
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: false, sub_agent_task: job }
  - { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }
sub_agent_tasks:
  job: { steps: [{ id: first, type: agent_shell_command, command: "first {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] }`,
    results: { "first one": "did one", "first two": "did two", own: "of my own" },
    state: { done: { one: "did one", two: "did two" }, own: "of my own" },
  },
  {
    name: "error-continue",
    body: `
steps:
  - { id: try, type: agent_shell_command, command: try, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.message }}" }, state_update: { path: raw.out } }
  - { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }`,
    failures: { try: 1 },
    results: { try: "never", own: "of my own" },
    state: { why: "no luck", own: "of my own" },
  },
  {
    name: "error-retry",
    body: `steps: [{ id: try, type: agent_shell_command, command: try, on_error: retry, retry_count: 2, retry_delay: 0, state_update: { path: raw.out } }]`,
    failures: { try: 2 },
    results: { try: "third time" },
    state: { out: "third time" },
  },
  {
    name: "error-fallback",
    body: `steps: [{ id: try, type: mcp_call, mcp: { method: try }, on_error: continue, fallback_value: { n: 0 }, state_update: { path: raw.out, value: "{{ result.n }}" } }]`,
    failures: { try: 1 },
    results: { try: { n: 9 } },
    state: { out: 0 },
  },
  {
    name: "error-fail",
    body: `default_state: { raw: { kept: 1 } }\nsteps: [{ id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }]`,
    failures: { try: 1 },
    results: { try: "never" },
    ends: "failed",
    state: { kept: 1 },
  },
  {
    name: "error-on-failure",
    body: `
error_handling:
  on_error: checkpoint_and_fail
  on_failure: [{ type: user_message, message: "Failed: {{ error.message }}" }, { type: state_update, path: raw.ended, value: failed }]
steps: [{ id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }]`,
    failures: { try: 1 },
    results: { try: "never" },
    ends: "failed",
    state: { ended: "failed" },
  },
  {
    name: "error-workflow-continue",
    body: `
error_handling: { on_error: continue, error_collection: { enabled: true, state_path: raw.errors } }
state_schema: { computed: { failed: { from: raw.errors, transform: "(input ?? []).length" } } }
default_state: { raw: { errors: [] } }
steps:
  - { id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }
  - { id: clear, type: state_update, path: raw.errors, value: "{{ errors.map((e) => e.message) }}" }`,
    failures: { try: 1 },
    results: { try: "never" },
    state: { errors: ["no luck"], failed: 1 },
  },
  {
    name: "error-retry-workflow",
    body: `
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps: [{ id: try, type: agent_shell_command, command: try, state_update: { path: raw.out } }]`,
    failures: { try: 1 },
    results: { try: "second run" },
    state: { out: "second run" },
  },
  {
    name: "error-task-retry",
    body: `
default_state: { raw: { done: {} } }
steps:
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job, on_sub_agent_error: { strategy: retry_failed, max_retries: 1 } }
sub_agent_tasks:
  job: { steps: [{ id: first, type: agent_shell_command, command: "first {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] }`,
    failures: { "first one": 1 },
    results: { "first one": "did one", "first two": "did two" },
    state: { done: { one: "did one", two: "did two" } },
  },
];
