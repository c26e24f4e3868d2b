import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addBlock, hasBlock, removeBlock } from "./edit-toml.ts";

const table = "mcp_servers.waymark";
const lines = ['command = "waymark"', 'args = ["mcp"]'];
const add = (text: string | undefined): string => addBlock(text, table, lines, ".codex/config.toml");

const line = fc.constantFrom("", "# a comment", 'model = "x"', "[mcp_servers.other]", 'command = "y"', "[[tools]]", "  ", "\t# é ✓");
const text = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n", "\r\n", "\r", "\n\n"))
  .map(([all, eol, end]) => all.join(eol) + end);

describe("a block in a TOML file", () => {
  test("put in and taken out again, every byte is as before", () => {
    fc.assert(
      fc.property(text, (before) => {
        const added = add(before);
        expect(hasBlock(added)).toBe(true);
        expect(removeBlock(added)).toBe(before);
      }),
      { numRuns: 1000 },
    );
  });

  test("put in twice, it is there once, with the newest lines", () => {
    fc.assert(
      fc.property(text, (before) => {
        const again = addBlock(add(before), table, ['command = "other"'], "f");
        expect(again.split("[mcp_servers.waymark]")).toHaveLength(2);
        expect(again).toContain('command = "other"');
        expect(removeBlock(again)).toBe(before);
      }),
    );
  });

  test("what was written behind it since stays", () => {
    expect(removeBlock(`${add('model = "x"\n')}\n[other]\na = 1\n`)).toBe('model = "x"\n\n[other]\na = 1\n');
  });

  test("a file that was made for it goes when nothing else is in it", () => {
    expect(removeBlock(add(undefined))).toBeUndefined();
    expect(removeBlock(`${add(undefined)}a = 1\n`)).toBe("a = 1\n");
  });

  test("a table of that name that somebody wrote stays as it is", () => {
    const own = '[mcp_servers."waymark"]\ncommand = "mine"\n';
    expect(add(own)).toBe(own);
    expect(removeBlock(own)).toBe(own);
  });

  test("servers written as one value are refused", () => {
    expect(() => add("mcp_servers = { a = { command = 'x' } }\n")).toThrow("written as one value");
  });
});
