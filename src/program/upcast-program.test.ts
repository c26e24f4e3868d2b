import { expect, test } from "vitest";
import { part, program as programOf } from "../../test/support/make-program.ts";
import { permittedForm, upcastProgram } from "./upcast-program.ts";

const program = programOf([{ kind: "seq", id: "root", blocks: [] }], "root");

test("keys of `config` that an author of steps chose do not make a part one of another dialect", () => {
  const config = { machine: { states: 3 }, bot: "b", checklist: { phases: [] } };
  const stored = permittedForm({
    ...program,
    parts: { ...program.parts, called: part("called", { config }), own: part("own", { config: { machine: 1 } }) },
  });
  expect(Object.values(upcastProgram(stored).parts).map(({ dialect }) => dialect)).toEqual(["steps", "steps", "steps"]);
});

test("a part that says which dialect it is of keeps it", () => {
  const stored = { ...program, parts: { ...program.parts, called: part("called", { dialect: "prompts" }) } };
  expect(upcastProgram(stored)).toEqual(stored);
});

test("what a permission covers does not tell the dialect of a part that follows from the rest, and nothing else is left out", () => {
  expect(Object.values(permittedForm(program).parts).map((each) => "dialect" in each)).toEqual([false]);
  expect(upcastProgram(permittedForm(program))).toEqual(program);
});

test("what a permission covers tells the dialect of a part that does not follow from the rest", () => {
  const other = {
    ...program,
    parts: Object.fromEntries(Object.entries(program.parts).map(([name, each]) => [name, { ...each, dialect: "x" }])),
  };
  expect(Object.values(permittedForm(other).parts).map(({ dialect }) => dialect)).toEqual(["x"]);
  expect(upcastProgram(permittedForm(other))).toEqual(other);
});
