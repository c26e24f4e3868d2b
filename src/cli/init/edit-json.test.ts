import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addEntry, readEntry, removeEntry, type JsonSlot } from "./edit-json.ts";
import { parseJsonc } from "./parse-jsonc.ts";

const slot: JsonSlot = { file: ".mcp.json", container: "mcpServers", name: "waymark" };
const entry = { type: "stdio", command: "waymark", args: ["mcp"] };

/** JSON as people and editors write it: any indentation, line ends, comments and trailing commas. */
function written(
  value: unknown,
  style: { readonly unit: string; readonly eol: string; readonly note: boolean; readonly trailing: boolean },
  depth = 0,
): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Object.entries(value).map(
    ([key, held]) => `${Array.isArray(value) ? "" : `${JSON.stringify(key)}: `}${written(held, style, depth + 1)}`,
  );
  const gap = style.unit === "" ? "" : style.eol + style.unit.repeat(depth + 1);
  const note = style.note ? `${gap === "" ? " " : gap}/* , "waymark": { } */` : "";
  if (parts.length === 0) return `${open}${note}${style.note && style.unit !== "" ? style.eol : ""}${close}`;
  const end = style.unit === "" ? "" : style.eol + style.unit.repeat(depth);
  return `${open}${note}${parts.map((part) => gap + part).join(",")}${style.trailing ? "," : ""}${end}${close}`;
}

const foreign = fc.dictionary(
  fc.string({ maxLength: 6 }).filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 4 },
);
const servers = foreign.filter((held) => !Object.hasOwn(held, slot.name));
const content = fc.oneof(
  foreign.filter((held) => !Object.hasOwn(held, slot.container)),
  fc.tuple(foreign, servers).map(([others, held]) => ({ ...others, [slot.container]: held })),
  fc.tuple(servers, foreign).map(([held, others]) => ({
    [slot.container]: held,
    ...Object.fromEntries(Object.entries(others).filter(([key]) => key !== slot.container)),
  })),
);
const style = fc.record({
  unit: fc.constantFrom("", "  ", "    ", "\t"),
  eol: fc.constantFrom("\n", "\r\n"),
  note: fc.boolean(),
  trailing: fc.boolean(),
});
const around = fc.tuple(fc.constantFrom("", "\ufeff", "\n", "// servers\n"), fc.constantFrom("", "\n", "\r\n", "  \n\n"));
const text = fc.tuple(content, style, around).map(([value, how, [before, after]]) => `${before}${written(value, how)}${after}`);

describe("an entry in a JSON file", () => {
  test("put in and taken out again, every byte is as before", () => {
    fc.assert(
      fc.property(text, (before) => {
        const added = addEntry(before, slot, entry);
        expect(removeEntry(added, slot)).toBe(before);
      }),
      { numRuns: 1000 },
    );
  });

  test("put in, it is readable, everything else keeps its value, and nothing that was written is lost", () => {
    fc.assert(
      fc.property(text, (before) => {
        const added = addEntry(before, slot, entry);
        expect(readEntry(added, slot)).toEqual(entry);
        const [old, now] = [plain(before), plain(added)];
        delete (now[slot.container] as Record<string, unknown>)[slot.name];
        if (!Object.hasOwn(old, slot.container)) delete now[slot.container];
        expect(now).toEqual(old);
        expect(isSubsequence(before, added)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("put in twice, it is there once", () => {
    fc.assert(
      fc.property(text, (before) => {
        const once = addEntry(before, slot, entry);
        expect(addEntry(once, slot, entry)).toBe(once);
      }),
    );
  });

  test("a file that was made for it goes when nothing else is in it", () => {
    const made = addEntry(undefined, slot, entry);
    expect(JSON.parse(made)).toEqual({ mcpServers: { waymark: entry } });
    expect(removeEntry(made, slot)).toBeUndefined();
  });

  test("a file that was made for it stays when somebody added a server", () => {
    const made = addEntry(undefined, slot, entry).replace('"waymark"', '"other": { "command": "x" },\n    "waymark"');
    expect(JSON.parse(removeEntry(made, slot) ?? "")).toEqual({ mcpServers: { other: { command: "x" } } });
  });

  test("an entry that was moved by a formatter is taken out with one comma", () => {
    const moved = '{\n  "mcpServers": {\n    "a": { "command": "a" },\n    "waymark": { "command": "waymark", "args": ["mcp"] }\n  }\n}\n';
    expect(removeEntry(moved, slot)).toBe('{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n');
  });

  test("an entry that starts another command is brought up to date in its place", () => {
    const old = addEntry('{\n  "x": 1\n}\n', slot, { type: "stdio", command: "node", args: ["old.js", "mcp"] });
    const now = addEntry(old, slot, entry);
    expect(readEntry(now, slot)).toEqual(entry);
    expect(removeEntry(now, slot)).toBe('{\n  "x": 1\n}\n');
  });

  test.each([
    ["", "it ends too early"],
    ["[]", "does not hold an object"],
    ['{ "mcpServers": [] }', "is not an object"],
    ['{ "a": 1 "b": 2 }', "a comma is missing (line 1, column 10)"],
    ['{ "a": 1 } x', "behind the end"],
    [`${"[".repeat(100_000)}`, "nested too deeply"],
  ])("%s is refused and told why", (broken, why) => {
    expect(() => addEntry(broken, slot, entry)).toThrow(why);
  });
});

describe("JSON with comments", () => {
  test("plain JSON means what JSON.parse says", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, unit) => {
        const node = parseJsonc(JSON.stringify(value, null, unit));
        expect("problem" in node ? node : node.value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("any text gets an answer", () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ \n1truefalsn'.split("")) }), (any) => void parseJsonc(any)));
  });
});

function plain(jsonc: string): Record<string, unknown> {
  const node = parseJsonc(jsonc);
  if ("problem" in node) throw new Error(node.problem);
  return node.value as Record<string, unknown>;
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (let place = 0; place < whole.length && at < part.length; place++) if (whole[place] === part[at]) at++;
  return at === part.length;
}
