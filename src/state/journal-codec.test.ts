import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { decodeJournal, encodeJournal } from "./journal-codec.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine.close());

test("what goes in comes out, marker keys and prototype names included", async () => {
  const key = fc.oneof(fc.constantFrom("$blob", "$$blob", "$$$blob", "__proto__", "bytes", "a"), fc.string());
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.constant("x".repeat(20_000)),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(tree, async (value) => {
      const plain = JSON.parse(JSON.stringify({ value, pad: "y".repeat(70_000) })) as unknown;
      expect(await decodeJournal(engine.context.store, await encodeJournal(engine.context.store, plain))).toEqual(plain);
    }),
    { numRuns: 60 },
  );
});

test("large values leave the text and are kept once", async () => {
  const big = "z".repeat(100_000);
  const text = await encodeJournal(engine.context.store, { a: big, b: [big, { c: big }] });
  expect(text.length).toBeLessThan(500);
  expect(new Set(text.match(/[0-9a-f]{64}/g))).toHaveProperty("size", 1);
});

test("no blob refers to another blob, since only texts are searched for references", async () => {
  // What stays of the list is itself large enough to leave, and must not, since it refers to what left.
  const list = Array.from({ length: 50 }, (_, i) => ({ i, big: `${i},`.repeat(20_000), small: `${i}`.repeat(5_000) }));
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const text = await encodeJournal(engine.context.store, { list, many });
  const hashes = [...text.matchAll(/\{"\$blob":"([0-9a-f]{64})"/g)].map(([, hash = ""]) => hash);
  const held = await Promise.all(hashes.map((hash) => engine.context.store.readBlob(hash)));
  expect(held.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as unknown)).toEqual([...list.map(({ big }) => big), many]);
});
