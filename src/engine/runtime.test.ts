import { afterEach, expect, test } from "vitest";
import type { Tools } from "../ports/index.ts";
import type { Program } from "../program/index.ts";
import { agentStep, part, program as programOf, value } from "../../test/support/make-program.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { coreLeaves, textOfExpr } from "./core-leaves/core-leaves.ts";
import type { EngineContext } from "./context.ts";
import type { Performed } from "./draft.ts";
import { requirePermission, whatItRuns } from "./permission.ts";
import { LeafTable, nothing, type EffectLeaf, type Runtime } from "./runtime.ts";
import { runtimes } from "../../test/support/all-dialects.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const perform = async (): Promise<Performed> => ({ outcome: { ok: true, value: null } });
const deploy: EffectLeaf<unknown> = {
  perform,
  runs: ({ target }) => [{ kind: "command", text: `deploy ${textOfExpr(target)}` }],
};
const other: Runtime<unknown> = {
  decode: (config) => config,
  leaves: { deploy, shell: { ...deploy, moves: true as const }, review: { runs: () => [{ kind: "command", text: "review-tool" }] } },
};
const leaves = new LeafTable({ ...runtimes, other: () => Promise.resolve(other) }, coreLeaves);
for (const dialect of [...Object.keys(runtimes), "other", "constructor"]) await leaves.load(using("wait", dialect));

/** A program with one engine leaf in a part of the given dialect. */
function using(what: string, dialect: string): Program {
  return programOf([agentStep("one", { who: "engine", what, args: { target: value("moon"), command: value("ls") } })], "one", { dialect });
}

test("a leaf is looked up in the dialect of its part first, then among the core leaves", () => {
  expect(leaves.find("other", "shell")).toBe(other.leaves["shell"]);
  expect(leaves.find("steps", "shell")).toBe(coreLeaves["shell"]);
  expect(leaves.find("steps", "deploy")).toBeUndefined();
  expect(leaves.find("constructor", "toString")).toBeUndefined();
});

test("a program with a leaf that its dialect does not have is refused with a code", () => {
  expect(() => leaves.inProgram(using("deploy", "steps"))).toThrow(
    expect.objectContaining({ code: "ENGINE_UNKNOWN_LEAF", message: expect.stringContaining("`deploy`") }),
  );
  expect(() => leaves.inProgram(using("inventory", "bots"))).toThrow(expect.objectContaining({ code: "ENGINE_UNKNOWN_LEAF" }));
  expect(() => leaves.inProgram(using("user_message", "steps")), "an action is not an effect").toThrow(/`user_message`/);
  expect(leaves.inProgram(using("wait", "steps"))).toHaveLength(1);
});

test("what a called part runs is looked up in its own dialect", () => {
  const called = { kind: "call", id: "one", part: "called", inputs: {}, as: "called" } as const;
  const own = using("deploy", "other").blocks["one"]!;
  const both: Program = {
    ...programOf([called], "one"),
    parts: { test: part("one"), called: part("two", { dialect: "other" }) },
    blocks: { one: called, two: { ...own, id: "two" } },
  };
  expect(leaves.inProgram(both).map(({ leaf }) => leaf)).toEqual([deploy]);
});

async function needing(program: Program): Promise<unknown> {
  engine ??= await openTestEngine();
  const context: EngineContext = { ...engine.context, leaves };
  const workflow = { name: "w", path: "w.yaml", source: "project", hash: "0".repeat(64), program } as Parameters<
    typeof requirePermission
  >[1];
  return requirePermission(context, workflow);
}

test("an effect and an action that run a command need permission, whatever their names are", async () => {
  await expect(needing(using("deploy", "other"))).rejects.toMatchObject({
    code: "ENGINE_NOT_ALLOWED",
    details: { runs: ["command: deploy moon"] },
  });
  const action = programOf([agentStep("one", { what: "review" })], "one", { dialect: "other" });
  await expect(needing(action)).rejects.toMatchObject({ code: "ENGINE_NOT_ALLOWED", details: { runs: ["command: review-tool"] } });
  expect(await needing(programOf([agentStep("one")], "one"))).toBeUndefined();
});

test("nobody is asked for what runs nothing, and a tool counts only where the engine can call it", async () => {
  engine = await openTestEngine();
  const tool = programOf([agentStep("one", { who: "engine", what: "mcp", args: { method: value("x.y") } })], "one");
  expect(whatItRuns(engine.context, tool)).toEqual([]);
  const tools: Tools = { configured: true, call: async () => undefined, close: async () => undefined };
  const able = { ...engine.context, host: { ...engine.host, tools } };
  expect(whatItRuns(able, tool)).toEqual([{ kind: "tool", text: "x.y" }]);
});

test("a leaf cannot be written without what it runs", () => {
  // @ts-expect-error `runs` is required
  const silent: EffectLeaf<unknown> = { perform };
  expect({ ...silent, runs: nothing }.runs()).toEqual([]);
});

test("only a leaf that moves holds back what is open", async () => {
  engine = await openTestEngine();
  const effect = { id: "e", strand: "main", block: "one", step: "one", args: {}, openedAt: 0, attempt: 1 };
  const handle = (dialect: string, what: string): Parameters<LeafTable["isMoving"]>[0] => ({
    program: using(what, dialect),
    state: { scopes: {}, strands: {}, effects: { e: { ...effect, what } } } as never,
  });
  expect(leaves.isMoving(handle("bots", "bot_jump"))).toBe(true);
  expect(leaves.isMoving(handle("bots", "bot_record"))).toBe(false);
  expect(leaves.isMoving(handle("steps", "bot_jump"))).toBe(false);
});
