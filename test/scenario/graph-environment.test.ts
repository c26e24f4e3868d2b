import { afterAll, beforeAll, expect, test } from "vitest";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open(
    {
      ".archon/scripts/sizes.js": `import { length } from "./sizes-of.js";\nconsole.log(length(process.env.ARGUMENTS), import.meta.url.endsWith("/scripts/sizes.js"));\n`,
      ".archon/scripts/sizes-of.js": "export const length = (text) => Buffer.byteLength(text);\n",
      ".archon/scripts/size.py": `# /// script\n# dependencies = []\n# ///\nimport os\nfrom size_of import size\nprint(size(os.environ["ARGUMENTS"]), __name__, os.path.basename(__file__))\n`,
      ".archon/scripts/size_of.py": "def size(text):\n    return len(text.encode())\n",
      ".archon/scripts/inputs.js": "console.log(process.env.INPUTS_WHO, process.env.INPUTS_HOW_MANY)\n",
    },
    undefined,
    (commands) => ({
      // Python in the place of uv, whose way to run a script is the same.
      run: (request) => commands.run({ ...request, command: `uv() { shift; python3 "$@"; }\n${request.command}` }),
    }),
  );
});
afterAll(() => bench.close());

const names =
  "ARGUMENTS USER_MESSAGE WORKFLOW_ID ARTIFACTS_DIR STATE_DIR BASE_BRANCH DOCS_DIR CONTEXT EXTERNAL_CONTEXT ISSUE_CONTEXT LOOP_USER_INPUT LOOP_PREV_OUTPUT REJECTION_REASON";

test("every variable is set in commands and scripts, empty where it has no value, and the caller's own never count", async () => {
  const unset = `for name in ${names}; do [ "\${!name+set}" = set ] || echo "$name"; done`;
  process.env["REJECTION_REASON"] = process.env["CONTEXT"] = "leak";
  try {
    const run = await bench.run(`- id: a
  bash: |
    set -u
    ${unset}
    echo "[$CONTEXT$REJECTION_REASON$LOOP_PREV_OUTPUT]"
- id: b
  runtime: bun
  script: console.log(JSON.stringify([process.env.ARGUMENTS, process.env.CONTEXT, process.env.LOOP_USER_INPUT]))`);
    expect(await run.output("a")).toBe("[]");
    expect(await run.output("b")).toBe('["","",""]');
  } finally {
    delete process.env["REJECTION_REASON"];
    delete process.env["CONTEXT"];
  }
});

test("inputs reach commands and scripts as INPUTS_<NAME>, whatever they hold", async () => {
  const who = "$(touch broken) 'é";
  const run = await bench.run(
    `- id: a
  bash: printf '%s|%s' "$INPUTS_WHO" "$INPUTS_HOW_MANY"; test ! -e broken
- id: b
  runtime: bun
  script: inputs`,
    undefined,
    { inputs: { who, "how-many": 3 }, more: "inputs: { who: { type: string }, how-many: { type: number } }" },
  );
  expect(await run.output("a")).toBe(`${who}|3`);
  expect(await run.output("b")).toBe(`${who} 3`);
});

const large = "line 'é'\n\r$(touch broken) \"`\\".repeat(45_000);
const bytes = Buffer.byteLength(large);

test("a text that no environment can hold reaches what names it, byte for byte, and nothing else fails by it", async () => {
  expect(bytes).toBeGreaterThan(1_000_000);
  const run = await bench.run(
    `- id: plain
  bash: echo hi; sh -c 'echo there'
- id: named
  bash: printf %s "$ARGUMENTS" > got.txt; sh -c 'wc -c < got.txt'; test ! -e broken
- id: code
  runtime: bun
  script: import { length } from "node:process"; console.log(Buffer.byteLength(process.env.USER_MESSAGE))
- id: python
  runtime: uv
  script: import os; print(len(os.environ["ARGUMENTS"].encode()))
- id: file
  runtime: bun
  script: sizes
- id: pythons
  runtime: uv
  script: size`.replace('import { length } from "node:process"; ', ""),
    undefined,
    { message: large },
  );
  const nodes = await run.nodes();
  expect(Object.fromEntries(Object.entries(nodes).map(([id, { output, error }]) => [id, error ?? output?.trim()]))).toEqual({
    plain: "hi\nthere",
    named: String(bytes),
    code: String(bytes),
    python: String(bytes),
    file: `${bytes} true`,
    pythons: `${bytes} __main__ size.py`,
  });
});

test("a NUL in a text fails the command that names it, with the reason, and no other", async () => {
  const run = await bench.run(
    `- id: other
  bash: echo hi
- id: named
  bash: echo "$ARGUMENTS"`,
    undefined,
    { message: "a\u0000b" },
  );
  expect(await run.nodes()).toMatchObject({
    other: { status: "completed" },
    named: { status: "failed", error: expect.stringMatching(/`\$ARGUMENTS` has a NUL character/) as string },
  });
});

test("a long answer does not break the command that ends a loop", async () => {
  const run = await bench.run(
    `- id: l
  loop: { prompt: Do., until_bash: 'printf %s "$LOOP_PREV_OUTPUT" | wc -c | grep -q 200000', max_iterations: 2 }`,
    () => "x".repeat(200_000),
  );
  expect(run.end).toMatchObject({ kind: "completed" });
});
