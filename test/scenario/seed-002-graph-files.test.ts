/** Files of graphs as they are in use: every key and shape loads, can be explained, and is described. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/base/index.ts";
import { promptsDialect } from "../../src/dialects/prompts/definition/index.ts";
import { openCliBench, type CliBench } from "../process/cli-world.ts";

const whole = `name: whole
description: |
  Use when: somebody says "whole".
  NOT for: parts.
provider: claude
model: haiku
interactive: true
mutates_checkout: false
worktree: { enabled: true }
tags: [all]
nodes:
  - id: scope
    command: find-scope
    allowed_tools: []
    idle_timeout: 30000
    effort: low
  - id: classify
    depends_on: [scope]
    model: haiku
    prompt: "Judge $ARGUMENTS. $scope.output"
    skills: [one]
    mcp: servers.json
    denied_tools: [Bash]
    hooks: { PreToolUse: [{ matcher: Write, response: { systemMessage: No. } }] }
    agents: { helper: { description: x, prompt: y } }
    agent: helper
    output_format:
      type: object
      additionalProperties: false
      properties: { size: { type: string, enum: [small, big] }, wanted: { type: boolean }, count: { type: number } }
      required: [size, wanted]
  - id: facts
    bash: |
      set -euo pipefail
      echo '["a", "b"]'
    timeout: 60000
    output_type: facts
  - { id: count, script: count, runtime: uv, deps: [pandas], timeout: 30000, depends_on: [facts] }
  - { id: inline, runtime: bun, script: "const all = $facts.output;\\nconsole.log(all.length);\\n", depends_on: [facts], on_lost: ask }
  - id: review
    depends_on: [classify, count]
    when: >-
      $classify.output.size == 'big' && $classify.output.wanted == 'true'
      || $count.output > 3
    context: fresh
    prompt: Review it.
    retry: { max_attempts: 2, delay_ms: 2000, on_error: all }
    always_run: true
  - { id: none, cancel: "Nothing to do for $ARGUMENTS.", depends_on: [classify], when: "$classify.output.size != 'big'" }
  - id: explore
    depends_on: [review]
    trigger_rule: none_failed_min_one_success
    loop: { prompt: "Go on. $LOOP_USER_INPUT", until: READY, max_iterations: 10, interactive: true, gate_message: What else?, fresh_context: true }
  - id: rounds
    depends_on: [explore]
    loop_group:
      until_bash: test $inner.output = ok
      max_iterations: 3
      nodes:
        - { id: work, command: do-work, context: { resume: outer }, depends_on: [outer] }
        - { id: outer, prompt: "Again: $LOOP_PREV.inner.output" }
        - { id: inner, bash: "echo ok", depends_on: [work, outer], trigger_rule: one_success }
  - { id: ask, approval: { message: "Good?", capture_response: true, on_reject: { prompt: "Change it: $REJECTION_REASON", max_attempts: 2 } }, depends_on: [rounds] }
  - { id: choose, approval: { message: "Which?", decisions: [{ id: now, label: At once }, { id: later }] }, depends_on: [ask] }
  - { id: block, include: block, with: { base: main }, depends_on: [choose], when: "$choose.output.decision == 'now'" }
  - { id: child, workflow: child, input: $ARGUMENTS, isolation: inherit, depends_on: [choose] }
  - { id: each, workflow: child, fan_out: { items: $facts.output, as: item, max_parallel: 2, join: all_success }, depends_on: [facts] }
  - id: end
    depends_on: [block, child, each]
    trigger_rule: all_done
    context: shared
    on_lost_context: fresh
    permission: read
    artifacts: [report.md]
    prompt: "Write $ARTIFACTS_DIR/report.md from $STATE_DIR, $DOCS_DIR, $BASE_BRANCH, $CONTEXT and $child.output."
returns: end
`;

const files = {
  ".archon/workflows/kinds/whole.yaml": whole,
  ".archon/workflows/block.yaml": `name: block\ndescription: x\ninputs: { base: { type: string, description: A branch. } }\nnodes: [{ id: diff, bash: git diff $INPUTS.base }]\n`,
  ".archon/workflows/child.yml": "name: child\ndescription: x\nnodes: [{ id: echo, bash: 'echo \"$ARGUMENTS\"' }]\n",
  ".archon/commands/defaults/find-scope.md": "Find what $ARGUMENTS is about.\n",
  ".archon/commands/do-work.md": "Do it.\n",
  ".archon/scripts/count.py": "print(2)\n",
};

let cli: CliBench;
beforeAll(async () => void (cli = await openCliBench(files)));
afterAll(() => cli.close());

interface Problem {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
}

test("a file with every key and kind loads; keys of other tools are named, with what they would have done", async () => {
  const { workflows } = await cli.json<{
    readonly workflows: readonly { readonly name: string; readonly diagnostics: readonly Problem[] }[];
  }>(["validate", "whole"]);
  expect(workflows.map(({ diagnostics }) => diagnostics.map(({ severity, message }) => `${severity}: ${message}`))).toEqual([
    [
      "warning: Waymark does not use `effort`, `output_type`, `mutates_checkout`, `worktree` and `tags`.",
      "warning: Waymark does not use `skills`, `agents` and `agent`: agents do not get them.",
      "warning: Waymark does not use `mcp`: agents do not get these tool servers.",
      "warning: Waymark does not use `hooks`: they are not run, and no agent is held back by them.",
    ],
  ]);
});

test("it can be explained in each form", async () => {
  const { stdout: text } = await cli.run(["explain", "whole"]);
  expect(text).toContain("┌ 1. scope: prompt find-scope.md");
  expect(text).toContain("runs the workflow child for each of $facts.output, 2 at once");
  expect(text).toContain("when $classify.output.size == 'big' && $classify.output.wanted == 'true' || $count.output > 3");
  const { nodes } = await cli.json<{ readonly nodes: readonly { readonly kind: string }[] }>(["explain", "whole"]);
  const kinds = ["prompt", "shell", "script", "loop", "group", "approval", "cancel", "include", "call"];
  expect(kinds.map((each) => nodes.filter(({ kind }) => kind === each).length)).toEqual([4, 2, 2, 1, 1, 2, 1, 1, 2]);
  const { stdout: drawn } = await cli.run(["explain", "whole", "--format", "mermaid"]);
  expect(drawn.split("\n")[0]).toBe("flowchart TD");
  expect(drawn.match(/-->/g)).toHaveLength(20);
});

/** Keys of a definition in the schema of files, with those inside of them. */
function keysOf(at: unknown): string[] {
  if (!isObject(at)) return [];
  const own = isObject(at["properties"]) ? Object.entries(at["properties"]) : [];
  const inner = ["items", "anyOf", "oneOf"].flatMap((word) => [at[word]].flat()).flatMap(keysOf);
  return [...own.flatMap(([key, value]) => [key, ...keysOf(value)]), ...inner];
}

test("every key of a node is in this file or in another test of its own, in the schema for editors, and on the page about graphs", () => {
  const schema = promptsDialect.jsonSchema?.() ?? {};
  const definitions = Object.values((schema["definitions"] ?? schema["$defs"] ?? {}) as JsonObject);
  const keys = [...new Set(definitions.flatMap(keysOf))];
  expect(keys.length).toBeGreaterThan(50);
  const page = readFileSync(join(import.meta.dirname, "../../docs/graphs.md"), "utf8");
  const prompts = readFileSync(join(import.meta.dirname, "../../docs/prompts.md"), "utf8");
  const isOn = (text: string, key: string): boolean => new RegExp(`(?<![\\w-])${key}(?![\\w-])`).test(text);
  expect(keys.filter((key) => !isOn(page, key) && !isOn(prompts, key))).toEqual([]);
  const elsewhere = ["level", "commands", "reopens", "signal_completes", "until_field"];
  expect(keys.filter((key) => !isOn(whole, key)).toSorted()).toEqual(elsewhere.toSorted());
});

test("prompts and scripts are found beside the folder of a graph, also one folder down", async () => {
  const { stdout } = await cli.run(["info", "whole"]);
  expect(stdout).toContain("Find what $ARGUMENTS is about.");
  expect(stdout).toContain("print(2)");
});
