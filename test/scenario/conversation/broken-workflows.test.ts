/** What is wrong with a workflow that cannot start stands in the text as in the data, with its place and what to do. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const steps = (name: string, rest: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\n${rest}\n`;
const includes = (...names: readonly string[]): string =>
  `steps: [${names.map((name, at) => `{ id: i${at}, type: include_workflow, workflow: ${name} }`).join(", ")}]`;
const folder = ".waymark/workflows";
const files = {
  [`${folder}/child.yaml`]: steps("child", `steps: [{ id: say, type: user_message, message: hi }]`),
  [`${folder}/include.yaml`]: steps("include", includes("chidl")),
  [`${folder}/many.yaml`]: steps("many", includes("chidl", "chld", "childd", "chil", "cild", "hild", "chiild")),
  [`${folder}/task.yaml`]: steps(
    "task",
    `sub_agent_tasks: { fix_one: { steps: [{ id: m, type: user_message, message: x }] } }
steps: [{ id: p, type: parallel_foreach, items: [1], sub_agent_task: fix_on }]`,
  ),
  [`${folder}/list.workflow.yaml`]: `type: list
name: List
description: d
file_patterns: ["src/*.ts"]
phases: [{ id: inventory, name: Files }, { id: review, name: Review, mode: guided }, { id: summary, name: Report }]
per_file_checklist: [{ id: clean, type: validation, description: "clean?" }]
sub_workflows: [chidl]
`,
  [`${folder}/robot/bot_config.json`]: `{"name":"robot","behaviors":["one"]}`,
  [`${folder}/robot/base_actions/1_ga/action_config.json`]: `{"name":"ga","workflow":true,"order":1,"next_action":null,"calls":"chidl"}`,
  [`${folder}/robot/base_actions/1_ga/instructions.md`]: "Do it.",
  [`${folder}/robot/behaviors/1_one/ga/instructions.md`]: "More.",
};
const cases = [
  ["include", "Did you mean `child`?", "include.yaml:4:"],
  ["task", "Did you mean `fix_one`?", "task.yaml:5:"],
  ["list", "Did you mean `child`?", "list.workflow.yaml:7:"],
  ["robot", "Did you mean `child`?", "action_config.json:1:"],
] as const;

let world: McpWorld;
let call: TestClient["call"];
let bench: CliBench;
beforeAll(async () => {
  world = await openWorld({});
  for (const [path, text] of Object.entries(files)) await world.engine.write(path, text);
  ({ call } = await world.client(everyTool));
  bench = await openCliBench(files);
});
afterAll(async () => {
  await world.close();
  await bench.close();
});

describe.each(cases)("%s", (workflow, fix, place) => {
  test.each(["workflow_start", "workflow_info"])("is refused by %s with the place and what to do", async (tool) => {
    const { text, data } = await call(tool, { workflow });
    for (const said of [text, JSON.stringify(data)]) expect(said).toContain(fix);
    expect(text).toContain(place);
    expect(text).toContain("has 1 error");
  });

  test("is refused at the command line with the place and what to do", async () => {
    const { stderr } = await bench.run(["start", workflow]);
    expect(stderr).toContain(fix);
    expect(stderr).toContain(place);
  });
});

test("a file is refused like a name", async () => {
  const { stderr } = await bench.run(["scan", `${folder}/include.yaml`]);
  expect(stderr).toContain("include.yaml:4:");
  expect(stderr).toContain("Did you mean `child`?");
});

test.each(["workflow_start", "workflow_info"])("of many problems %s shows the first ones and counts the others", async (tool) => {
  const { text } = await call(tool, { workflow: "many" });
  expect(text.match(/Did you mean `child`\?/g)).toHaveLength(5);
  expect(text).toContain("has 7 errors");
  expect(text).toContain("And 2 more.");
});
