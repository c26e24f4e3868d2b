import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ComputedField, Part } from "../program/index.ts";
import { collisions, dependencyGraph } from "./dependency-graph.ts";

function field(name: string, from: readonly string[], transform = "input", rest: Partial<ComputedField> = {}): ComputedField {
  return { name, from, single: from.length === 1, transform, onError: "use_fallback", fallback: null, ...rest };
}
function partOf(computed: readonly ComputedField[], rest: Partial<Part> = {}): Part {
  return {
    dialect: "steps",
    name: "p",
    description: "",
    version: "1",
    inputs: {},
    config: {},
    defaults: { raw: {}, state: {} },
    fields: { raw: {}, state: {} },
    computed,
    root: "r",
    entries: {},
    worklists: [],
    rules: [],
    tracking: {},
    onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
    ...rest,
  };
}

describe("dependencies", () => {
  const part = partOf(
    [
      field("ready", ["computed.batches", "raw.status"]),
      field("batches", ["computed.files"]),
      field("files", ["raw.list"], "input.filter((f) => !ignored.includes(f) && raw.flags.on && limit > 0 && nobody)"),
      field("checked", ["raw.n"], "input", { validate: "output < batches.length" }),
    ],
    { defaults: { raw: { list: [], ignored: [], status: {} }, state: { limit: 1 } } },
  );
  const graph = dependencyGraph(part);

  test("come from paths and from names in the code and its validation", () => {
    expect(graph.direct("files")).toEqual(["raw.list", "raw.ignored", "raw.flags", "state.limit"]);
    expect(graph.direct("computed.checked")).toEqual(["raw.n", "computed.batches"]);
    expect(new Set(graph.all("ready"))).toEqual(
      new Set(["computed.batches", "raw.status", "computed.files", "raw.list", "raw.ignored", "raw.flags", "state.limit"]),
    );
  });

  test("dependents are all that change with a field or a path", () => {
    expect(new Set(graph.dependents("computed.files"))).toEqual(new Set(["ready", "batches", "checked"]));
    expect(new Set(graph.dependents("raw.list"))).toEqual(new Set(["ready", "batches", "files", "checked"]));
    expect(graph.dependents("raw.status")).toEqual(["ready"]);
    expect(graph.dependents("raw.status.a")).toEqual(["ready"]);
    expect(graph.dependents("raw.li")).toEqual([]);
    expect(graph.dependents("nothing")).toEqual([]);
  });

  test("order puts what is needed first", () => {
    expect(graph.order.indexOf("files")).toBeLessThan(graph.order.indexOf("batches"));
    expect(graph.order.indexOf("batches")).toBeLessThan(graph.order.indexOf("ready"));
    expect(graph.cycles).toEqual([]);
  });

  test.each<[string, ComputedField[], string[]]>([
    ["itself by path", [field("a", ["computed.a"])], ["a"]],
    ["itself by name", [field("a", ["raw.x"], "a + 1")], ["a"]],
    ["each other", [field("a", ["computed.b"]), field("b", ["raw.x"], "computed.a")], ["a", "b"]],
    ["all of computed", [field("a", ["raw.x"], "Object.keys(computed)")], ["a"]],
    ["through validation", [field("a", ["raw.x"], "1", { validate: "b > 0" }), field("b", ["computed.a"])], ["a", "b"]],
  ])("a field that depends on %s is a cycle", (_name, computed, names) => {
    const { cycles } = dependencyGraph(partOf(computed));
    expect(cycles).toHaveLength(1);
    expect(new Set(cycles[0])).toEqual(new Set(names));
  });

  test("random graphs: order respects every edge, and cycles are found exactly when there are some", () => {
    const edges = fc.array(fc.array(fc.nat({ max: 7 }), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(edges, (below) => {
        const { order, cycles } = dependencyGraph(
          partOf(below.map((next, n) => field(`f${n}`, ["raw.x", ...next.map((m) => `computed.f${m}`)]))),
        );
        const reach = (from: number, seen = new Set<number>()): Set<number> => {
          for (const next of below[from]!) if (!seen.has(next)) reach(next, seen.add(next));
          return seen;
        };
        const inCycle = below.map((_, n) => n).filter((n) => reach(n).has(n));
        expect(new Set(cycles.flat())).toEqual(new Set(inCycle.map((n) => `f${n}`)));
        const placed = order.filter((name) => !cycles.flat().includes(name));
        const late = placed.filter((name) =>
          below[Number(name.slice(1))]!.some((next) => placed.indexOf(`f${next}`) > placed.indexOf(name)),
        );
        expect(late).toEqual([]);
        expect(placed).toHaveLength(8 - inCycle.length);
      }),
    );
  });
});

test("names in more than one tier collide", () => {
  const part = partOf([field("a", ["raw.b"])], {
    defaults: { raw: { a: 1, b: 1 }, state: { c: 1 } },
    fields: { raw: { c: "number", d: "string" }, state: {} },
  });
  expect(new Set(collisions(part))).toEqual(new Set(["a", "c"]));
});
