import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ancestorsOf, findCycles, layersOf, sessionsBefore, type Waiting } from "./order.ts";

const graph = (text: string): Waiting[] =>
  text.split(" ").map((each) => {
    const [id = "", after = ""] = each.split(":");
    return { id, dependsOn: after === "" ? [] : after.split(",") };
  });

/** Each node waits for some of those before it; the list is in any order. */
const acyclic: fc.Arbitrary<Waiting[]> = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.tuple(...Array.from({ length: size }, (_, at) => fc.subarray(Array.from({ length: at }, (_each, before) => `n${before}`)))),
  )
  .chain((lists) =>
    fc.shuffledSubarray(
      lists.map((dependsOn, at) => ({ id: `n${at}`, dependsOn })),
      { minLength: lists.length },
    ),
  );

test("a graph in which nodes wait only for earlier ones has no way round, and every node has a layer below what it waits for", () => {
  fc.assert(
    fc.property(acyclic, (nodes) => {
      expect(findCycles(nodes)).toEqual([]);
      const layers = layersOf(nodes);
      const layer = (id: string): number => layers.findIndex((ids) => ids.includes(id));
      expect(layers.flat().toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
      for (const { id, dependsOn } of nodes) expect(layer(id)).toBe(Math.max(-1, ...dependsOn.map(layer)) + 1);
    }),
  );
});

test("a way round is found, and is one", () => {
  fc.assert(
    fc.property(acyclic, fc.integer({ min: 2, max: 4 }), fc.nat(), (nodes, length, at) => {
      const ring = Array.from({ length }, (_, index) => ({ id: `r${index}`, dependsOn: [`r${(index + 1) % length}`] }));
      // A node of the ring waits for the rest, and the rest may wait for the ring.
      const behind = nodes.map((node, index) => (index === at % nodes.length ? { ...node, dependsOn: [...node.dependsOn, "r0"] } : node));
      const found = findCycles([...behind, ...ring]);
      expect(found).toHaveLength(1);
      const [way = []] = found;
      expect(way[0]).toBe(way.at(-1));
      expect(new Set(way)).toEqual(new Set(ring.map(({ id }) => id)));
      const waits = new Map(ring.map(({ id, dependsOn }) => [id, dependsOn]));
      for (const [index, id] of way.slice(0, -1).entries()) expect(waits.get(id)).toContain(way[index + 1]);
    }),
  );
});

test("ways round that share no node are each found", () => {
  expect(findCycles(graph("a:b b:a c:d d:c e:a,c"))).toEqual([
    ["a", "b", "a"],
    ["c", "d", "c"],
  ]);
});

test("ancestors are all that a node waits for, also in a circle", () => {
  expect([...ancestorsOf(graph("a b:a c:b d"))("c")].toSorted()).toEqual(["a", "b"]);
  expect([...ancestorsOf(graph("a:b b:a"))("a")]).toEqual(["b"]);
});

/** Whose sessions each node may continue, and what may continue the last one. */
function heard(text: string, round = false): Readonly<Record<string, readonly string[]>> {
  const { before, after } = sessionsBefore(graph(text), round);
  const ids = [...before, ["end", after] as const].map(([id, said]) => [id, [...said.of, ...(said.round ? ["round"] : [])]] as const);
  return Object.fromEntries(ids);
}

test("a node alone in its layer continues what was said before it, back to nodes beside each other", () => {
  expect(heard("a b:a c:b d:c e:c f:d,e g:f")).toEqual({ a: [], b: ["a"], c: ["b", "a"], d: [], e: [], f: [], g: ["f"], end: ["g", "f"] });
});

test("what a round of a group said is continued up to nodes beside each other", () => {
  expect(heard("a b:a", true)).toEqual({ a: ["round"], b: ["a", "round"], end: ["b", "a", "round"] });
  expect(heard("a b:a c:a d:b,c", true)).toEqual({ a: ["round"], b: [], c: [], d: [], end: ["d"] });
});

test("a node that waits for nothing is in the first layer, wherever it is written", () => {
  expect(heard("a b:a late")).toEqual({ a: [], late: [], b: [], end: ["b"] });
});
