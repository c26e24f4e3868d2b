import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { Json, JsonObject } from "../../../base/index.ts";
import { closeAction } from "./close-action.ts";
import { openBot } from "./bot-position.ts";
import { undoContent } from "./bot-content.ts";

let engine: TestEngine;
let run: string;
beforeEach(async () => {
  engine = await openTestEngine({ ...smallBot(), "area/old.md": "old\n" });
  await mkdir(join(engine.folder, "area"), { recursive: true });
  ({ run } = await openBot(engine.context, engine.caller, "small_bot", { project_area: "area" }));
});
afterEach(() => engine.close());

const text = (path: string): Promise<string> => readFile(join(engine.folder, path), "utf8");
const undo = (place?: JsonObject) => undoContent(engine.context, engine.caller, { run, ...(place === undefined ? {} : { place }) });

/** Closes the open action with these files, and says what was wrong with them. */
async function close(content: Json): Promise<readonly string[]> {
  const { context, caller } = engine;
  const person = { ...caller, holder: { kind: "person" as const, name: "p", session: "p" }, surface: "cli-terminal" };
  await closeAction(context, caller, { bot: "small_bot", result: { summary: "s", content }, person });
  const { state } = await context.runs.open(run);
  return (state.scopes["run"]?.raw["bot_problems"] ?? []) as readonly string[];
}

test("files are handed in as a list or by their paths, with or without the project area before them", async () => {
  await close([
    { path: "a.md", text: "a" },
    { path: "./area/b.md", content: "b" },
    { path: "a.md", text: "again" },
  ]);
  expect([await text("area/a.md"), await text("area/b.md")]).toEqual(["again", "b"]);
  await close({ "c.md": "c" });
  expect(await text("area/c.md")).toBe("c");
});

test("a path outside the project area, or one that only Waymark writes, is not written", async () => {
  const state = await text("area/workflow_state.json");
  const closing = close([
    { path: "../out.md", text: "x" },
    { path: "/tmp/out.md", text: "x" },
    { path: "c:/out.md", text: "x" },
    { path: "sub/../../out.md", text: "x" },
    { path: "workflow_state.json", text: "x" },
    { path: "area/activity_log.json", text: "x" },
    { path: "nothing.md" },
    "words",
    { path: "good.md", text: "good" },
  ]);
  await expect(closing).rejects.toMatchObject({
    code: "ENGINE_NEEDS_ANSWER",
    details: {
      not_done: [
        "../out.md is outside the project area.",
        "/tmp/out.md is outside the project area.",
        "c:/out.md is outside the project area.",
        "sub/../../out.md is outside the project area.",
        "workflow_state.json is written by Waymark alone.",
        "area/activity_log.json is written by Waymark alone.",
        "Content needs a path and a text.",
        "Content needs a path and a text.",
      ],
    },
  });
  await expect(text("out.md")).rejects.toThrow("ENOENT");
  await expect(text("area/nothing.md")).rejects.toThrow("ENOENT");
  expect(JSON.parse(await text("area/workflow_state.json"))).toMatchObject({ bot: (JSON.parse(state) as { bot: string }).bot });
  expect(JSON.parse(await text("area/activity_log.json"))).toBeInstanceOf(Array);
  expect(await text("area/good.md")).toBe("good");
});

test("taking content back restores what a file held, and names files that were not there before", async () => {
  await close({ "old.md": "new\n", "fresh.md": "fresh" });
  expect(await text("area/old.md")).toBe("new\n");
  expect(await undo()).toMatchObject({
    run,
    place: { behaviour: "shape", action: "gather" },
    restored: ["area/old.md"],
    added: [{ path: "area/fresh.md" }],
    left: [],
  });
  expect([await text("area/old.md"), await text("area/fresh.md")]).toEqual(["old\n", "fresh"]);
  await expect(undo()).rejects.toMatchObject({ code: "ENGINE_NO_ACTION" });
});

test("a file that somebody changed or removed since is left as it is, and may be tried again", async () => {
  await close({ "old.md": "new\n", "fresh.md": "fresh" });
  await writeFile(join(engine.folder, "area/old.md"), "mine\n");
  await rm(join(engine.folder, "area/fresh.md"));
  expect(await undo()).toMatchObject({ restored: [], added: [], left: [{ path: "area/old.md", reason: "It was changed since." }] });
  expect(await text("area/old.md")).toBe("mine\n");
  await writeFile(join(engine.folder, "area/old.md"), "new\n");
  expect(await undo()).toMatchObject({ restored: ["area/old.md"], left: [] });
});

test("a file that was there before and is gone now is told as gone", async () => {
  await close({ "old.md": "new\n" });
  await rm(join(engine.folder, "area/old.md"));
  expect(await undo()).toMatchObject({ restored: [], left: [{ path: "area/old.md", reason: "It is gone." }] });
});

test("the last action is taken back first, then the one before it; a place can be named", async () => {
  await close({ "old.md": "one\n" });
  await close({ "old.md": "two\n" });
  await expect(undo({ action: "check" })).rejects.toMatchObject({ code: "ENGINE_NO_ACTION" });
  await expect(undo({ behaviour: "build" })).rejects.toMatchObject({ code: "ENGINE_NO_ACTION" });
  expect(await undo()).toMatchObject({ place: { action: "render" }, restored: ["area/old.md"] });
  expect(await text("area/old.md")).toBe("one\n");
  expect(await undo({ behaviour: "shape", action: "gather" })).toMatchObject({ place: { action: "gather" }, restored: ["area/old.md"] });
  expect(await text("area/old.md")).toBe("old\n");
});
