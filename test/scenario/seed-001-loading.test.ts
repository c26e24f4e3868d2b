/** Finding workflows by name, shared files, and what a definition is told at load. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start } from "../../src/engine/index.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
const file = (name: string, more = ""): string =>
  `name: "${name}"\ndescription: "${name} here"\nversion: "1.0.0"\n${more}steps: [{ id: say, type: user_message, message: "${name}" }]\n`;

beforeAll(async () => {
  engine = await openTestEngine({
    ".waymark/workflows/standards:fix.yaml": file("standards:fix"),
    ".waymark/workflows/deps__analyze.yaml": file("deps:analyze"),
    ".waymark/workflows/custom/build.yaml": file("custom:build"),
    ".waymark/workflows/plain.yaml": file("plain"),
    ".aromcp/workflows/old:style.yaml": file("old:style"),
    ".aromcp/workflows/plain.yaml": file("plain", "").replace("plain here", "hidden"),
  });
  const base = dirname(engine.folder);
  for (const [path, text] of Object.entries({
    "home/.waymark/workflows/standards:fix.yaml": file("standards:fix").replace("standards:fix here", "the global one"),
    "home/.waymark/workflows/code:format.yaml": file("code:format"),
    "home/.aromcp/workflows/git:hooks.yaml": file("git:hooks"),
    "bundled/tour.yaml": file("tour"),
  })) {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), text);
  }
});
afterAll(() => engine.close());

describe("names and places", () => {
  test("project, user and bundled workflows are listed with their source, shadowed ones marked", async () => {
    const listed = await engine.context.catalog.list();
    expect(listed.map(({ name, source, shadowed }) => `${name} ${source}${shadowed ? " shadowed" : ""}`).sort()).toEqual([
      "code:format global",
      "custom:build project",
      "deps:analyze project",
      "git:hooks global",
      "old:style project",
      "plain project",
      "plain project shadowed",
      "standards:fix global shadowed",
      "standards:fix project",
      "tour bundled",
    ]);
    expect(listed.every((entry) => entry.path.endsWith(".yaml") && entry.description !== "")).toBe(true);
  });

  test("include_global: false leaves the user's own out", async () => {
    const listed = await engine.context.catalog.list(false);
    expect(listed.map(({ name, source }) => `${name} ${source}`).sort()).toEqual([
      "custom:build project",
      "deps:analyze project",
      "old:style project",
      "plain project",
      "plain project",
      "standards:fix project",
      "tour bundled",
    ]);
  });

  test("the project's workflow is loaded before the user's of the same name", async () => {
    expect(await engine.context.catalog.load("standards:fix")).toMatchObject({
      source: "project",
      info: { description: "standards:fix here" },
    });
    expect(await engine.context.catalog.load("plain")).toMatchObject({ source: "project", info: { description: "plain here" } });
  });

  test("the user's is used when the project has none", async () => {
    expect(await engine.context.catalog.load("code:format")).toMatchObject({ source: "global" });
    expect(await engine.context.catalog.load("git:hooks")).toMatchObject({
      source: "global",
      path: expect.stringContaining(".aromcp/workflows") as string,
    });
  });

  test.each([
    ["a colon in the file name", "standards:fix"],
    ["two underscores", "deps:analyze"],
    ["a folder", "custom:build"],
    ["the seed's own folder", "old:style"],
  ])("%s stands for the colon of a name", async (_title, name) => {
    expect((await start(engine.context, engine.caller, { workflow: name })).standing).toMatchObject({
      kind: "action",
      action: { args: { message: name } },
    });
  });

  test("names are case-sensitive and an unknown one is answered with the nearest and the places searched", async () => {
    await expect(engine.context.catalog.load("Standards:Fix")).rejects.toMatchObject({
      code: "ENGINE_NO_WORKFLOW",
      details: { nearest: ["standards:fix"] },
    });
    await expect(engine.context.catalog.load("standards:fxi")).rejects.toThrow(
      /standards:fix.*\.waymark\/workflows.*home\/\.waymark\/workflows/s,
    );
  });

  test("a name with other characters is refused", async () => {
    await engine.write(".waymark/workflows/bad.yaml", file("bad name!"));
    const loaded = await engine.context.catalog.load("bad name!");
    expect(
      loaded.diagnostics
        .filter((problem) => problem.severity === "error")
        .map((problem) => problem.message)
        .join(),
    ).toContain("bad name!");
  });

  test("two files with one name in one place are an error", async () => {
    await engine.write(".waymark/workflows/twice__a.yaml", file("twice:a"));
    await engine.write(".waymark/workflows/twice/a.yaml", file("twice:a"));
    await expect(engine.context.catalog.load("twice:a")).rejects.toMatchObject({ code: "ENGINE_AMBIGUOUS_WORKFLOW" });
  });

  test("the name in the file decides", async () => {
    await engine.write(".waymark/workflows/some-file.yaml", file("other:name"));
    expect((await engine.context.catalog.load("other:name")).path).toMatch(/some-file\.yaml$/);
    await expect(engine.context.catalog.load("some-file")).rejects.toMatchObject({ code: "ENGINE_NO_WORKFLOW" });
  });
});

describe("what is known of a workflow", () => {
  test("name, description, version, inputs and where it was found", async () => {
    await engine.write(
      ".waymark/workflows/informed.yaml",
      file("informed", `inputs: { who: { type: string, default: you, required: false, description: "Whom to greet." } }\n`),
    );
    const { info, path } = await engine.context.catalog.load("informed");
    expect(info).toMatchObject({
      name: "informed",
      description: "informed here",
      version: "1.0.0",
      inputs: { who: { type: "string", default: "you", required: false, description: "Whom to greet." } },
    });
    expect(path).toMatch(/\.waymark\/workflows\/informed\.yaml$/);
  });

  test("description and version may be left out, with a warning", async () => {
    await engine.write(".waymark/workflows/bare.yaml", `name: bare\nsteps: [{ id: say, type: user_message, message: m }]\n`);
    const loaded = await engine.context.catalog.load("bare");
    expect(loaded.info).toMatchObject({ description: "", version: "1.0.0" });
    expect(loaded.diagnostics.map(({ severity, code }) => [severity, code])).toEqual([
      ["warning", "STEPS_NO_DESCRIPTION"],
      ["warning", "STEPS_NO_VERSION"],
    ]);
  });

  test("a run keeps the definition it was started with", async () => {
    await engine.write(
      ".waymark/workflows/edited.yaml",
      `name: edited\ndescription: d\nversion: "1"\nsteps: [{ id: a, type: user_message, message: a }, { id: b, type: user_message, message: old }]\n`,
    );
    const { run } = await start(engine.context, engine.caller, { workflow: "edited" });
    await engine.write(
      ".waymark/workflows/edited.yaml",
      `name: edited\ndescription: d\nversion: "2"\nsteps: [{ id: a, type: user_message, message: a }, { id: b, type: user_message, message: new }]\n`,
    );
    const { progress } = await import("../../src/engine/index.ts");
    expect((await progress(engine.context, engine.caller, { run })).position.standing).toMatchObject({
      action: { args: { message: "old" } },
    });
  });

  test("a broken definition is refused with the place of each problem", async () => {
    await engine.write(
      ".waymark/workflows/broken.yaml",
      `name: broken\ndescription: d\nversion: "1"\nsteps:\n  - { id: a, type: user_mesage, message: a }\n  - { id: b, type: user_message, mesage: b }\n`,
    );
    await expect(start(engine.context, engine.caller, { workflow: "broken" })).rejects.toMatchObject({
      code: "ENGINE_INVALID_WORKFLOW",
      message: expect.stringMatching(/broken\.yaml:5:\d+.*user_mesage/s) as string,
    });
    const { diagnostics } = await engine.context.catalog.load("broken");
    expect(diagnostics.map((problem) => problem.place?.line)).toEqual(expect.arrayContaining([5, 6]));
    expect(diagnostics.map((problem) => `${problem.message} ${problem.fix ?? ""}`).join("\n")).toMatch(/user_message[^]*`message`/);
  });
});

describe("imports", () => {
  test("a shared file adds inputs, state, computed fields and tasks", async () => {
    await engine.write(
      ".waymark/workflows/shared/common-tasks.yaml",
      `
inputs: { depth: { type: number, default: 2 } }
config: { limit: 9 }
default_state: { raw: { shared_list: [1, 2, 3] } }
state_schema: { computed: { shared_count: { from: raw.shared_list, transform: "input.length" } } }
sub_agent_tasks: { common: { steps: [{ id: say, type: user_message, message: "{{ item }} {{ shared_count }}" }] } }
`,
    );
    await engine.write(
      ".waymark/workflows/importer.yaml",
      `name: importer\ndescription: d\nversion: "1"\nimports: ["shared/common-tasks.yaml"]\nsteps: [{ id: head, type: user_message, message: "{{ inputs.depth }} {{ config.limit }} {{ shared_count }}" }, { id: all, type: parallel_foreach, items: "{{ shared_list }}", sub_agent_task: common }]\n`,
    );
    const started = await start(engine.context, engine.caller, { workflow: "importer" });
    expect(started.standing).toMatchObject({ action: { args: { message: "2 9 3" } } });
    expect(started.workflow.imports).toEqual(["shared/common-tasks.yaml"]);
    expect(started.workflow.files.map((found) => found.path).join()).toContain("shared/common-tasks.yaml");
  });

  test("a file may wrap everything in workflow:", async () => {
    await engine.write(
      ".waymark/workflows/wrapped.yaml",
      `workflow:\n  name: "wrapped:one"\n  description: d\n  version: "1"\n  steps: [{ id: say, type: user_message, message: wrapped }]\n`,
    );
    expect((await start(engine.context, engine.caller, { workflow: "wrapped:one" })).standing).toMatchObject({
      action: { args: { message: "wrapped" } },
    });
  });

  test("an import is looked for beside the file, then in the workflows folder, and never outside", async () => {
    await engine.write(".waymark/workflows/parts/near.yaml", "config: { where: near }\n");
    await engine.write(
      ".waymark/workflows/parts/user.yaml",
      `name: "parts:user"\ndescription: d\nversion: "1"\nimports: [near.yaml, shared/common-tasks.yaml]\nsteps: [{ id: say, type: user_message, message: "{{ config.where }} {{ shared_count }}" }]\n`,
    );
    expect((await start(engine.context, engine.caller, { workflow: "parts:user" })).standing).toMatchObject({
      action: { args: { message: "near 3" } },
    });
    await engine.write("outside.yaml", "config: { stolen: true }\n");
    await engine.write(
      ".waymark/workflows/thief.yaml",
      `name: thief\ndescription: d\nversion: "1"\nimports: ["../../outside.yaml"]\nsteps: [{ id: say, type: user_message, message: m }]\n`,
    );
    await expect(start(engine.context, engine.caller, { workflow: "thief" })).rejects.toThrow(/outside\.yaml/);
  });

  test("a missing import and imports in a circle are errors that name the files", async () => {
    await engine.write(
      ".waymark/workflows/missing.yaml",
      `name: missing\ndescription: d\nversion: "1"\nimports: [shared/nowhere.yaml]\nsteps: [{ id: say, type: user_message, message: m }]\n`,
    );
    expect(await errorsOf("missing")).toContain("nowhere.yaml");
    await engine.write(".waymark/workflows/shared/ring-a.yaml", "imports: [ring-b.yaml]\n");
    await engine.write(".waymark/workflows/shared/ring-b.yaml", "imports: [ring-a.yaml]\n");
    await engine.write(
      ".waymark/workflows/ring.yaml",
      `name: ring\ndescription: d\nversion: "1"\nimports: [shared/ring-a.yaml]\nsteps: [{ id: say, type: user_message, message: m }]\n`,
    );
    expect(await errorsOf("ring")).toMatch(/ring-a\.yaml[^]*ring-b\.yaml/);
  });

  test("files of the second generation are recognised and said to be so", async () => {
    await engine.write(
      ".waymark/workflows/second.yaml",
      `name: second\ndescription: d\nversion: "1"\nsteps: [{ id: w, type: while_loop, condition: "{{ this.x }}", body: [{ type: mcp_call, tool: t, parameters: {} }] }]\n`,
    );
    expect(await errorsOf("second")).toMatch(/generation/i);
  });
});

async function errorsOf(name: string): Promise<string> {
  return (await engine.context.catalog.load(name)).diagnostics
    .filter((problem) => problem.severity === "error")
    .map((problem) => problem.message)
    .join("\n");
}
