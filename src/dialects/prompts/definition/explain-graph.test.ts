import { expect, test } from "vitest";
import { explainGraph } from "./explain-graph.ts";
import { parsePrompts } from "./parse-prompts.ts";

const files = {
  prompts: { plan: { path: "steps/plan.md", text: "Plan." } },
  scripts: { "<scripts>/count.ts": { path: "scripts/count.ts", text: "1" } },
};

function explain(nodes: string) {
  const text = `name: x\ndescription: d\nmodel: small\nnodes:\n${nodes}\n`;
  const { definition, diagnostics } = parsePrompts({ path: "x.yaml", text }, { source: "project", files });
  expect(diagnostics).toEqual([]);
  return explainGraph(definition!);
}

const whole = `  - { id: end, cancel: No., depends_on: [ok], when: '$ok.output.decision != ''approve''' }
  - { id: fetch, bash: ls, retry: { max_attempts: 2 }, always_run: true }
  - { id: plan, command: plan, depends_on: [fetch], artifacts: [plan.md] }
  - { id: more, prompt: P, depends_on: [plan], provider: claude }
  - { id: count, script: count, runtime: bun, depends_on: [plan] }
  - id: fix
    depends_on: [more, count]
    trigger_rule: all_done
    loop_group:
      until: DONE
      until_bash: test -f x
      max_iterations: 3
      nodes: [{ id: one, prompt: P }, { id: two, loop: { prompt: P, until: X, max_iterations: 2, interactive: true, gate_message: Go? }, depends_on: [one] }]
  - { id: ok, approval: { message: Ok?, decisions: [{ id: approve }, { id: redo }] }, depends_on: [fix] }
  - { id: each, workflow: w, fan_out: { items: '[1, 2]' }, depends_on: [ok] }
  - { id: block, include: b, depends_on: [each] }
  - { id: last, prompt: P, depends_on: [block], context: { resume: plan } }
`;

test("the text lists nodes in the order in which they can run, with what each waits for, and brackets around those beside each other", () => {
  expect(explain(whole).text()).toBe(`x 1.0.0
d

  1. fetch: shell command; tried again up to 2 times; runs again with every retry
  2. plan: prompt plan.md; after fetch; fresh context; model small; leaves plan.md
┌ 3. more: prompt; after plan; fresh context; by claude, model small
└ 4. count: script count.ts (bun); after plan
  5. fix: 2 nodes, repeated until the answer says \`DONE\` or \`test -f x\` succeeds, at most 3 times; after more, count (all_done)
     1. one: prompt; fresh context in the first round, then continues the context of two in the round before; model small
     2. two: prompt, repeated until the answer says \`X\`, at most 2 times, asking a person in between; after one; fresh context, which later rounds continue; model small
  6. ok: asks a person for \`approve\` or \`redo\`; after fix
┌ 7. end: ends the run; after ok; when $ok.output.decision != 'approve'
└ 8. each: runs the workflow w for each of [1, 2], 5 at once; after ok
  9. block: puts in the workflow b; after each
  10. last: prompt; after block; a copy of the context of plan; model small`);
});

test("a conversation is continued only by the agent that has it", () => {
  const context = (more: string, first = "provider: claude"): string => {
    const nodes = `  - { id: a, prompt: P, ${first} }\n  - { id: b, prompt: P, depends_on: [a], ${more} }`;
    return /b: prompt; after a; (.*)/.exec(explain(nodes).text())?.[1] ?? "";
  };
  expect(context("provider: claude")).toBe("continues the context of a; by claude, model small");
  expect(context("model: large")).toBe("continues the context of a if one agent does both; model large");
  expect(context("provider: codex")).toMatch(/^fresh context, ahead of it what was said in that of a, which claude has; by codex/);
  expect(context("provider: codex, on_lost_context: fresh")).toMatch(/^fresh context instead of that of a, which claude has;/);
  for (const more of ["on_lost_context: fail", "context: { resume: a }"])
    expect(context(`provider: codex, ${more}`)).toMatch(/^fails, because it would continue the context of a, which claude has;/);
});

test("rounds begin fresh where the loop or the group says so", () => {
  const rounds = "until: X, max_iterations: 2";
  const nodes = `  - { id: a, prompt: P }
  - { id: l, depends_on: [a], loop: { prompt: P, ${rounds}, fresh_context: true } }
  - { id: g, depends_on: [l], loop_group: { ${rounds}, fresh_context: true, nodes: [{ id: one, prompt: P }] } }`;
  const text = explain(nodes).text();
  expect(text).toContain("at most 2 times; after a; fresh context in each round;");
  expect(text).toContain("at most 2 times; after l; fresh context in each round\n");
  expect(text).toContain("1. one: prompt; fresh context;");
});

test("the diagram has edges, conditions and groups, and its own names for nodes", () => {
  const nodes = `  - { id: end, bash: ls }
  - { id: ask, approval: { message: Ok? }, depends_on: [end] }
  - { id: stop, cancel: No., depends_on: [ask], when: "$end.output < 'a\\"]'", trigger_rule: all_done }
  - { id: g, depends_on: [ask], loop_group: { until: X, max_iterations: 2, nodes: [{ id: one, prompt: P }, { id: two, prompt: P, depends_on: [one] }] } }
  - { id: subgraph, workflow: end, fan_out: { items: '["a|b", "{c}"]' } }`;
  expect(explain(nodes).mermaid()).toBe(`flowchart TD
  n0["end"]
  n1{"ask<br/>asks a person, a rejection cancels the run"}
  n2(["stop<br/>when $end.output #60; 'a#34;]'<br/>all_done"])
  subgraph n3["g<br/>repeated until the answer says #96;X#96;, at most 2 times"]
    n3_0["one"]
    n3_1["two"]
    n3_0 --> n3_1
  end
  n4[["subgraph<br/>runs the workflow end for each of [#34;a|b#34;, #34;{c}#34;], 5 at once"]]
  n0 --> n1
  n1 --> n2
  n1 --> n3`);
});

test("brackets go around three nodes and what is in them, and a chain has none", () => {
  const group = "loop_group: { until: X, max_iterations: 2, nodes: [{ id: in, bash: ls }] }";
  expect(explain(`  - { id: a, bash: ls }\n  - { id: b, ${group} }\n  - { id: c, bash: ls }`).text()).toBe(`x 1.0.0
d

┌ 1. a: shell command
├ 2. b: 1 node, repeated until the answer says \`X\`, at most 2 times
│    1. in: shell command
└ 3. c: shell command`);
  expect(explain("  - { id: a, bash: ls }\n  - { id: b, bash: ls, depends_on: [a] }").text()).toContain(
    "\n1. a: shell command\n2. b: shell command; after a",
  );
});

test("a call in a worktree of its own says so, in every form", () => {
  const one = explain("  - { id: a, workflow: w, isolation: worktree }");
  expect(one.text()).toContain("\n1. a: runs the workflow w in a worktree of its own");
  expect(one.data()).toMatchObject({ nodes: [{ workflow: "w", isolation: "worktree" }] });
  const each = explain("  - { id: a, workflow: w, isolation: worktree, fan_out: { items: '[1]', max_parallel: 2 } }");
  expect(each.text()).toContain("\n1. a: runs the workflow w for each of [1], 2 at once, each in a worktree of its own");
  expect(each.mermaid()).toContain("each in a worktree of its own");
});

test("a condition of several lines is one line", () => {
  const when = `|-\n      $a.output == 'x'\n      || $a.output == 'y'`;
  const shown = explain(`  - { id: a, bash: ls }\n  - id: b\n    bash: ls\n    depends_on: [a]\n    when: ${when}`);
  expect(shown.text()).toContain("; when $a.output == 'x' || $a.output == 'y'");
  expect(shown.mermaid()).toContain(`n1["b<br/>when $a.output == 'x' || $a.output == 'y'"]`);
});

const asking = `  - { id: plan, prompt: P }
  - { id: more, prompt: P }
  - { id: both, depends_on: [plan, more], approval: { message: Ok?, on_reject: { prompt: "Do $REJECTION_REASON", reopens: [plan, more], max_attempts: 4 } } }
  - { id: redo, depends_on: [plan], approval: { message: Ok?, on_reject: { prompt: Again } } }
  - { id: back, depends_on: [plan], approval: { message: Ok?, capture_response: true, on_reject: { reopens: [plan], max_attempts: 2 } } }
  - { id: once, approval: { message: Ok?, on_reject: { prompt: P, max_attempts: 1 } } }
  - id: tries
    loop: { prompt: P, until_field: ready, until_bash: "npm test &&\\n  npm run lint", max_iterations: 5, interactive: true, gate_message: Next?, signal_completes: true }
    output_format: { type: object, required: [ready], properties: { ready: { type: boolean } } }
`;

test("what a rejection leads to and what ends rounds is in the text, the diagram and the data", () => {
  const { text, mermaid, data } = explain(asking);
  const lines = [
    ["both", "asks a person, a rejection gives an agent a prompt, runs plan, more again and asks again, the 4th cancels the run"],
    ["redo", "asks a person, a rejection gives an agent a prompt and asks again, the 3rd cancels the run"],
    ["back", "asks a person, a rejection runs plan again and asks again, the 2nd cancels the run"],
    ["once", "asks a person, a rejection cancels the run"],
  ] as const;
  for (const [id, said] of lines) {
    expect(text()).toContain(`${id}: ${said}`);
    expect(mermaid()).toContain(`{"${id}<br/>${said}"}`);
  }
  expect(text()).toContain(
    "repeated until `npm test && npm run lint` succeeds or `ready` is true, at most 5 times, asking a person in between",
  );
  expect(mermaid()).toContain("repeated until #96;npm test #38;#38; npm run lint#96; succeeds or #96;ready#96; is true, at most 5 times");
  const nodes = (data() as { nodes: { id: string }[] }).nodes;
  expect(nodes.find(({ id }) => id === "both")).toMatchObject({
    message: "Ok?",
    capture_response: false,
    on_reject: { prompt: "Do $REJECTION_REASON", reopens: ["plan", "more"], max_attempts: 4 },
  });
  expect(nodes.find(({ id }) => id === "back")).toMatchObject({
    capture_response: true,
    on_reject: { reopens: ["plan"], max_attempts: 2 },
  });
  expect(nodes.find(({ id }) => id === "tries")).toMatchObject({
    max_iterations: 5,
    until_bash: "npm test &&\n  npm run lint",
    until_field: "ready",
    gate_message: "Next?",
    signal_completes: true,
  });
});

test("the data names nodes as the file does", () => {
  const nodes =
    "  - { id: a, command: plan }\n  - { id: g, depends_on: [a], loop_group: { until: X, max_iterations: 2, nodes: [{ id: one, workflow: w, fan_out: { items: '[1]' } }] } }";
  expect(explain(nodes).data()).toEqual({
    workflow: "x",
    description: "d",
    version: "1.0.0",
    nodes: [
      { id: "a", kind: "prompt", depends_on: [], trigger_rule: "all_success", context: { kind: "fresh" }, command: "plan" },
      {
        id: "g",
        kind: "group",
        depends_on: ["a"],
        trigger_rule: "all_success",
        max_iterations: 2,
        fresh_context: false,
        until: "X",
        nodes: [
          {
            id: "one",
            kind: "call",
            depends_on: [],
            trigger_rule: "all_success",
            workflow: "w",
            include: false,
            fan_out: { items: "[1]", max_parallel: 5, join: "all_done" },
          },
        ],
      },
    ],
  });
});
