import { expect, test } from "vitest";
import { findRefs, readText } from "./find-refs.ts";

const written = (text: string, kind: "prose" | "shell" | "code" = "prose"): string[] => findRefs(text, kind).map(({ ref }) => ref.written);

test("nodes, fields, inputs and variables are found, whole names only", () => {
  expect(written("$a.output, $a-b.output.kind. $INPUTS.base $ARTIFACTS_DIR/x $1 $ARGUMENTS")).toEqual([
    "a.output",
    "a-b.output.kind",
    "INPUTS.base",
    "ARTIFACTS_DIR",
    "1",
    "ARGUMENTS",
  ]);
  expect(written("$a.outputs $ARGUMENTSX $10 $HOME $a a.output \\$a.output ${a.output}")).toEqual([]);
  expect(findRefs("x $LOOP_PREV.review.output.ok", "prose")).toEqual([
    { ref: { written: "LOOP_PREV.review.output.ok", previous: "review", field: "ok" }, offset: 2, length: 27 },
  ]);
});

test("in commands numbers are the shell's, and variables may be in braces", () => {
  expect(written("awk '{print $1}' ${ARTIFACTS_DIR:-x} ${STATE_DIR}", "shell")).toEqual(["ARTIFACTS_DIR", "STATE_DIR"]);
  expect(written("`${ARTIFACTS_DIR}` $1 $a.output", "code")).toEqual(["a.output"]);
});

test("a text names each thing once, and nothing in a comment of a command", () => {
  expect(readText("$a.output $a.output $b.output", "prose").refs.map((ref) => ref.written)).toEqual(["a.output", "b.output"]);
  expect(readText("# $a.output\necho $b.output # $c.output", "shell").refs.map((ref) => ref.written)).toEqual(["b.output"]);
});
