import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { addYamlEntry, readYamlEntry, removeYamlEntry, type YamlSlot } from "./edit-yaml.ts";

const slot: YamlSlot = { file: "config.yaml", container: "extensions", name: "waymark" };
const entry = { enabled: true, type: "stdio", cmd: "waymark", args: ["mcp"], envs: {}, timeout: 300 };

const other = fc.constantFrom("# a comment", "", "GOOSE_MODE: auto", "list:\n  - a\n  - b", "text: |\n  extensions:\n    x: 1");
const server = fc.constantFrom("db:\n    enabled: true\n    args: [a, b]", "dev:\n    type: builtin\n\n    # of dev", '"a b":\n    x: 1');
const text = fc
  .tuple(fc.uniqueArray(other), fc.option(fc.uniqueArray(server, { minLength: 1 })), fc.uniqueArray(other), fc.constantFrom("\n", "\r\n"))
  .filter(([above, , below]) => !above.some((each) => each !== "" && !each.startsWith("#") && below.includes(each)))
  .map(([above, held, below, eol]) => {
    const container = held === null ? [] : ["extensions: # mine", ...held.map((each) => `  ${each}`)];
    return [...above, ...container, ...below].join("\n").replaceAll("\n", eol);
  });

describe("an entry in a YAML file", () => {
  test("put in, it is there beside all others; put in twice, it is there once; taken out, every byte is as before", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("", "\n"), (start, end) => {
        const before = start + end;
        const added = addYamlEntry(before, slot, entry);
        const [old, now] = [(parse(before) ?? {}) as Record<string, object>, parse(added) as Record<string, Record<string, unknown>>];
        expect(now).toEqual({ ...old, extensions: { ...old["extensions"], waymark: entry } });
        expect(addYamlEntry(added, slot, entry)).toBe(added);
        const plain = (held: string): string => held.replace(/\r?\n$/, "");
        // What was empty is taken away.
        expect(plain(removeYamlEntry(added, slot) ?? "").trim()).toBe(plain(before).trim());
        expect(plain(removeYamlEntry(added, slot) ?? before)).toBe(plain(before));
      }),
      { numRuns: 300 },
    );
  });

  test("a file that was made for it goes with it", () => {
    const made = addYamlEntry(undefined, slot, entry);
    expect(parse(made)).toEqual({ extensions: { waymark: entry } });
    expect(removeYamlEntry(made, slot)).toBeUndefined();
  });

  test("one that starts another command is brought up to date in its place", () => {
    const old = addYamlEntry("extensions:\n    a:\n        x: 1\n", slot, { ...entry, cmd: "/old/node" });
    const now = addYamlEntry(old, slot, entry);
    expect(parse(now)).toEqual({ extensions: { waymark: entry, a: { x: 1 } } });
    expect(readYamlEntry(now, slot)).toContain("cmd: waymark");
  });

  test.each(["extensions: {}\n", "extensions: { a: { x: 1 } }\n", "extensions:\n  - a\n", '"extensions":\n  a: 1\n'])(
    "%j is refused with what to add by hand",
    (broken) => {
      expect(() => addYamlEntry(broken, slot, entry)).toThrow("cannot be edited");
    },
  );
});
