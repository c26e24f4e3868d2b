import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block, Item, ItemStatus } from "../program/index.ts";
import type { Event } from "./event.ts";

const list = "l";
const ids = ["a", "b", "c", "d", "e"];
const isOpen = (status: ItemStatus | undefined): boolean => status === undefined || status === "pending" || status === "in_progress";

interface Way {
  readonly mode: "each" | "strands";
  readonly parallel: number;
  readonly inputs: boolean;
}

function runOf({ mode, parallel, inputs }: Way): MemoryRun {
  const work: Block = {
    kind: "work",
    id: "w",
    list,
    query: {},
    mode,
    ...(mode === "strands" ? { parallel } : {}),
    join: "all",
    body: "do",
    onItemFailure: { retries: 1, then: "continue" },
    ...(inputs ? { task: { name: "t", prompt: "p", inputs: { x: value(1) } } } : {}),
  };
  const blocks: Block[] = [{ kind: "seq", id: "root", blocks: ["begin", "w"] }, agentStep("begin"), work, agentStep("do")];
  return new MemoryRun(program(blocks, "root", { worklists: [{ id: list, facets: [] }] }), () => ({ x: 1 }));
}

/** Any graph: also items that depend on themselves, on each other, twice on the same one, or on one that is not there. */
const graph = fc.array(fc.tuple(fc.array(fc.constantFrom(...ids), { maxLength: 3 }), fc.nat(4)), { minLength: 1, maxLength: 5 });
/** Most often one item that two others have to come before, and that comes before them in order; one more keeps a hand full. */
const diamond = fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)).map(([x, y, z]): [string[], number][] => [
  [["b", "c"], 1],
  [[], 2 + x],
  [[], 2 + y],
  [[], 0],
  [["a"], z],
]);
const settled: ItemStatus[] = ["completed", "skipped", "failed"];
const poke = fc.record({
  kind: fc.constantFrom("done", "failed", "move", "flip", "flip", "flip", "sweep", "rewind", "late"),
  which: fc.nat(4),
  to: fc.constantFrom<ItemStatus>("pending", "pending", ...settled),
  bySweep: fc.boolean(),
});
const way = fc.record({
  mode: fc.constantFrom("each" as const, "strands" as const),
  parallel: fc.constantFrom(1, 1, 2, 3),
  inputs: fc.boolean(),
});

test("an item is handed out exactly when its dependencies are settled at that moment, whatever settles, is reopened or skipped", () => {
  fc.assert(
    fc.property(way, fc.oneof(graph, { arbitrary: diamond, weight: 3 }), fc.array(poke, { maxLength: 30 }), (how, edges, pokes) => {
      const run = runOf(how);
      run.start();
      const rows = edges.map(([needs, order], at) => row(ids[at] ?? "", `${order}${at}`, needs));
      run.input({ type: "items", change: { add: [{ list, items: rows }] }, reason: "plan" });
      const begin = Object.keys(run.state.actions)[0] ?? "";
      let begun = false;
      const begins = { kind: "begin", which: 0, to: "pending" as const, bySweep: false };
      for (const { kind, which, to, bySweep } of [...pokes.slice(0, 3), begins, ...pokes.slice(3)]) {
        const running = run.state.status === "running";
        const actions = Object.values(run.state.actions);
        const action = actions[which % Math.max(1, actions.length)];
        if (kind === "begin") begun = run.report(begin) === undefined;
        else if (kind === "move" || kind === "late") moveSome(run, which, kind === "late" ? "skipped" : to);
        else if (kind === "flip") flip(run, which, to, bySweep);
        else if (kind === "sweep") sweep(run, which, to);
        else if (kind === "rewind" && how.mode === "each") run.input({ type: "rewind", strand: "main", reason: "again" });
        else if (action !== undefined && begun) settle(run, action.id, kind === "done");
        expect(begun && running ? leftOut(run, how) : []).toEqual([]);
      }
      expect(handedOutTooEarly(run.events, rows)).toEqual([]);
      expect(replay(run.events)).toEqual(run.state);
    }),
    { numRuns: 1_000 },
  );
});

function row(id: string, order: string, needs: readonly string[]): Item {
  const waitsFor = new Set(needs).size;
  const dependsOn = needs.length === 0 ? {} : { dependsOn: needs };
  return { list, id, order, status: "pending", data: { id }, facets: {}, root: id, attempts: 0, waitsFor, ...dependsOn };
}

/** Whoever moves rows leaves those alone that somebody has in hand. */
function moveSome(run: MemoryRun, which: number, to: ItemStatus): void {
  const free = [...run.items.values()].filter(({ status }) => status !== "in_progress");
  const chosen = free[which % Math.max(1, free.length)];
  if (chosen !== undefined) moveRow(run, chosen.id, to);
}

function moveRow(run: MemoryRun, id: string, to: ItemStatus): void {
  const row = run.items.get(`${list}/${id}`);
  if (row === undefined || row.status === "in_progress") return;
  const { status: from, facets, root } = row;
  run.input({ type: "items", change: { moves: [{ list, id, from, to, facets, root }] }, reason: "asked for" });
}

/** All that an item waits for settles, and is open again, or settles once more, before somebody has a free hand; then somebody has. */
function flip(run: MemoryRun, which: number, to: ItemStatus, bySweep: boolean): void {
  const waiting = [...run.items.values()].filter(({ status, dependsOn = [] }) => status === "pending" && dependsOn.length > 0);
  const { id = "", dependsOn = [] } = waiting[which % Math.max(1, waiting.length)] ?? {};
  const one = dependsOn[which % Math.max(1, dependsOn.length)] ?? "";
  if (bySweep && to !== "pending") {
    moveRow(run, id, "skipped");
    sweep(run, 0, to);
    return moveRow(run, id, "pending");
  }
  for (const other of dependsOn) moveRow(run, other, "completed");
  if (bySweep) sweep(run, 1, "pending");
  else moveRow(run, one, "pending");
  moveRow(run, one, to);
  const inHand = Object.values(run.state.actions).find(({ block }) => block === "do");
  if (inHand !== undefined) settle(run, inHand.id, true);
}

/** All free rows of one status are moved at once. */
function sweep(run: MemoryRun, which: number, to: ItemStatus): void {
  const from = (["pending", ...settled] as const)[which % 4] ?? "pending";
  const count = [...run.items.values()].filter(({ status }) => status === from).length;
  const sweeps = [{ list, query: { status: from }, from, to, reason: "asked for", count, facets: {} }];
  run.input({ type: "items", change: { sweeps }, reason: "asked for" });
}

function settle(run: MemoryRun, action: string, ok: boolean): void {
  const id = run.state.actions[action]?.strand ?? "";
  if (run.state.strands[id]?.holder === undefined) run.input({ type: "claim", strand: id, holder });
  const { holder: by = holder, fence = 0, waits } = run.state.strands[id] ?? {};
  if (waits?.on !== "action") return;
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: waits.id, holder: by, fence, outcome, write: true });
}

/** Items that are ready although there is room for them. */
function leftOut(run: MemoryRun, { mode, parallel }: Way): Item[] {
  const rows = [...run.items.values()];
  const inHand = rows.filter(({ status }) => status === "in_progress").length;
  if (inHand >= (mode === "each" ? 1 : parallel)) return [];
  return rows.filter((item) => item.status === "pending" && run.openDependencies(item).length === 0);
}

/** Follows the statuses by the events alone: what was handed out, and which of its dependencies were open then. */
function handedOutTooEarly(events: readonly Event[], rows: readonly Item[]): string[] {
  const now = new Map<string, ItemStatus>();
  return events.flatMap((event) => {
    if (event.type === "items_added") for (const { id, status } of event.items) now.set(id, status);
    if (event.type === "items_swept") for (const [id, status] of now) if (status === event.from) now.set(id, event.to);
    if (event.type !== "item_moved") return [];
    const { id, to } = event.move;
    const open = rows.find((each) => each.id === id)?.dependsOn?.filter((other) => isOpen(now.get(other))) ?? [];
    now.set(id, to);
    return to === "in_progress" && open.length > 0 ? [`${id} before ${open.join(", ")}`] : [];
  });
}
