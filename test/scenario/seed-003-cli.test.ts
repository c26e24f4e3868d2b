/** Bots at the command line. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { shapeBot, storyBot } from "../support/seed-003-bench.ts";

let bench: CliBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});
const terminal = { terminal: true };

type Commands = Readonly<Pick<CliBench, "run" | "json" | "read" | "write" | "workspace">>;
type Cli = { readonly [K in keyof Commands]: Commands[K] };

async function open(files = shapeBot()): Promise<Cli> {
  const opened = await openCliBench(files);
  bench = opened;
  await mkdir(join(opened.workspace, "docs"));
  return opened;
}

describe("waymark bot", () => {
  test("goes to the current action, asks what came of it and whether it is done, and comes back to the place", async () => {
    const { run, read } = await open();
    const first = await run(["bot", "story_bot"], {
      ...terminal,
      typed: [
        '{"summary": "Chose docs.", "project_area": "docs"}',
        "redo",
        '{"summary": "Chose docs again.", "project_area": "docs"}',
        "done",
        "",
      ],
    });
    expect(first.code).toBe(0);
    expect(first.stdout).toContain("story_bot: initialize_project of shape (action 1 of 6, behaviour 1 of 1)");
    expect(first.stdout.match(/Is it done\?/g)).toHaveLength(2);
    expect(first.stdout).toContain("story_bot: gather_context of shape");
    const again = await run(["bot", "story_bot"]);
    expect(again.stdout).toContain("When done, proceed to decide_planning_criteria");
    expect(again.stdout).toMatch(/^→ waymark bot close story_bot a\d+ --result '<what was done>'$/m);
    expect(JSON.parse(await read("docs/workflow_state.json"))).toMatchObject({ current_action: "gather_context", action_state: "started" });
  });

  test("shows the place as JSON, and closes with a word of the person: without a terminal it is only passed on, and refused here", async () => {
    const { json, run } = await open();
    const shown = await json(["bot", "story_bot", "--area", "docs"]);
    expect(shown).toMatchObject({ status: "started", behavior: "shape", action: "initialize_project", data: { project_area: "docs" } });
    const recorded = await run(["bot", "close", "story_bot", "--result", "Here."]);
    expect(recorded.code).toBe(0);
    expect(recorded.stdout).toContain("The work is recorded. Only a person can say that it is done.");
    const refused = await run(["bot", "close", "story_bot"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("CLI_PERSON_ONLY");
    expect(refused.stderr).toContain("waymark bot close story_bot");
    const closed = await json(["bot", "close", "story_bot"], terminal);
    expect(closed).toMatchObject({
      status: "completed",
      completed_action: "initialize_project",
      next_action: "gather_context",
      next: { action: "gather_context" },
    });
    expect(await json(["bot", "close", "story_bot", "initialize_project"], terminal)).toMatchObject({
      completed_action: "initialize_project",
    });
  });

  test("takes another place after asking", async () => {
    const { run, json } = await open(storyBot());
    await json(["bot", "story_bot", "--area", "docs"]);
    const gone = await run(["bot", "story_bot", "discovery", "build_knowledge"], { ...terminal, typed: ["go", ""] });
    expect(gone.stdout).toContain("Leave shape.initialize_project and go to discovery.build_knowledge?");
    expect(await json(["bot", "story_bot"])).toMatchObject({ behavior: "discovery", action: "build_knowledge" });
  });

  test("lists the tools; a bot with errors has none and says so", async () => {
    const { json, run, workspace } = await open();
    const { bots } = await json<{ bots: { bot: string; tools: { name: string }[] }[] }>(["bot", "tools", "story_bot"]);
    expect(bots[0]?.tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining([
        "story_bot_tool",
        "story_bot_shape_tool",
        "story_bot_shape_gather_context",
        "story_bot_close_current_action",
      ]),
    );
    const compact = await run(["bot", "tools", "--compact"]);
    expect(compact.stdout).toContain("story_bot  3 tools");
    await writeFile(join(workspace, ".waymark/workflows/story_bot/bot_config.json"), '{ "name": "story_bot", "behaviors": "shape" }');
    const broken = await run(["bot", "tools"]);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain("waymark validate story_bot");
    expect((await run(["bot", "tools", "stry_bot"])).stderr).toContain("Did you mean `story_bot`?");
  });

  test("takes back the files of the last action: new ones go, old ones are as they were", async () => {
    const { run, json, write, read } = await open();
    await write("docs/old.md", "old\n");
    await json(["bot", "story_bot", "--area", "docs"]);
    const content = JSON.stringify({
      summary: "Wrote.",
      content: [
        { path: "old.md", text: "new\n" },
        { path: "sub/new.md", text: "new\n" },
      ],
    });
    await json(["bot", "close", "story_bot", "--result", content], terminal);
    expect(await read("docs/sub/new.md")).toBe("new\n");
    const undone = await json(["bot", "undo", "story_bot"]);
    expect(undone).toMatchObject({ action: "initialize_project", restored: ["docs/old.md"], removed: ["docs/sub/new.md"], left: [] });
    expect(await read("docs/old.md")).toBe("old\n");
    await expect(read("docs/sub/new.md")).rejects.toThrow("ENOENT");
    expect((await run(["bot", "undo", "story_bot"])).code).toBe(2);
  });

  test("refuses what belongs to another form of the command", async () => {
    const { run } = await open();
    for (const argv of [
      ["bot", "tools", "--area", "docs"],
      ["bot", "story_bot", "--compact"],
      ["bot", "close"],
      ["bot", "undo", "story_bot", "--result", "x"],
    ]) {
      const result = await run(argv);
      expect([result.code, argv.join(" ")]).toEqual([2, argv.join(" ")]);
      expect(result.stderr).toContain("CLI_USAGE");
    }
  });
});

describe("waymark validate", () => {
  test("tells all problems of a bot in one message, each with its file", async () => {
    const config = (of: object): string => JSON.stringify(of);
    const { run, json } = await open(
      shapeBot({
        "base_actions/1_initialize_project/action_config.json": config({
          name: "initialize_project",
          workflow: true,
          next_action: "gather_context",
        }),
        "base_actions/2_gather_context/action_config.json": config({
          name: "gather_context",
          workflow: true,
          order: 2,
          next_action: "dance",
        }),
        "base_actions/4_build_knowledge/action_config.json": config({
          name: "build_knowledge",
          workflow: true,
          order: 4,
          next_action: "render_output",
        }),
        "base_actions/5_render_output/action_config.json": config({
          name: "render_output",
          workflow: true,
          order: 5,
          next_action: "build_knowledge",
        }),
        "base_actions/7_validate_rules/action_config.json": config({ name: "validate_rules", workflow: true, order: 2, next_action: null }),
        "base_actions/correct_bot/action_config.json": config({
          name: "correct_bot",
          workflow: false,
          order: null,
          next_action: "gather_context",
        }),
      }),
    );
    const result = await run(["validate", "story_bot"]);
    expect(result.code).toBe(1);
    for (const folder of ["1_initialize_project", "2_gather_context", "7_validate_rules", "correct_bot"])
      expect(result.stdout, folder).toMatch(new RegExp(`base_actions/${folder}/action_config\\.json:\\d+:\\d+`));
    const { workflows } = await json<{ workflows: { diagnostics: { code: string; place?: { file: string } }[] }[] }>(
      ["validate", "story_bot"],
      { code: 1 },
    );
    const found = workflows[0]?.diagnostics ?? [];
    process.stdout.write(`${found.length} problems: ${[...new Set(found.map((each) => each.code))].join(", ")}\n`);
    expect(new Set(found.map((each) => each.code)).size).toBeGreaterThanOrEqual(5);
    expect(found.every((each) => each.place?.file.includes("story_bot/") === true)).toBe(true);
  });
});

test("the demo of coming back holds in all its steps", async () => {
  bench = await openCliBench({});
  const { code, stdout } = await bench.run(["demo", "--tour", "bot"]);
  expect(stdout).toContain("was interrupted before it was reported");
  expect(stdout).toContain("The state: guide.listen started");
  expect(code).toBe(0);
});
