import { afterAll, beforeAll, expect, test } from "vitest";
import { runWarnings } from "../../src/engine/index.ts";
import { GraphBench } from "../support/graph-bench.ts";

/** Programs that are not installed here, as far as Waymark's own look can tell. */
let missing: readonly string[] = [];
let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open({ ".archon/scripts/count.js": "console.log(process.env.ARGUMENTS.length)\n" }, undefined, (commands) => ({
    run: (request) => {
      const hidden = missing
        .map((each) => `${each}() { return 1; }; command() { [ "$2" != ${each} ] && builtin command "$@"; }`)
        .join("\n");
      if (request.own === true && request.shell === "bash" && missing.includes("bash"))
        return commands.run({ ...request, command: "exit 127" });
      return commands.run(request.own === true ? { ...request, command: `${hidden}\n${request.command}` } : request);
    },
  }));
});
afterAll(() => bench.close());

test.each([
  ["uv", "- id: a\n  script: print(1)\n  runtime: uv"],
  ["bash", "- id: a\n  loop_group: { max_iterations: 1, until_bash: 'true', nodes: [{ id: b, prompt: x }] }"],
])("%s that is missing is named before the run starts", async (program, nodes) => {
  missing = [program];
  await expect(bench.begin(nodes)).rejects.toMatchObject({
    code: "PROMPTS_NO_PROGRAM",
    message: expect.stringContaining(`\`${program}\``) as string,
  });
});

test("a named script is run by node where bun is missing, and the run says so", async () => {
  missing = ["bun"];
  const run = await bench.run("- id: a\n  script: count\n  runtime: bun", undefined, { message: "four" });
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("a")).toBe("4");
  const warnings = await runWarnings(bench.engine.context, await bench.engine.context.runs.open(run.id));
  expect(warnings).toMatchObject([{ code: "PROMPTS_NODE_INSTEAD" }]);
});
