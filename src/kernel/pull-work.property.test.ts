import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import { itemStatuses, type Block, type Item, type ItemStatus } from "../program/index.ts";
import type { Need } from "./input.ts";

/** Files handed out on request, or one after the other, each with entries that are done, skipped or failed. */
function files(mode: "each" | "strands"): Block[] {
  return [
    { id: "root", kind: "seq", blocks: ["fill", "files"] },
    { id: "fill", kind: "do", who: "engine", what: "fill", args: {}, writes: [] },
    {
      id: "files",
      kind: "work",
      list: "l",
      query: { parent: null },
      mode,
      ...(mode === "strands" ? { pull: true as const, parallel: 3 } : {}),
      join: "all",
      body: "file",
      onItemFailure: { retries: 0, then: "continue" },
    },
    { id: "file", kind: "seq", blocks: ["entries"] },
    {
      id: "entries",
      kind: "work",
      list: "l",
      where: { parent: value("parent") },
      mode: "each",
      join: "all",
      body: "entry",
      onItemFailure: { retries: 0, then: "continue" },
    },
    { id: "entry", kind: "seq", blocks: ["act", "judge"] },
    { ...agentStep("act"), as: "report", whenLost: "retry" },
    {
      id: "judge",
      kind: "choose",
      branches: [
        { when: condition("skip"), then: "skip" },
        { when: condition("fail"), then: "fail" },
      ],
    },
    { id: "skip", kind: "leave", how: "skip", message: value("why") },
    { id: "fail", kind: "leave", how: "fail", message: value("why") },
  ];
}

function evaluate(need: Extract<Need, { type: "evaluate" }>): Record<string, Json> {
  const item = need.locals["item"] as { readonly id?: string } | undefined;
  const report = need.locals["report"];
  return Object.fromEntries(
    Object.keys(need.exprs).map((key): [string, Json] => {
      if (key === "parent") return [key, item?.id ?? ""];
      if (key === "0") return [key, report === "skip"];
      if (key === "1") return [key, report === "fail"];
      return [key, "because"];
    }),
  );
}

const row = (id: string, parent?: string): Item => ({
  list: "l",
  id,
  order: id,
  status: "pending",
  data: { id },
  facets: { kind: parent === undefined ? "file" : "entry" },
  root: parent ?? id,
  attempts: 0,
  waitsFor: 0,
  ...(parent === undefined ? {} : { parent }),
});

const poke = fc.record({ kind: fc.nat(9), which: fc.nat(5), how: fc.constantFrom("done", "skip", "fail") });

test("rows, counts and held trees agree whatever is asked, reported, added, taken over or rewound", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("each" as const, "strands" as const),
      fc.nat(3),
      fc.nat(3),
      fc.array(poke, { maxLength: 40 }),
      (mode, count, below, pokes) => {
        const run = new MemoryRun(program(files(mode), "root"), evaluate);
        run.start();
        const items = Array.from({ length: count }, (_, at) => [
          row(`f${at}`),
          ...Array.from({ length: below }, (_each, of) => row(`f${at}/${of}`, `f${at}`)),
        ]).flat();
        run.input({
          type: "outcome",
          effect: Object.keys(run.state.effects)[0] ?? "",
          outcome: { ok: true, value: null },
          change: { add: [{ list: "l", items }] },
        });
        let added = 0;
        for (const { kind, which, how } of pokes) {
          const openAtEnd = run.state.status === "completed" ? openRows(run) : undefined;
          const actions = Object.values(run.state.actions);
          const action = actions[which % Math.max(1, actions.length)];
          const session = { kind: "agent" as const, name: "tester", session: `s${which}` };
          if (kind <= 4 && action !== undefined) {
            const strand = run.state.strands[action.strand];
            if (strand?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder: session });
            const held = run.state.strands[action.strand];
            const open = held?.waits?.on === "action" ? held.waits.id : action.id;
            run.input({
              type: "report",
              action: open,
              holder: held?.holder ?? session,
              fence: held?.fence ?? 0,
              outcome: { ok: true, value: how },
              write: true,
            });
          } else if (kind === 5) run.input({ type: "pull", strand: "main" });
          else if (kind === 6) run.input({ type: "rewind", strand: "main", reason: "t" });
          else if (kind === 7) {
            const strand = Object.values(run.state.strands)[which % Math.max(1, Object.keys(run.state.strands).length)];
            if (strand !== undefined) run.input({ type: "release", strand: strand.id, fence: strand.fence, why: "lost" });
          } else if (kind === 8) {
            const file = [...run.items.values()].filter((item) => item.parent === undefined)[which % Math.max(1, run.items.size)];
            const late = [row(`n${added + 1}`, file?.id)];
            if (run.input({ type: "items", change: { add: [{ list: "l", items: late }], count: { added: 1 } }, reason: "t" }) === undefined)
              added += 1;
          } else {
            const settled = [...run.items.values()].filter((item) => item.status === "completed" || item.status === "skipped");
            const back = settled[which % Math.max(1, settled.length)];
            if (back !== undefined)
              run.input({
                type: "items",
                change: {
                  moves: [
                    {
                      list: "l",
                      id: back.id,
                      from: back.status,
                      to: "pending",
                      facets: back.facets,
                      root: back.root,
                      newFacets: { ...back.facets, again: "yes" },
                    },
                  ],
                },
                reason: "t",
              });
          }
          check(run);
          expect(openAtEnd ?? openRows(run), "nothing is opened in a run that is over").toBe(openRows(run));
        }
        expect(run.items.size).toBe(items.length + added);
        expect(replay(run.events)).toEqual(run.state);
      },
    ),
    { numRuns: 300 },
  );
});

function openRows(run: MemoryRun): number {
  return [...run.items.values()].filter(({ status }) => status === "pending" || status === "in_progress").length;
}

function check(run: MemoryRun): void {
  const rows = [...run.items.values()];
  const by = (test_: (item: Item) => boolean): Record<ItemStatus, number> =>
    Object.fromEntries(
      itemStatuses.map((status) => [status, rows.filter((item) => item.status === status && test_(item)).length]),
    ) as Record<ItemStatus, number>;
  const counts = run.state.lists["l"];
  expect(counts === undefined).toBe(rows.length === 0);
  if (counts === undefined) return;
  expect(counts.by).toEqual(by(() => true));
  expect(counts.total).toBe(rows.length);
  for (const key of Object.keys(counts.facets)) {
    const [facet = "", of] = key.split("=");
    expect(counts.facets[key], key).toEqual(by((item) => item.facets[facet] === of));
  }
  for (const [key, tree] of Object.entries(run.state.held)) {
    expect(run.state.strands[tree.strand], key).toBeDefined();
    expect(tree.items).toBe(rows.filter((item) => item.status === "in_progress" && `l/${item.root}` === key).length);
  }
}
