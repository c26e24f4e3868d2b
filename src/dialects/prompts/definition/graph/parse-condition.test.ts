import * as fc from "fast-check";
import { expect, test } from "vitest";
import { comparisonSigns, type Comparison } from "../graph-definition.ts";
import { parseCondition } from "./parse-condition.ts";

test.each([
  ["$a.output == 'x'", [[{ ref: { written: "a.output", node: "a" }, op: "==", literal: "x" }]]],
  ["$a.output.kind!='x'", [[{ ref: { written: "a.output.kind", node: "a", field: "kind" }, op: "!=", literal: "x" }]]],
  ["  $a-b.kind >= 10 ", [[{ ref: { written: "a-b.kind", node: "a-b", field: "kind" }, op: ">=", literal: "10" }]]],
  ["$INPUTS.mode == true", [[{ ref: { written: "INPUTS.mode", input: "mode" }, op: "==", literal: "true" }]]],
  ["$a.output < -1.5", [[{ ref: { written: "a.output", node: "a" }, op: "<", literal: "-1.5" }]]],
  ["$a.output == 'x && y || $z'", [[{ ref: { written: "a.output", node: "a" }, op: "==", literal: "x && y || $z" }]]],
  ["$a.output == ''", [[{ ref: { written: "a.output", node: "a" }, op: "==", literal: "" }]]],
])("%s is read", (text, anyOf) => {
  expect(parseCondition(text)).toEqual({ text, anyOf });
});

test("&& binds tighter than ||", () => {
  const read = parseCondition("$a.output == '1' || $b.output == '2' && $c.output == '3'");
  const literals = "anyOf" in read ? read.anyOf.map((all) => all.map(({ literal }) => literal)) : [];
  expect(literals).toEqual([["1"], ["2", "3"]]);
});

const value = "a value in single quotes, a number, true or false";
const reference = "a reference such as `$id.output`";
test.each([
  ["", 0, reference],
  ["a.output == 'x'", 0, reference],
  ["($a.output == 'x')", 0, reference],
  ["$a == 'x'", 0, reference],
  ["$a.kind.more == 'x'", 0, reference],
  ["$a.output", 9, "one of == != >= <= > <"],
  ["$a.output = 'x'", 10, "one of == != >= <= > <"],
  ["$a.output.b.c == 'x'", 11, "one of == != >= <= > <"],
  ['$a.output == "x"', 13, value],
  ["$a.output == x", 13, value],
  ["$a.output == 'x", 13, value],
  ["$a.output == 1.2.3", 13, value],
  ["$a.output == 'x' and $b.output == 'y'", 17, "`&&`, `||` or the end"],
  ["$a.output == 'x' &&", 19, reference],
])("%s cannot be read from its place on", (text, offset, expected) => {
  expect(parseCondition(text)).toEqual({ offset, expected });
});

test("whatever is written as a condition is read as it is meant", () => {
  const id = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,6}$/).filter((each) => each !== "INPUTS");
  const field = fc.stringMatching(/^[a-z_]{1,5}$/);
  const ref = fc.oneof(
    id.map((node) => ({ written: `${node}.output`, node })),
    fc.tuple(id, field).map(([node, name]) => ({ written: `${node}.output.${name}`, node, field: name })),
    id.map((input) => ({ written: `INPUTS.${input}`, input })),
  );
  const literal = fc.string().filter((each) => !each.includes("'"));
  const comparison = fc.record({ ref, op: fc.constantFrom(...comparisonSigns), literal });
  const anyOf = fc.array(fc.array(comparison, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
  const written = (all: readonly Comparison[]): string =>
    all.map((each) => `$${each.ref.written} ${each.op} '${each.literal}'`).join(" && ");
  fc.assert(
    fc.property(anyOf, (given) => {
      const text = given.map(written).join(" || ");
      expect(parseCondition(text)).toEqual({ text, anyOf: given });
    }),
  );
});
