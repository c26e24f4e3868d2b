import fc from "fast-check";
import { expect, test } from "vitest";
import { addToList, removeFromList } from "./edit-json-list.ts";
import type { JsonSlot } from "./edit-json.ts";
import { parseJsonc } from "./parse-jsonc.ts";

const slot: JsonSlot = { file: ".claude/settings.json", container: "permissions", name: "allow" };
const value = "mcp__waymark";

test("a text in a list: put in beside all others, once, and taken out again byte for byte", () => {
  const items = fc.uniqueArray(fc.constantFrom("Bash(npm test)", "Read", "mcp__other", "a, b", "["), { minLength: 1 });
  const permissions = fc.oneof(
    items.map((allow) => ({ allow })),
    items.map((deny) => ({ deny })),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(permissions, fc.constantFrom(undefined, 2, "\t"), fc.boolean(), (held, unit, comment) => {
      const plain = JSON.stringify({ model: "x", ...(held === undefined ? {} : { permissions: held }) }, null, unit);
      const before = comment ? `// ours\n${plain}\n` : plain;
      const added = addToList(before, slot, value);
      const { allow = [], ...others } = (held ?? {}) as { allow?: readonly string[] };
      expect(parseJsonc(added)).toMatchObject({ value: { model: "x", permissions: { ...others, allow: [value, ...allow] } } });
      expect(addToList(added, slot, value)).toBe(added);
      expect(removeFromList(added, slot, value)).toBe(before);
    }),
  );
});

test("a file that was made for it goes with it, and one that was moved is taken out with one comma", () => {
  expect(removeFromList(addToList(undefined, slot, value), slot, value)).toBeUndefined();
  expect(removeFromList('{"permissions":{"allow":["a", "mcp__waymark"]}}', slot, value)).toBe('{"permissions":{"allow":["a"]}}');
});

test("what is not a list is refused", () => {
  expect(() => addToList('{"permissions":{"allow":"all"}}', slot, value)).toThrow("`permissions.allow` is not a list there");
});
