import { afterAll, beforeAll, expect, test } from "vitest";
import { runWarnings } from "../../src/engine/index.ts";
import { GraphBench } from "../support/graph-bench.ts";

/** Programs that are not installed here, as far as Waymark's own look can tell. */
let missing: readonly string[] = [];
/** A function in the place of Node, in commands of the run too. */
let node = "";
let bench: GraphBench;
beforeAll(async () => {
  const scripts = {
    "count.js": "console.log(process.env.ARGUMENTS.length)\n",
    "common.js": 'console.log(require("node:path").basename(__filename), require("./other.cjs"))\n',
    "other.cjs": "module.exports = 'other';\n",
    "module.js": 'import { other } from "./module.mjs";\nconsole.log(other, import.meta.url.endsWith("/module.js"));\n',
    "module.mjs": "export const other = 'other';\n",
    "where.py": "import os, beside\nprint(os.path.basename(__file__), beside.other)\n",
    "beside.py": "other = 'other'\n",
    "typed.ts": "const a: number = 1;\nconsole.log(a);\n",
  };
  const files = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`.archon/scripts/${name}`, text]));
  bench = await GraphBench.open(files, undefined, (commands) => ({
    run: (request) => {
      const hidden = missing
        .map((each) => `${each}() { return 1; }; command() { [ "$2" != ${each} ] && builtin command "$@"; }`)
        .join("\n");
      if (request.own === true && request.shell === "bash" && missing.includes("bash"))
        return commands.run({ ...request, command: "exit 127" });
      // Python in the place of uv, which runs a file in the same way.
      const uv = missing.includes("uv") ? "" : 'uv() { shift; python3 "$@"; }\n';
      return commands.run({ ...request, command: `${node}\n${uv}${request.own === true ? `${hidden}\n` : ""}${request.command}` });
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

test.each([
  ["bun", "common", "common.js other"],
  ["bun", "module", "other true"],
  ["uv", "where", "where.py other"],
])("a script for %s that is named is run from its file: %s", async (runtime, script, printed) => {
  missing = ["bun"];
  const run = await bench.run(`- id: a\n  script: ${script}\n  runtime: ${runtime}`);
  const { a } = await run.nodes();
  expect(a?.error ?? a?.output).toBe(printed);
});

test("a script whose file changed since the run began is not run, and the node says why", async () => {
  missing = ["bun"];
  await bench.engine.write(".archon/scripts/later.js", "console.log(1)\n");
  const run = await bench.run(
    `- id: change\n  bash: echo 'console.log(2)' > .archon/scripts/later.js\n- id: a\n  depends_on: [change]\n  script: later\n  runtime: bun`,
  );
  expect(await run.nodes()).toMatchObject({
    a: { status: "failed", error: expect.stringMatching(/later\.js is not what it was when this run began/) as string },
  });
});

const strips = 'node() { case $1 in --experimental-strip-types) echo stripped;; *) command node "$@";; esac; }';

test.each([
  ["`a` (typed.ts)", "- id: a\n  script: typed\n  runtime: bun"],
  ["`a`", "- id: a\n  runtime: bun\n  script: |\n    const a: number = 1;\n    console.log(a);"],
])("TypeScript is refused before the run starts where neither bun nor Node can run it: %s", async (named, nodes) => {
  missing = ["bun"];
  node = 'node() { case $1 in --experimental-strip-types) return 9;; *) command node "$@";; esac; }';
  await expect(bench.begin(nodes)).rejects.toMatchObject({
    code: "PROMPTS_NO_PROGRAM",
    message: expect.stringContaining(`${named} is TypeScript`) as string,
  });
  node = strips;
  const run = await bench.run(nodes);
  // Where bun is installed, it runs it.
  expect(["stripped", "1"]).toContain(await run.output("a"));
  node = "";
});
