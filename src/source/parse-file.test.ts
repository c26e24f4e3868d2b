import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Document, Scalar } from "yaml";
import { parseFile } from "./parse-file.ts";

function fileWith(text: string): ReturnType<typeof parseFile> {
  return parseFile({ path: "a.yaml", text });
}

/** Offset of a place in the text, the slow and obvious way. */
function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  return (
    text
      .split("\n")
      .slice(0, line - 1)
      .reduce((sum, each) => sum + each.length + 1, 0) +
    column -
    1
  );
}

describe("places", () => {
  const styles = [Scalar.PLAIN, Scalar.QUOTE_DOUBLE, Scalar.QUOTE_SINGLE, Scalar.BLOCK_LITERAL, Scalar.BLOCK_FOLDED] as const;
  const piece = fc.constantFrom("a", "b => c", " ", "\n", "\n\n", "'", '"', "\\", "x.y", "{{ z }}", "é", "\t", "0");

  test.each(styles)("a character of a text is found in the file again (%s)", (style) => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 14 }), (pieces) => {
        const value = `s${pieces.join("")}e`;
        const scalar = new Scalar(value);
        scalar.type = style;
        const document = new Document({ steps: [{ type: "user_message" }] });
        document.setIn(["steps", 0, "message"], scalar);
        const text = document.toString({ lineWidth: 30 });
        const { file, root } = fileWith(text);
        const parsed = (root!.value as { steps: [{ message: string }] }).steps[0].message;
        for (let at = 0; at < parsed.length; at++) {
          if (/\s|["'\\]/.test(parsed[at]!)) continue;
          expect(text[offsetOf(text, file.placeInText(["steps", 0, "message"], at, 1))], `${at} in ${JSON.stringify(text)}`).toBe(
            parsed[at],
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  test("escapes in double quotes count as one character", () => {
    const text = 'a: "\\u00e9\\x41\\n\\U0001F600zq"\n';
    const { file, root } = fileWith(text);
    const { a } = root!.value as { a: string };
    expect(text[offsetOf(text, file.placeInText(["a"], a.length - 1, 1))]).toBe("q");
  });

  test("a key, a value, a missing key and an aliased value have places", () => {
    const { file } = fileWith("a: &x\n  b: 1\nc: *x\nd:\n");
    expect(file.placeOf(["a", "b"], "key")).toMatchObject({ line: 2, column: 3, endColumn: 4 });
    expect(file.placeOf(["a", "b"], "value")).toMatchObject({ line: 2, column: 6 });
    expect(file.placeOf(["c", "b"], "value")).toMatchObject({ line: 2, column: 6 });
    expect(file.placeOf(["a", "nothing", "below"], "value")).toMatchObject({ line: 2, column: 3 });
    expect(file.placeOf(["d"], "value")).toMatchObject({ line: 4, column: 1 });
  });

  test("lines that end in CR LF count once", () => {
    const { file } = fileWith("name: x\r\nsteps:\r\n  - type: |\r\n      one\r\n      two\r\n");
    expect(file.placeOf(["steps", 0, "type"], "key")).toMatchObject({ line: 3, column: 5 });
    expect(file.placeInText(["steps", 0, "type"], 4, 1)).toMatchObject({ line: 5, column: 7 });
  });
});

describe("limits", () => {
  test("a file that is nested too deeply is refused once, however it is written", () => {
    const flow = "[".repeat(3000) + "]".repeat(3000);
    const block = Array.from({ length: 80 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
    for (const text of [`a: ${flow}`, `${block} 1`, "[".repeat(5000)]) {
      expect(fileWith(text).problems.map(({ fault }) => fault)).toEqual(["too_deep"]);
    }
  });

  test("a small file that expands to a large one is refused, quickly", () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${level}: &l${level} [${level === 0 ? "x" : `*l${level - 1}, *l${level - 1}`}]`,
    );
    const { problems, broken } = fileWith(levels.join("\n"));
    expect(broken).toBe(false);
    expect(problems.map(({ fault }) => fault)).toEqual(["alias"]);
  });

  test("forbidden keys do not reach the values", () => {
    const { root } = fileWith("a: { __proto__: { x: 1 }, constructor: 2, b: 3 }\n");
    expect(root!.value).toEqual({ a: { b: 3 } });
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

test("the same text of the same file is one reading, and another text or path is another", () => {
  const source = { path: "a.yaml", text: "name: one\n" };
  const first = parseFile(source);
  expect(parseFile({ ...source })).toBe(first);
  const changed = parseFile({ ...source, text: "name: two\n" });
  expect(changed.root?.value).toEqual({ name: "two" });
  const moved = parseFile({ ...source, path: "b.yaml" });
  expect(moved.file.placeOf(["name"], "value").file).toBe("b.yaml");
  expect(parseFile(source).root?.value).toEqual({ name: "one" });
});
