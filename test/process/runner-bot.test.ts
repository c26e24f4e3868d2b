/** A bot that Waymark drives, with a person who answers in between: the built command, each line as the one before it names it. */
import { afterEach, expect, test } from "vitest";
import { openCliBench } from "./cli-world.ts";
import { openPackage, type Package } from "./mcp-package.ts";

let built: Package | undefined;
afterEach(() => built?.close());

const folder = ".waymark/workflows/story_bot";
const files = {
  [`${folder}/bot_config.json`]: '{"name": "story_bot", "behaviors": ["shape"]}',
  [`${folder}/base_actions/1_gather/action_config.json`]: '{"name": "gather", "workflow": true, "order": 1, "next_action": "render"}',
  [`${folder}/base_actions/2_render/action_config.json`]: '{"name": "render", "workflow": true, "order": 2, "next_action": null}',
  [`${folder}/behaviors/1_shape/gather/instructions.md`]: "Gather what there is.\n",
  "agent.yaml": `turns:
  - { match: interrupted before, do: [{ say: "Nothing was begun." }] }
  - match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"'
    do: [{ call: { tool: workflow_progress, with: { run_id: $<run>, action_id: $<action>, result: { summary: Did it. } } } }, { say: ok }]
`,
};
const flags = ["--agent", "script:agent.yaml", "--permission", "edit"];

async function waymark(...args: readonly string[]) {
  const child = (built as Package).start(args);
  child.process.stdin.end();
  const code = await child.ended;
  return { code, out: child.stdout() };
}

/** A command with a person at a terminal, which a child process does not have. */
async function atTerminal(args: readonly string[], typed: readonly string[] = []): Promise<string> {
  const { workspace, command } = built as Package;
  const desk = await openCliBench();
  try {
    const { code, stdout, stderr } = await desk.run(args, { terminal: true, typed, cwd: workspace, env: command([]).env });
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  } finally {
    await desk.close();
  }
}

test("each answer of a person is followed by the action that it leads to, and nobody is asked about what was not begun", async () => {
  built = await openPackage(files);
  await atTerminal(["allow", "story_bot", "--yes"]);
  let driven = await waymark("run", "story_bot", ...flags);
  const [, run = ""] = /waymark decide (\S+)/.exec(driven.out) ?? [];
  for (const [asks, ...answer] of [
    ["Which folder is the project area", "area"],
    ["shape.gather: Did it.", "done"],
    ["shape.render: Did it.", "done"],
  ] as const) {
    expect([driven.code, driven.out]).toEqual([3, expect.stringContaining(asks)]);
    expect(await atTerminal(["decide", run], answer)).toContain(`→ waymark drive ${run} --agent script:agent.yaml --permission edit\n`);
    driven = await waymark("drive", run, ...flags);
  }
  expect([driven.code, driven.out]).toEqual([0, expect.stringContaining(`Run ${run} is complete.`)]);
});
