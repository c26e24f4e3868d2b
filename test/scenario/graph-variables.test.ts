import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open();
});
afterAll(() => bench.close());

/** The first prompt that an agent got. */
async function prompted(prompt: string, options: Parameters<GraphBench["begin"]>[1] = {}): Promise<string> {
  let seen = "";
  const run = await bench.run(`- id: a\n  prompt: ${JSON.stringify(prompt)}`, (text) => (seen = text), options);
  expect(run.end).toMatchObject({ kind: "completed" });
  return seen;
}

describe("in prompts", () => {
  test("message, words, inputs and places, each in one pass and as they are", async () => {
    const message = "fix 'the $ARGUMENTS bug' $& $WORKFLOW_ID";
    const seen = await prompted("<$ARGUMENTS|$USER_MESSAGE|$1|$2|$9|$INPUTS.branch|\\$1|$WORKFLOW_IDX|$unknown.output2>", {
      message,
      inputs: { branch: "$1" },
      more: "inputs: { branch: { type: string } }",
    });
    expect(seen).toContain(`<${message}|${message}|fix|the $ARGUMENTS bug|$9|$1|$1|$WORKFLOW_IDX|$unknown.output2>`);
  });

  test("the folders of the run exist, and its id is one", async () => {
    const [artifacts = "", state = "", docs = "", id = ""] = (await prompted("$ARTIFACTS_DIR $STATE_DIR $DOCS_DIR $WORKFLOW_ID")).split(
      /\s+/,
    );
    expect(existsSync(artifacts) && existsSync(state)).toBe(true);
    expect(docs).toBe(`${bench.engine.folder}/docs`);
    expect(artifacts).toContain(id);
  });

  test.each(["CONTEXT", "EXTERNAL_CONTEXT", "ISSUE_CONTEXT"])(
    "$%s is what the run was given as context, which is added where no text names it",
    async (name) => {
      const options = { inputs: { context: "issue $1" } };
      expect(await prompted(`About <$${name}>.`, options)).toMatch(/^About <issue \$1>\.\s*(?!.*issue)/);
      expect(await prompted("Do it.", options)).toContain("Do it.\n\nissue $1");
    },
  );
});

test("$BASE_BRANCH is the branch that git names; where there is none a run that names it fails before its first node", async () => {
  const nodes = "- id: a\n  bash: printf %s $BASE_BRANCH\n- id: b\n  depends_on: [a]\n  prompt: Compare with $BASE_BRANCH.";
  const none = await bench.run(nodes);
  expect(none.end).toMatchObject({ kind: "failed", why: expect.stringContaining("$BASE_BRANCH") as string });
  expect(await none.nodes()).toEqual({});
  const git = (...args: string[]): unknown => execFileSync("git", ["-C", bench.engine.folder, ...args], { stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--allow-empty", "-m", "first");
  let seen = "";
  const run = await bench.run(nodes, (text) => (seen = text));
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("a")).toBe("main");
  expect(seen).toContain("Compare with main.");
});

test("comparisons of size are false for what is not a number, whatever JavaScript would make of it", async () => {
  const said = [" ", "", "Infinity", "-Infinity", "0x10", "1_000", "NaN", "true", "3", " 3 ", "-2.5", "1e3", ".5"];
  const nodes = said.flatMap((text, at) => [
    { id: `n${at}`, bash: `printf '%s' '${text}'` },
    ...["<", ">="].map((sign, other) => ({
      id: `w${at}-${other}`,
      depends_on: [`n${at}`],
      when: `$n${at}.output ${sign} 1`,
      bash: "echo",
    })),
  ]);
  const run = await bench.run(nodes.map((node) => `- ${JSON.stringify(node)}`).join("\n"));
  const ran = Object.entries(await run.nodes()).flatMap(([id, { status }]) => (id.startsWith("w") && status === "completed" ? [id] : []));
  const number = (text: string): boolean => ["3", " 3 ", "-2.5", "1e3", ".5"].includes(text);
  const expected = said.flatMap((text, at) => (number(text) ? [`w${at}-${Number(text) < 1 ? 0 : 1}`] : []));
  expect(ran.toSorted()).toEqual(expected.toSorted());
});
