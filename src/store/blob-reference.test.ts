import fc from "fast-check";
import { expect, test } from "vitest";
import { blobReferences } from "./blob-reference.ts";

const hash = fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: 64, maxLength: 64 });

test("every marker in a JSON text is found, wherever it stands", () => {
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      tie("blob"),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("node"), { maxKeys: 3 }),
    ),
    blob: hash.map(($blob) => ({ $blob, bytes: 5 })),
  }));
  fc.assert(
    fc.property(tree["node"], (value) => {
      const put = new Set<unknown>();
      const text = JSON.stringify(value, (_key, held: unknown) => {
        if (typeof held === "object" && held !== null && "$blob" in held) put.add(held.$blob);
        return held;
      });
      expect(new Set(blobReferences(text))).toEqual(put);
    }),
  );
});

test("a hash that is quoted in a text is no reference", () => {
  const marker = JSON.stringify({ $blob: "a".repeat(64), bytes: 1 });
  expect(blobReferences(JSON.stringify([marker, "a".repeat(64)]))).toEqual([]);
  expect(blobReferences(`[${marker},${marker}]`)).toEqual(["a".repeat(64)]);
});
