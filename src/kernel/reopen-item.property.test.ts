import fc from "fast-check";
import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { itemStatuses, type Block, type ItemStatus } from "../program/index.ts";
import type { Event } from "./event.ts";
import type { Reopening } from "./frame.ts";

const listed: Readonly<Record<string, readonly { readonly id: string; readonly needs?: readonly string[] }[]>> = {
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

const bodies = { B: "b", C: "c", D: "d", E: "e", X: "x" };

/**
 * `B` is a group in rounds, `C` and `E` may open nodes above them again, and `X` may end everything. What `D` asks is asked of a person.
 * `again` are done again by every retry, and `E` opens `back`.
 */
const blocksOf = ({ again, back }: Shape): Block[] => [
  { kind: "work", id: "w", fill: value("x"), body: "a", bodies, ...(again.length === 0 ? {} : { again }), ...graphs },
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
  { kind: "leave", id: "e3", how: "reopen", items: back },
  { kind: "seq", id: "x", blocks: ["x1", "x2"] },
  agentStep("x1"),
  { kind: "choose", id: "x2", branches: [{ when: value("yes"), then: "x3" }] },
  { kind: "leave", id: "x3", how: "cancel" },
];

interface Shape {
  readonly again: readonly string[];
  readonly back: readonly string[];
}

const shape: fc.Arbitrary<Shape> = fc.record({
  again: fc.subarray(["A", "B", "C", "D", "E", "X"]),
  back: fc.subarray(["A", "B", "C", "D"], { minLength: 1 }),
});

type Statuses = ReadonlyMap<string, ItemStatus>;

/** Of the nodes that are not of the group. */
function statusesOf({ items }: MemoryRun): Statuses {
  const rows = [...items.values()].filter(({ id }) => listed["w"]?.some((node) => node.id === id));
  return new Map(rows.map(({ id, status }) => [id, status]));
}

const isSettled = (status: ItemStatus | undefined): boolean => status !== "pending" && status !== "in_progress";

/** All that comes after one of these, however far. */
function behind(ids: readonly string[]): readonly string[] {
  const next = (listed["w"] ?? []).flatMap(({ id, needs = [] }) => (needs.some((each) => ids.includes(each)) ? [id] : []));
  return next.length === 0 ? [] : [...new Set([...next, ...behind(next)])];
}

/** What is opened again takes with it all that comes after it; what a retry opens alone takes nothing. */
function orderFaults(before: Statuses, run: MemoryRun, events: readonly Event[], { again }: Shape): readonly string[] {
  if (run.state.status !== "running") return [];
  const now = statusesOf(run);
  const asked = events.flatMap((event) => (event.type === "moved" ? [event.push?.["reopening"] as Reopening | undefined] : []));
  const opened = asked.flatMap((each) => (each === undefined || each.alone === true ? [] : each.ids));
  const left = [...opened, ...behind(opened)].filter((id) => isSettled(now.get(id)));
  if (!asked.some((each) => each?.alone === true)) return left.map((id) => `${id} is settled behind ${opened.join(", ")}`);
  const failed = [...before].flatMap(([id, status]) => (status === "failed" ? [id] : []));
  const follows = [...again, ...failed, ...behind(failed)];
  return [...before].flatMap(([id, status]) => {
    if (again.includes(id)) return isSettled(now.get(id)) ? [`${id} is not done again`] : [];
    return isSettled(status) && !follows.includes(id) && now.get(id) !== status ? [`${id} was ${status}, and is opened`] : [];
  });
}

/** What does not hold although it must at every moment. */
function faultsIn({ state, items }: MemoryRun): readonly string[] {
  const asked = Object.values(state.decisions).filter(({ status }) => status === "pending");
  if (state.status !== "running")
    return [...asked, ...Object.values(state.actions), ...Object.values(state.timers)].map(({ id }) => `${id} is open after the end`);
  const strands = Object.values(state.strands);
  const isAwaited = (on: string, id: string): boolean => strands.some(({ waits }) => waits?.on === on && "id" in waits && waits.id === id);
  return [
    ...Object.values(state.actions).flatMap(({ id, strand }) =>
      state.strands[strand] && isAwaited("action", id) ? [] : `nobody has ${id}`,
    ),
    ...Object.values(state.timers).flatMap(({ id, strand }) => (state.strands[strand] === undefined ? `${id} is of no strand` : [])),
    ...asked.flatMap(({ id, kind, strand }) => (kind === "budget" || state.strands[strand] ? [] : `${id} is of no strand`)),
    ...asked.flatMap(({ id }) => (isAwaited("decision", id) ? [] : `nobody waits for ${id}`)),
    ...countFaults({ state, items }),
  ];
}

function countFaults({ state, items }: Pick<MemoryRun, "state" | "items">): readonly string[] {
  return Object.entries(state.lists).flatMap(([list, { total, by }]) => {
    const sum = itemStatuses.reduce((all, status) => all + by[status], 0);
    const rows = [...items.values()].filter((item) => item.list === list);
    const miscounted = itemStatuses.filter(
      (status) => by[status] < 0 || (rows.length > 0 && rows.filter((row) => row.status === status).length !== by[status]),
    );
    const taken = Object.values(state.strands).flatMap(({ item }) => (item?.list === list ? [item.id] : []));
    const open = rows.filter(({ status }) => status === "in_progress").map(({ id }) => id);
    const agree = rows.length === 0 || taken.toSorted().join(" ") === open.toSorted().join(" ");
    return [
      ...(sum === total ? [] : [`${list} has ${total}, not ${sum}`]),
      ...miscounted.map((status) => `${list} has another number of ${status}`),
      ...(agree ? [] : [`of ${list} are open ${open.join(" ")}, but worked on are ${taken.join(" ")}`]),
    ];
  });
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
  yes: fc.nat(9),
});

/** What a condition comes to: most rounds are the last one, some nodes open others again, and few end everything. */
const holds = (block: string, yes: number): boolean => (block === "b" ? yes > 2 : block === "x2" ? yes === 9 : yes < 3);

/** All nodes are done but `X`, which fails, and the run is retried. */
const retried = [
  { do: "report" as const, at: 0, yes: 5 },
  ...Array.from({ length: 6 }, () => ({ do: "report" as const, at: -1, yes: 5 })),
  { do: "fail" as const, at: -1, yes: 5 },
  { do: "retry" as const, at: 0, yes: 5 },
];

test("in any order of reports, failures, questions, retries and reopenings rows, counts, strands and questions agree at every moment", () => {
  const seen = { reopened: 0, asked: 0, alone: 0 };
  fc.assert(
    fc.property(shape, fc.boolean(), fc.array(step, { minLength: 30, maxLength: 160 }), (made, isRetried, random) => {
      const steps = isRetried ? [...retried, ...random] : random;
      let yes = 5;
      const run = new MemoryRun(program(blocksOf(made), "w", { budget: { steps: 60 } }), ({ exprs, strand }, state) => {
        const { block = "" } = state.strands[strand]?.frames.at(-1) ?? {};
        return "items" in exprs ? { items: listed[block] as never } : { "0": holds(block, yes) };
      });
      run.start();
      const late: string[] = [];
      const wrong: string[] = [];
      for (const { do: what, at, yes: wish } of steps) {
        yes = wish;
        const before = { statuses: statusesOf(run), events: run.events.length };
        const actions = Object.values(run.state.actions);
        const action = actions.at(at % Math.max(1, actions.length));
        const asked = Object.values(run.state.decisions).filter(({ status }) => status === "pending");
        if (what === "retry" && run.state.status === "failed") {
          run.input({ type: "retry", resetCounts: false }, { kind: "person", name: "p", session: "p", surface: "cli-terminal" });
        } else if (what === "time") {
          run.clock += 10;
          for (const { id, due } of Object.values(run.state.timers)) if (due <= run.clock) run.input({ type: "woke", timer: id });
        } else if (what === "answer" && asked.length > 0) {
          const { id = "", kind } = asked[at % asked.length] ?? {};
          wrong.push(...[run.answer(id, kind === "budget" ? "double" : "so")].flatMap((rejected) => rejected?.message ?? []));
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
        wrong.push(...faultsIn(run), ...orderFaults(before.statuses, run, run.events.slice(before.events), made));
      }
      const closed = late.filter((id) => run.state.actions[id] === undefined);
      wrong.push(...closed.filter((id) => run.report(id) === undefined).map((id) => `a late report of ${id} was taken`));
      expect(wrong).toEqual([]);
      const reopened = run.events.flatMap((event) => (event.type === "item_moved" && event.move.reopens === true ? [event.move] : []));
      seen.reopened += reopened.length;
      seen.alone += reopened.filter(({ alone }) => alone === true).length;
      expect(replay(run.events)).toEqual(run.state);
    }),
    { numRuns: 300 },
  );
  expect([seen.reopened > 0, seen.asked > 0, seen.alone > 0]).toEqual([true, true, true]);
});
