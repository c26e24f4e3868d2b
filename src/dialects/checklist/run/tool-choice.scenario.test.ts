import { afterEach, expect, test } from "vitest";
import { answer, next, start } from "../../../engine/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import { lintWorkflow, openLinting, type Linting } from "../../../../test/support/linter-sample.ts";
import { gatherFacts } from "./commands/gather-facts.ts";

let engine: Pick<Linting, "close">;
afterEach(() => engine.close());

const other = (id: string, file: string): string =>
  `  - { id: ${id}, command: ${id} --all, format: lines, pattern: '^(?<file>[^:]+):(?<line>\\d+)', if_present: [${file}] }\n`;
const workflow = lintWorkflow(
  `    if_present: ["{none.json,lint.json}"]\n${other("second", "second.json")}${other("third", "third.json")}`,
  "choose_tools: true",
);
const files = { "a.js": "bad();\n", "lint.json": "{}", "second.json": "{}" };

async function open(more: Readonly<Record<string, string>> = files) {
  const opened = await openLinting(more, workflow);
  engine = opened;
  const begin = async (options?: JsonObject) =>
    start(opened.context, opened.caller, { workflow: "lint", inputs: options === undefined ? {} : { options } });
  return { ...opened, begin };
}

test("of several tools that are there the user chooses, once, and only those are run", async () => {
  const { context, caller, begin, ran } = await open();
  const { run, standing } = await begin();
  expect(ran).toEqual([]);
  expect(JSON.stringify(standing)).toContain("These tools are here: lint, second. Which ones are to be worked off?");
  const { state } = await context.runs.open(run);
  const [decision] = Object.values(state.decisions);
  expect(decision?.options?.map(({ value }) => value)).toEqual(["all", "lint", "second"]);
  await answer(context, caller, { run, decision: decision?.id ?? "", answer: "second", relayed: true });
  await next(context, caller, { run, waitMs: 5_000 });
  expect(ran).toEqual(["second --all"]);
});

test("a choice that the start makes is not asked, and one that cannot be is refused", async () => {
  const { context, begin, ran } = await open();
  await expect(begin({ tools: "third" })).rejects.toMatchObject({
    code: "ENGINE_WRONG_INPUTS",
    message: "`third` is not in this workspace. Nothing was started.",
    fix: expect.stringContaining("Here are `lint`, `second`."),
  });
  await expect(begin({ tools: ["thrid"] })).rejects.toMatchObject({ message: "`lint` has no tool `thrid`. Nothing was started." });
  const { run } = await begin({ tools: ["lint"] });
  expect(ran).toEqual(["lint --all"]);
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 1 });
});

test("one tool alone needs no question, and a workspace without any is refused, never clean", async () => {
  const one = await open({ "a.js": "bad();\n", "second.json": "{}" });
  await one.begin();
  expect(one.ran).toEqual(["second --all"]);
  await one.close();
  const none = await open({ "a.js": "bad();\n" });
  await expect(none.begin()).rejects.toMatchObject({
    message: "None of the tools of `lint` is in this workspace. Nothing was started.",
    fix: expect.stringContaining("lint ({none.json,lint.json}), second (second.json), third (third.json)"),
  });
});

test("tools of the project need a person's permission, also in a workflow that comes with Waymark", async () => {
  const opened = await open();
  const { context, host } = opened;
  const { hash, program } = await context.catalog.load("lint");
  await host.permissions.revoke(hash);
  await expect(opened.begin()).rejects.toMatchObject({
    code: "ENGINE_NOT_ALLOWED",
    message: expect.stringContaining("command: lint --all"),
  });
  const { requirePermission } = await import("../../../engine/index.ts");
  const bundled = { ...(await context.catalog.load("lint")), own: true, program: program! };
  await expect(requirePermission(context, bundled)).rejects.toMatchObject({ code: "ENGINE_NOT_ALLOWED" });
});
