/**
 * The workflows that are killed at every point. What a step does to the world is a line in `world.log`, so that a double is seen:
 * commands write theirs, the scripted agent writes one for every step it carries out. Steps whose policy forbids a repeat leave
 * nothing in the state, so that the final state is the same whether they were interrupted or not.
 */
export interface CrashWorkflow {
  readonly name: string;
  /** Workflow files by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Steps that may never be done twice, by the id they write to the log. */
  readonly once: readonly string[];
}

const plain = `
name: crash:plain
description: Commands, retries, questions and state.
inputs:
  who: { type: string, default: "it's $(me)" }
default_state:
  raw: { count: 0, log: [], answers: {} }
state_schema:
  computed:
    lines: { from: raw.listing, transform: "(input || []).length" }
    loud: { from: [raw.count, raw.said], transform: "String(input[1]).toUpperCase() + input[0]" }
steps:
  - { id: list, type: shell_command, command: "echo list >> world.log; printf '%s\\\\n' {{ inputs.who }} b c", output_format: lines, state_update: { path: raw.listing } }
  - { id: count, type: state_update, path: raw.count, operation: increment, value: "{{ lines }}" }
  - id: flaky
    type: shell_command
    command: "echo flaky >> world.log; if [ -f tried ]; then echo good; else touch tried; exit 3; fi"
    on_error: retry
    retry_count: 4
    retry_delay: 15
    state_update: { path: raw.flaky }
  - { id: never_twice, type: shell_command, command: "echo never_twice >> world.log", on_lost: continue }
  - { id: never_again, type: shell_command, command: "echo never_again >> world.log", on_lost: fail, on_error: continue }
  - { id: say, type: user_message, message: "Hello {{ loud }}" }
  - { id: fix, type: mcp_call, mcp: { method: fix_it, params: { n: "{{ count }}" } }, state_update: [{ path: raw.said }, { path: raw.log, operation: append, value: "{{ result }}" }] }
  - { id: agent_once, type: agent_shell_command, command: "make once", on_lost: continue }
  - { id: agent_never, type: agent_shell_command, command: "make never", on_lost: fail, on_error: continue }
  - { id: ask, type: user_input, prompt: "Which way, {{ who }}?", options: [left, right], state_update: { path: raw.answers.way } }
  - { id: pause, type: wait, duration_ms: 15 }
  - id: broken
    type: shell_command
    command: "echo broken >> world.log; exit 7"
    on_error: continue
    fallback_value: fell back
    state_update: { path: raw.fallback }
  - { id: last, type: shell_command, command: "echo last >> world.log; echo {{ loud }}", state_update: { path: raw.last } }
`;

const called = `
name: crash:called
inputs:
  n: number
default_state: { raw: { parts: [] } }
steps:
  - { id: inner, type: shell_command, command: "echo inner-{{ inputs.n }} >> world.log; echo {{ inputs.n }}", output_format: json, state_update: { path: raw.parts, operation: append } }
  - { id: check, type: mcp_call, mcp: { method: check, params: { parts: "{{ parts }}" } }, state_update: { path: raw.checked } }
`;

const loops = `
name: crash:loops
description: Loops, conditions and an included workflow.
default_state:
  raw: { round: 0, seen: [], odd: 0, even: 0, steps_completed: [], retry_counts: {} }
state_schema:
  raw: { steps_completed: array, retry_counts: object }
  computed:
    sum: { from: raw.seen, transform: "(input || []).reduce((a, b) => a + b, 0)" }
steps:
  - id: rounds
    type: while
    condition: "{{ round < 3 }}"
    max_iterations: 10
    body:
      - { id: next, type: state_update, path: raw.round, operation: increment }
      - id: parity
        type: conditional
        condition: "{{ round % 2 === 1 }}"
        then:
          - { id: odd, type: shell_command, command: "echo odd-{{ round }} >> world.log; echo {{ round }}", output_format: json, state_update: { path: raw.seen, operation: append } }
          - { id: count_odd, type: state_update, path: raw.odd, operation: increment }
        else:
          - { id: even, type: user_message, message: "round {{ round }}" }
          - { id: count_even, type: state_update, path: raw.even, operation: increment }
  - id: items
    type: foreach
    items: [10, 20, 30, 40, 50]
    steps:
      - id: skip
        type: conditional
        condition: "{{ item === 20 }}"
        then: [{ id: over, type: continue }]
      - id: stop
        type: conditional
        condition: "{{ item === 40 }}"
        then: [{ id: out, type: break }]
      - { id: take, type: shell_command, command: "echo take-{{ item }} >> world.log; echo {{ item }}", output_format: json, state_update: { path: raw.seen, operation: append } }
  - id: call
    type: include_workflow
    workflow: crash:called
    inputs: { n: "{{ sum }}" }
    on_complete:
      - { id: keep, type: state_update, path: raw.from_call, value: "{{ parts }}" }
  - { id: tell, type: user_message, message: "{{ sum }} {{ call.checked }}" }
`;

const tasks = `
name: crash:tasks
description: Sub-agents that share one state.
default_state:
  raw: { total: 0, results: {}, notes: [] }
steps:
  - { id: before, type: shell_command, command: "echo before >> world.log" }
  - id: all
    type: parallel_foreach
    items: [{ id: a, n: 1 }, { id: b, n: 2 }, { id: c, n: 3 }]
    sub_agent_task: work
    max_parallel: 2
    on_sub_agent_error: { strategy: retry_failed, max_retries: 1 }
  - { id: after, type: user_message, message: "{{ total }}" }
sub_agent_tasks:
  work:
    inputs: { n: number }
    steps:
      - { id: "run_{{ task_id }}", type: shell_command, command: "echo run-{{ task_id }} >> world.log; echo {{ n }}", output_format: json, state_update: { path: "raw.results.{{ task_id }}" } }
      - { id: "add_{{ task_id }}", type: state_update, path: raw.total, operation: increment, value: "{{ n }}" }
      - { id: "act_{{ task_id }}", type: mcp_call, mcp: { method: act, params: { task: "{{ task_id }}" } }, state_update: { path: raw.notes, operation: append } }
      - { id: "once_{{ task_id }}", type: shell_command, command: "echo once-{{ task_id }} >> world.log", on_lost: continue }
`;

export const crashWorkflows: readonly CrashWorkflow[] = [
  { name: "crash:plain", files: { "crash:plain": plain }, once: ["never_twice", "never_again", "agent_once", "agent_never"] },
  { name: "crash:loops", files: { "crash:called": called, "crash:loops": loops }, once: [] },
  { name: "crash:tasks", files: { "crash:tasks": tasks }, once: ["once-a", "once-b", "once-c"] },
];
