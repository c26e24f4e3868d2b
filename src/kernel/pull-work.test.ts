import { expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, Item } from "../program/index.ts";
import type { Need } from "./input.ts";

const row = (id: string, more: Partial<Item> = {}): Item => ({
  list: "files",
  id,
  order: id,
  status: "pending",
  data: { id, kind: more.parent === undefined ? "file" : "entry" },
  facets: { kind: more.parent === undefined ? "file" : "entry" },
  root: more.parent ?? id,
  attempts: 0,
  waitsFor: 0,
  ...more,
});

/** Files are handed out on request; each has entries below it, which an agent does or skips. */
const blocks: Block[] = [
  { id: "root", kind: "seq", blocks: ["fill", "files"] },
  { id: "fill", kind: "do", who: "engine", what: "fill", args: {}, writes: [], as: "filled" },
  {
    id: "files",
    kind: "work",
    list: "files",
    query: { parent: null, facets: { kind: "file" } },
    mode: "strands",
    pull: true,
    parallel: 3,
    join: "all",
    body: "file",
    onItemFailure: { retries: 0, then: "continue" },
  },
  { id: "file", kind: "seq", blocks: ["entries"] },
  { id: "entries", kind: "work", list: "files", where: { parent: value("item.id") }, mode: "each", join: "all", body: "entry" },
  { id: "entry", kind: "seq", blocks: ["act", "judge"] },
  { ...agentStep("act"), as: "report" },
  { id: "judge", kind: "choose", branches: [{ when: condition("report == skip"), then: "skip" }] },
  { id: "skip", kind: "leave", how: "skip", message: value("reason") },
];

function evaluate(need: Extract<Need, { type: "evaluate" }>): Record<string, Json> {
  const item = need.locals["item"] as { readonly id?: string } | undefined;
  return Object.fromEntries(
    Object.keys(need.exprs).map((key): [string, Json] => {
      if (key === "parent") return [key, item?.id ?? ""];
      if (key === "0") return [key, need.locals["report"] === "skip"];
      return [key, key === "message" ? "not for us" : key];
    }),
  );
}

function begun(files: readonly string[], below: readonly string[]): MemoryRun {
  const run = new MemoryRun(program(blocks, "root"), evaluate);
  run.start();
  const items = files.flatMap((file) => [row(file), ...below.map((name) => row(`${file}/${name}`, { parent: file }))]);
  const [effect = ""] = Object.keys(run.state.effects);
  run.input({
    type: "outcome",
    effect,
    outcome: { ok: true, value: null },
    change: { add: [{ list: "files", items }], count: { added: 2 } },
  });
  return run;
}

const openItems = (run: MemoryRun) => [...run.items.values()].filter(({ status }) => status === "in_progress").map(({ id }) => id);

test("one strand to begin with, another for each who asks, none beyond what is there", () => {
  const run = begun(["a", "b", "c"], ["x"]);
  expect(run.state.counters["added"]).toBe(2);
  expect(openItems(run)).toEqual(["a", "a/x"]);
  expect(run.input({ type: "pull", strand: "main" })).toBeUndefined();
  expect(openItems(run)).toEqual(["a", "a/x", "b", "b/x"]);
  expect(run.input({ type: "pull", strand: "main" })).toBeUndefined();
  expect(run.input({ type: "pull", strand: "main" })).toMatchObject({ code: "NOTHING_TO_PULL" });
  expect(replay(run.events)).toEqual(run.state);
});

test("what is below a file is taken in its own strand, a skip settles it with its reason, and the file goes on", () => {
  const run = begun(["a", "b"], ["x", "y"]);
  const strand = Object.values(run.state.strands).find(({ task }) => task === "a")?.id ?? "";
  run.input({ type: "claim", strand, holder });
  const report = (result: Json) => {
    const [action = ""] = Object.values(run.state.actions).map(({ id }) => id);
    return run.input({ type: "report", action, holder, fence: 1, outcome: { ok: true, value: result }, write: true });
  };
  expect(report("skip")).toBeUndefined();
  expect(run.items.get("files/a/x")).toMatchObject({ status: "skipped", reason: "not for us" });
  expect(report("done")).toBeUndefined();
  expect(run.items.get("files/a/y")).toMatchObject({ status: "completed" });
  expect(run.items.get("files/a")).toMatchObject({ status: "completed" });
  expect(openItems(run)).toEqual(["b", "b/x"]);
  expect(run.state.held).toEqual({ "files/b": { strand: expect.any(String) as string, items: 2 } });
});

test("an item in hand may get new facets: counts follow when it is settled", () => {
  const run = begun(["a"], ["x"]);
  const moves = [
    {
      list: "files",
      id: "a/x",
      from: "in_progress" as const,
      to: "in_progress" as const,
      facets: { kind: "entry" },
      newFacets: { kind: "entry", done: "hand" },
      root: "a",
      data: { id: "new" },
    },
  ];
  expect(run.input({ type: "items", change: { moves }, reason: "t" })).toBeUndefined();
  expect(run.state.lists["files"]?.facets["done=hand"]).toMatchObject({ in_progress: 1 });
  const strand = Object.values(run.state.strands).find(({ task }) => task === "a")?.id ?? "";
  run.input({ type: "claim", strand, holder });
  const [action = ""] = Object.keys(run.state.actions);
  run.input({ type: "report", action, holder, fence: 1, outcome: { ok: true, value: "done" }, write: true });
  expect(run.state.lists["files"]?.facets["done=hand"]).toMatchObject({ in_progress: 0, completed: 1 });
  expect(run.state.lists["files"]?.facets["kind=entry"]).toMatchObject({ in_progress: 0, completed: 1, pending: 0 });
  expect(run.state.status).toBe("completed");
});

test("a rewound strand gives back what it has in hand and begins with the first open item", () => {
  const each = blocks.map((block): Block => (block.id === "files" && block.kind === "work" ? { ...block, mode: "each" } : block));
  const run = new MemoryRun(program(each, "root"), evaluate);
  run.start();
  const items = ["a", "b"].flatMap((file) => [row(file), row(`${file}/x`, { parent: file })]);
  run.input({
    type: "outcome",
    effect: Object.keys(run.state.effects)[0] ?? "",
    outcome: { ok: true, value: null },
    change: { add: [{ list: "files", items }] },
  });
  run.report(Object.keys(run.state.actions)[0] ?? "", "done");
  expect(openItems(run)).toEqual(["b", "b/x"]);
  const before = Object.keys(run.state.actions);
  const back = { list: "files", id: "a", from: "completed" as const, to: "pending" as const, facets: { kind: "file" }, root: "a" };
  const below = { ...back, id: "a/x", facets: { kind: "entry" } };
  expect(run.input({ type: "items", change: { moves: [back, below] }, reason: "t" })).toBeUndefined();
  expect(run.input({ type: "rewind", strand: "main", reason: "chosen by a person" })).toBeUndefined();
  expect(openItems(run)).toEqual(["a", "a/x"]);
  expect(run.items.get("files/b")).toMatchObject({ status: "pending" });
  expect(Object.keys(run.state.actions)).not.toEqual(before);
  expect(run.state.held).toEqual({ "files/a": { strand: "main", items: 2 } });
  expect(replay(run.events)).toEqual(run.state);
});

test("nothing is opened in a run that is over: it would stay open for ever", () => {
  const run = begun(["a"], ["x"]);
  const strand = Object.values(run.state.strands).find(({ task }) => task === "a")?.id ?? "";
  run.input({ type: "claim", strand, holder });
  run.input({
    type: "report",
    action: Object.keys(run.state.actions)[0] ?? "",
    holder,
    fence: 1,
    outcome: { ok: true, value: "done" },
    write: true,
  });
  expect(run.state.status).toBe("completed");
  const before = run.state;
  const move = { list: "files", id: "a", from: "completed" as const, to: "pending" as const, facets: { kind: "file" }, root: "a" };
  expect(run.input({ type: "items", change: { moves: [move] }, reason: "t" })).toMatchObject({ code: "RUN_ENDED" });
  expect(run.input({ type: "items", change: { add: [{ list: "files", items: [row("late")] }] }, reason: "t" })).toMatchObject({
    code: "RUN_ENDED",
  });
  const { from, to, ...rest } = move;
  const sweep = { list: "files", query: { status: from }, from, to, reason: "t", count: 1, facets: {} };
  expect(run.input({ type: "items", change: { sweeps: [sweep] }, reason: "t" })).toMatchObject({ code: "RUN_ENDED" });
  expect(run.state).toEqual(before);
  expect(
    run.input({ type: "items", change: { moves: [{ ...rest, from, to: "skipped", reason: "undone" }] }, reason: "t" }),
  ).toBeUndefined();
  expect(run.items.get("files/a")).toMatchObject({ status: "skipped" });
});
