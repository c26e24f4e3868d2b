import fc from "fast-check";
import { expect, test } from "vitest";
import { renderTable, width } from "./render-table.ts";

test("columns are aligned, also with wide characters and styles", () => {
  expect(
    renderTable([
      ["NAME", "X"],
      ["日本", "1"],
      ["\u001b[31mred\u001b[39m", "2"],
      ["a\nb", "3"],
    ]),
  ).toEqual(["NAME  X", "日本  1", "\u001b[31mred\u001b[39m   2", "a b   3"]);
});

test("every cell of a column begins at the same place", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "é", "文", " ", "x") });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, fc.constant("|")), { minLength: 1 }), (rows) => {
      const places = renderTable(rows).map((row) => width(row.slice(0, row.lastIndexOf("|"))));
      expect(new Set(places).size).toBe(1);
    }),
  );
});
