import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { itemStatuses, type Block } from "../program/index.ts";

const rows: Readonly<Record<string, readonly object[]>> = {
  w: [
    { id: "A" },
    { id: "B", needs: ["A"] },
    { id: "C", needs: ["A"] },
    { id: "D", needs: ["B", "C"] },
    { id: "E", needs: ["D"] },
    { id: "X" },
  ],
  inner: [{ id: "P" }, { id: "Q", needs: ["P"] }, { id: "R" }],
};

const graphs = { mode: "strands", join: "all", dependsOn: "needs", onItemFailure: { retries: 0, then: "fail_at_end" } } as const;

/** `B` is a group in rounds, `C` and `E` may open nodes above them again, and `X` may end everything. What `D` asks is asked of a person. */
const blocks: Block[] = [
  { kind: "work", id: "w", fill: value("x"), body: "a", bodies: { B: "b", C: "c", D: "d", E: "e", X: "x" }, again: ["C"], ...graphs },
  agentStep("a"),
  { kind: "repeat", id: "b", max: 3, onLimit: "warn", until: value("done"), body: "inner" },
  { kind: "work", id: "inner", fill: value("x"), body: "p", parallel: 2, ...graphs },
  agentStep("p", { rescue: { retry: { times: 1, delayMs: 5, factor: 1, capMs: 5 }, then: "fail" } }),
  { kind: "seq", id: "c", blocks: ["c1", "c2"] },
  agentStep("c1"),
  { kind: "choose", id: "c2", branches: [{ when: value("yes"), then: "c3" }] },
  { kind: "leave", id: "c3", how: "reopen", items: ["A"] },
  agentStep("d"),
  { kind: "seq", id: "e", blocks: ["e1", "e2"] },
  agentStep("e1"),
  { kind: "choose", id: "e2", branches: [{ when: value("yes"), then: "e3" }] },
  { kind: "leave", id: "e3", how: "reopen", items: ["B", "C"] },
  { kind: "seq", id: "x", blocks: ["x1", "x2"] },
  agentStep("x1"),
  { kind: "choose", id: "x2", branches: [{ when: value("yes"), then: "x3" }] },
  { kind: "leave", id: "x3", how: "cancel" },
];

/** What holds at every moment. */
function expectWhole({ state, items }: MemoryRun): void {
  for (const [list, { total, by }] of Object.entries(state.lists)) {
    expect(itemStatuses.reduce((sum, status) => sum + by[status], 0)).toBe(total);
    expect(Math.min(...Object.values(by))).toBeGreaterThanOrEqual(0);
    const own = [...items.values()].filter((item) => item.list === list);
    if (own.length === 0) continue;
    for (const status of itemStatuses) expect(own.filter((item) => item.status === status)).toHaveLength(by[status]);
    const taken = Object.values(state.strands).flatMap(({ item }) => (item?.list === list ? [item.id] : []));
    const open = own.filter(({ status }) => status === "in_progress").map(({ id }) => id);
    expect(taken.toSorted()).toEqual(open.toSorted());
  }
  if (state.status !== "running") {
    const asked = Object.values(state.decisions).filter(({ status }) => status === "pending");
    expect([state.actions, state.timers, asked]).toEqual([{}, {}, []]);
    return;
  }
  for (const { id, strand } of Object.values(state.actions)) expect(state.strands[strand]?.waits).toEqual({ on: "action", id });
  for (const { strand } of Object.values(state.timers)) expect(state.strands[strand]).toBeDefined();
  for (const { id, kind, strand, status } of Object.values(state.decisions)) {
    if (status !== "pending") continue;
    expect(kind === "budget" || state.strands[strand] !== undefined).toBe(true);
    expect(Object.values(state.strands).some(({ waits }) => waits?.on === "decision" && waits.id === id)).toBe(true);
  }
}

const step = fc.record({
  do: fc.constantFrom(
    "report" as const,
    "report" as const,
    "report" as const,
    "fail" as const,
    "ask" as const,
    "answer" as const,
    "retry" as const,
    "time" as const,
  ),
  at: fc.nat(20),
  yes: fc.nat(3),
});

test("in any order of reports, failures, questions, retries and reopenings rows, counts, strands and questions agree at every moment", () => {
  const seen = { reopened: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 160 }), (steps) => {
      let yes = 3;
      const run = new MemoryRun(program(blocks, "w", { budget: { steps: 60 } }), ({ exprs, strand }, state) => {
        if ("items" in exprs) return { items: rows[state.strands[strand]?.frames.at(-1)?.block ?? ""] as never };
        return { "0": yes === 0 };
      });
      run.start();
      const late: string[] = [];
      for (const { do: what, at, yes: wish } of steps) {
        yes = wish;
        const actions = Object.values(run.state.actions);
        const action = actions[at % Math.max(1, actions.length)];
        const asked = Object.values(run.state.decisions).filter(({ status }) => status === "pending");
        if (what === "retry" && run.state.status === "failed") {
          run.input({ type: "retry", resetCounts: false }, { kind: "person", name: "p", session: "p", surface: "cli-terminal" });
        } else if (what === "time") {
          run.clock += 10;
          for (const { id, due } of Object.values(run.state.timers)) if (due <= run.clock) run.input({ type: "woke", timer: id });
        } else if (what === "answer" && asked.length > 0) {
          const { id = "", kind } = asked[at % asked.length] ?? {};
          expect(run.answer(id, kind === "budget" ? "double" : "so")).toBeUndefined();
        } else if (action !== undefined && what !== "retry" && what !== "answer") {
          const { strand, id } = action;
          if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
          const { fence = 0 } = run.state.strands[strand] ?? {};
          const held = { action: id, holder, fence };
          if (what === "ask") {
            seen.asked += 1;
            run.input({ type: "ask", ...held, question: "Which?" });
          } else {
            const outcome =
              what === "report" ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
            run.input({ type: "report", ...held, outcome, write: true });
          }
          late.push(id);
        }
        expectWhole(run);
      }
      for (const id of late) if (run.state.actions[id] === undefined) expect(run.report(id)).toBeDefined();
      seen.reopened += run.events.filter((event) => event.type === "item_moved" && event.move.reopens === true).length;
      expect(replay(run.events)).toEqual(run.state);
    }),
    { numRuns: 30 },
  );
  expect([seen.reopened > 0, seen.asked > 0]).toEqual([true, true]);
});
