import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PromptsDefinition } from "./prompts-definition.ts";
import { parsePrompts } from "./parse-prompts.ts";

const files = {
  prompts: { plan: { path: "steps/plan.md", text: "Plan $ARGUMENTS." } },
  scripts: { "<scripts>/count.ts": { path: "scripts/count.ts", text: "console.log('$ARGUMENTS')" } },
};

function read(nodes: string, called = {}): PromptsDefinition & { readonly asks: boolean } {
  const text = `name: x\ndescription: d\n${nodes}\n`;
  const { definition, diagnostics, info } = parsePrompts({ path: "x.yaml", text }, { source: "project", files, called });
  expect(diagnostics).toEqual([]);
  return { ...definition!, asks: info.inputs["user_message"]?.required === true };
}

/** The first node. */
const node = (text: string, called = {}) => read(`nodes:\n  - { id: a, ${text} }`, called).nodes![0]!;

test("a node that says nothing else waits for nothing, and begins fresh when all before it succeeded", () => {
  const { nodes, steps, inputs, returns } = read("nodes:\n  - { id: a, prompt: Look. }");
  expect({ steps, inputs, returns }).toEqual({ steps: [], inputs: {}, returns: undefined });
  expect(nodes).toEqual([
    {
      id: "a",
      block: "a",
      dependsOn: [],
      rule: "all_success",
      alwaysRun: false,
      context: { kind: "fresh" },
      does: { kind: "prompt", prompt: { text: "Look.", refs: [] } },
    },
  ]);
});

test("everything that a node says is read", () => {
  const { nodes } = read(`nodes:
  - { id: a, bash: ls, timeout: 500, on_lost: ask }
  - id: b
    depends_on: [a, a]
    trigger_rule: all_done
    when: $a.output != ''
    always_run: true
    context: fresh
    on_lost_context: replay
    output_format: { type: object }
    idle_timeout: 900
    retry: { max_attempts: 2 }
    permission: edit
    provider: claude
    model: small
    allowed_tools: []
    artifacts: [x.md]
    prompt: See $a.output`);
  expect(nodes?.[0]).toMatchObject({ timeoutMs: 500, whenLost: "ask", does: { kind: "shell", command: { text: "ls", refs: [] } } });
  expect(nodes?.[1]).toEqual({
    id: "b",
    block: "b",
    dependsOn: ["a"],
    rule: "all_done",
    when: { text: "$a.output != ''", anyOf: [[{ ref: { written: "a.output", node: "a" }, op: "!=", literal: "" }]] },
    alwaysRun: true,
    context: { kind: "fresh" },
    onLostContext: "replay",
    returns: { type: "object" },
    idleMs: 900,
    retry: { times: 2, delayMs: 3000, on: "transient" },
    permission: { level: "edit" },
    provider: "claude",
    model: "small",
    tools: { allowed: [] },
    artifacts: ["x.md"],
    does: { kind: "prompt", prompt: { text: "See $a.output", refs: [{ written: "a.output", node: "a" }] } },
  });
});

test("files give prompts, in which references count, and scripts, in which they do not", () => {
  const refs = [{ written: "ARGUMENTS", variable: "ARGUMENTS" }];
  expect(node("command: plan").does).toEqual({ kind: "prompt", command: "plan", prompt: { text: "Plan $ARGUMENTS.", refs } });
  expect(node("script: count, runtime: bun").does).toEqual({
    kind: "script",
    runtime: "bun",
    file: "scripts/count.ts",
    code: { text: "console.log('$ARGUMENTS')", refs: [] },
    deps: [],
  });
  expect(node('script: "print(1)", runtime: uv, deps: [x]').does).toEqual({
    kind: "script",
    runtime: "uv",
    code: { text: "print(1)", refs: [] },
    deps: ["x"],
  });
});

test("loops are read with what ends them, and ask only when they are interactive", () => {
  expect(node("loop: { command: plan, until: X, max_iterations: 3 }").does).toMatchObject({
    kind: "loop",
    command: "plan",
    until: "X",
    maxIterations: 3,
    freshContext: false,
  });
  const asking = node(
    'loop: { prompt: P, until_bash: "test -f x", max_iterations: 2, fresh_context: true, interactive: true, gate_message: Go? }',
  ).does;
  expect(asking).toEqual({
    kind: "loop",
    prompt: { text: "P", refs: [] },
    untilBash: { text: "test -f x", refs: [] },
    maxIterations: 2,
    freshContext: true,
    gate: { text: "Go?", refs: [] },
    signalCompletes: false,
  });
});

test("a signal ends an interactive loop only where the loop says so", () => {
  const loop = "prompt: P, until: X, max_iterations: 2, interactive: true, gate_message: Go?, signal_completes: true";
  expect(node(`loop: { ${loop} }`).does).toMatchObject({ signalCompletes: true });
});

test("nodes of a group are in its blocks, with contexts of their own, and use its agent", () => {
  const { nodes } = read(`nodes:
  - id: g
    model: small
    loop_group: { until: X, max_iterations: 2, nodes: [{ id: one, prompt: P }, { id: two, prompt: P, model: large, depends_on: [one] }] }`);
  const does = nodes?.[0]?.does;
  expect(does?.kind === "group" ? does.nodes : []).toMatchObject([
    { id: "one", block: "g/one", model: "small", context: { kind: "last", of: [], round: { group: "g", of: ["two", "one"] } } },
    { id: "two", block: "g/two", model: "large", context: { kind: "last", of: ["one"] } },
  ]);
});

test("approvals and cancellations are read", () => {
  expect(node("approval: { message: Ok? }").does).toEqual({ kind: "approval", message: { text: "Ok?", refs: [] }, captureResponse: false });
  expect(
    node("approval: { message: Ok?, capture_response: true, decisions: [{ id: yes-do, label: L }, { id: no-do }] }").does,
  ).toMatchObject({
    captureResponse: true,
    decisions: [{ id: "yes-do", label: "L" }, { id: "no-do" }],
  });
  expect(node("approval: { message: Ok?, on_reject: { prompt: Redo. } }").does).toMatchObject({
    onReject: { prompt: { text: "Redo.", refs: [] }, reopens: [], maxAttempts: 3 },
  });
  expect(node("cancel: Nothing to do.").does).toEqual({ kind: "cancel", reason: { text: "Nothing to do.", refs: [] } });
});

test("calls are read with texts and values, and what is put in is asked for the same where it asks", () => {
  expect(node("workflow: w, input: Do $ARGUMENTS, with: { n: 1, t: $INPUTS.x }").does).toEqual({
    kind: "call",
    workflow: "w",
    include: false,
    inputs: {
      user_message: { text: { text: "Do $ARGUMENTS", refs: [{ written: "ARGUMENTS", variable: "ARGUMENTS" }] } },
      n: { value: 1 },
      t: { text: { text: "$INPUTS.x", refs: [{ written: "INPUTS.x", input: "x" }] } },
    },
  });
  const asking = { w: { inputs: { user_message: { type: "string", required: true } } } };
  expect(node("include: w").does).toMatchObject({ include: true, inputs: {} });
  expect(node("include: w", asking).does).toMatchObject({ inputs: { user_message: { text: { text: "$ARGUMENTS" } } } });
  expect(node("workflow: w, fan_out: { items: '[1]' }").does).toMatchObject({
    fanOut: { items: { text: "[1]", refs: [] }, as: "user_message", maxParallel: 5, join: "all_done" },
  });
});

test("contexts follow from the layers, and from what nodes say", () => {
  const { nodes } = read(`nodes:
  - { id: a, prompt: P }
  - { id: sh, bash: ls, depends_on: [a] }
  - { id: b, prompt: P, depends_on: [sh] }
  - { id: c, prompt: P, depends_on: [b], context: shared }
  - { id: d, prompt: P, depends_on: [c], context: fresh }
  - { id: e, prompt: P, depends_on: [d] }
  - { id: f, prompt: P, depends_on: [d] }
  - { id: g, prompt: P, depends_on: [e, f] }
  - { id: h, prompt: P, depends_on: [g], context: { resume: a } }`);
  expect(Object.fromEntries((nodes ?? []).map(({ id, context }) => [id, context]))).toEqual({
    a: { kind: "fresh" },
    sh: { kind: "fresh" },
    b: { kind: "last", of: ["sh", "a"] },
    c: { kind: "last", of: ["b", "sh", "a"] },
    d: { kind: "fresh" },
    e: { kind: "fresh" },
    f: { kind: "fresh" },
    g: { kind: "fresh" },
    h: { kind: "fork", of: "a" },
  });
});

test("the message must be given where a text names it, and only there", () => {
  expect(read("nodes:\n  - { id: a, prompt: Look. }").asks).toBe(false);
  expect(read('nodes:\n  - { id: a, bash: "echo ${ARGUMENTS}" }').asks).toBe(true);
  expect(read("nodes:\n  - { id: a, bash: 'awk {print $1}' }").asks).toBe(false);
  expect(read("nodes:\n  - { id: g, loop_group: { until: X, max_iterations: 2, nodes: [{ id: a, prompt: $USER_MESSAGE }] } }").asks).toBe(
    true,
  );
});

test("inputs are those that are declared, else those that texts and conditions name", () => {
  const nodes = "nodes:\n  - { id: a, prompt: $INPUTS.x, when: \"$INPUTS.mode == 'fast'\" }";
  expect(read(nodes).inputs).toEqual({ x: { type: "any", required: true }, mode: { type: "any", required: true } });
  const { inputs, returns } = read(
    `${nodes}\ninputs: { x: { description: D, default: 1 }, mode: { type: string, required: false } }\nreturns: a`,
  );
  expect(inputs).toEqual({ x: { type: "any", required: false, default: 1, description: "D" }, mode: { type: "string", required: false } });
  expect(returns).toBe("a");
});

test("any graph in which nodes wait for earlier ones is read, whatever their order in the file, and one with a way round is not", () => {
  const graph = fc.integer({ min: 2, max: 8 }).chain((size) =>
    fc.tuple(
      fc.tuple(...Array.from({ length: size }, (_, at) => fc.subarray(Array.from({ length: at }, (_each, before) => before)))),
      fc.shuffledSubarray(
        Array.from({ length: size }, (_, at) => at),
        { minLength: size },
      ),
    ),
  );
  const written = (lists: readonly (readonly number[])[], order: readonly number[]): string =>
    `nodes:\n${order.map((at) => `  - { id: n${at}, prompt: P, depends_on: [${(lists[at] ?? []).map((each) => `n${each}`).join(", ")}] }`).join("\n")}`;
  fc.assert(
    fc.property(graph, ([lists, order]) => {
      expect(read(written(lists, order)).nodes?.map(({ id }) => id)).toEqual(order.map((at) => `n${at}`));
      const round = lists.map((list, at) => (at === 0 ? [lists.length - 1] : [...new Set([...list, at - 1])]));
      const { diagnostics } = parsePrompts(
        { path: "x.yaml", text: `name: x\ndescription: d\n${written(round, order)}\n` },
        { source: "project", files },
      );
      expect(diagnostics.map(({ code }) => code)).toEqual(["PROMPTS_NODE_CYCLE"]);
    }),
    { numRuns: 40 },
  );
});
