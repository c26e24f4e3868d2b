/** What a workflow says about the requests that it is for, in files of every dialect. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { smallBot } from "../support/bot-sample.ts";
import { bundledMachine } from "../support/machine-world.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

const said = { triggers: ["tidy up"], examples: ["Please tidy up the sources"], not_for: ["new features"] };
const keys = Object.entries(said)
  .map(([key, texts]) => `${key}: ${JSON.stringify(texts)}\n`)
  .join("");

/** Files with one definition that says this, by dialect. */
const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  prompts: {
    ".archon/workflows/chain.yaml": `name: chain\ndescription: A case.\n${keys}steps:\n  - step: plan\n`,
    ".archon/steps/plan.md": "Plan.",
  },
  graph: {
    ".archon/workflows/graph.yaml": `name: graph\ndescription: A case.\n${keys}nodes: [{ id: a, prompt: Plan. }]\n`,
  },
  steps: {
    ".waymark/workflows/plain.yaml": `name: plain\ndescription: A case.\nversion: "1.0.0"\n${keys}steps: [{ id: a, type: user_message, message: m }]\n`,
  },
  checklist: { ".waymark/workflows/code-review.workflow.yaml": saidIn("code-review.workflow.yaml") },
  machine: { ...(await bundledMachine()), ".waymark/workflows/delivery.machine.yaml": saidIn("delivery.machine.yaml") },
  bots: smallBot({}, said),
};
let engine: TestEngine;
afterEach(() => engine.close());

test.each(Object.keys(files))(
  "%s: triggers, examples and not_for reach the list that the router reads, without a problem",
  async (dialect) => {
    engine = await openTestEngine(files[dialect]);
    const listed = await engine.context.catalog.list(false);
    expect(listed).toMatchObject([{ routing: { triggers: said.triggers, examples: said.examples, notFor: said.not_for }, problems: 0 }]);
  },
);

/** A bundled file with these keys in the place of its own, each of which is a line. */
function saidIn(file: string): string {
  const text = readFileSync(join(import.meta.dirname, "../../workflows", file), "utf8");
  return text.replace(/^(?:triggers|examples|not_for): .*\n/gm, "").replace(/^description: .*\n/m, (line) => `${line}${keys}`);
}
