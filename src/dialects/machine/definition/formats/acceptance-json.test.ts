import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readAcceptance, writeAcceptance, type AcceptanceFile } from "./acceptance-json.ts";

const read = (value: unknown): ReturnType<typeof readAcceptance> =>
  readAcceptance(typeof value === "string" ? value : JSON.stringify(value));

test("the written form carries a prefix in every check, and keys of others last", () => {
  const file: AcceptanceFile = {
    acceptance_criteria: [
      {
        id: "AC-001",
        description: "d",
        verify: [
          { kind: "cmd", text: "npm test" },
          { kind: "manual", text: "look", label: "ui" },
        ],
        kept: { area: "web" },
      },
    ],
    kept: { version: 1 },
  };
  expect(writeAcceptance(file)).toBe(`{
  "acceptance_criteria": [
    {
      "id": "AC-001",
      "description": "d",
      "verify": [
        "cmd: npm test",
        "manual: [ui] look"
      ],
      "area": "web"
    }
  ],
  "version": 1
}
`);
  expect(readAcceptance(writeAcceptance(file))).toEqual({ acceptance: file, problems: [] });
});

test("what is written is read as it was", () => {
  const said = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.trim() !== "");
  const check = fc
    .record({ kind: fc.constantFrom("cmd" as const, "manual" as const), text: said.map((text) => text.trim()) })
    .filter(({ text }) => !/^\[[A-Za-z][\w.-]*\]\s/.test(text));
  const criterion = fc.record({ description: said, verify: fc.array(check, { minLength: 1 }) });
  fc.assert(
    fc.property(fc.array(criterion), (list) => {
      const file = { acceptance_criteria: list.map((each, index) => ({ id: `AC-${index}`, ...each, kept: {} })), kept: {} };
      expect(readAcceptance(writeAcceptance(file))).toEqual({ acceptance: file, problems: [] });
    }),
  );
});

test("a bare entry is a command; any other prefix is something to look at", () => {
  const { acceptance, problems } = read({
    acceptance_criteria: [{ id: "AC-1", description: "d", verify: ["npm test", "manual: look", "unit: run", { cmd: "x" }] }],
  });
  expect(acceptance?.acceptance_criteria[0]?.verify).toEqual([
    { kind: "cmd", text: "npm test" },
    { kind: "manual", text: "look" },
    { kind: "manual", text: "run", label: "unit" },
    { kind: "cmd", text: "x" },
  ]);
  expect(problems.map(({ code }) => code)).toEqual(["MACHINE_CHECK_PREFIX", "MACHINE_CHECK_MAP"]);
});

test("verify is built from other keys, of which only `commands` are run; the rest is kept", () => {
  const { acceptance, problems } = read({
    criteria: [
      {
        id: "AC-1",
        description: "d",
        verification: "open the page",
        commands: ["npm test"],
        expected_result: "cmd: is only said",
        area: "web",
        priority: 1,
      },
    ],
  });
  expect(acceptance?.acceptance_criteria[0]).toEqual({
    id: "AC-1",
    description: "d",
    verify: [
      { kind: "manual", text: "open the page" },
      { kind: "cmd", text: "npm test" },
      { kind: "cmd", text: "is only said" },
    ],
    kept: { area: "web", priority: 1 },
  });
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(["MACHINE_CRITERION_ALIAS"]));
});

test("incomplete ones, twins and other types are told", () => {
  const { acceptance, problems } = read({
    acceptance_criteria: [{}, 4, { id: "A", description: "d", verify: "x" }, { id: "A", description: "e", verify: ["x"] }],
  });
  expect(acceptance?.acceptance_criteria.map(({ id }) => id)).toEqual(["AC-001", "A", "A-2"]);
  expect(problems.map(({ code }) => code)).toEqual([
    "MACHINE_CRITERION_INCOMPLETE",
    "MACHINE_CRITERION_INCOMPLETE",
    "MACHINE_CRITERION_INCOMPLETE",
    "MACHINE_WRONG_TYPE",
    "MACHINE_LIST_FORM",
    "MACHINE_DUPLICATE_ID",
  ]);
});

test("nothing makes the reader throw", () => {
  for (const text of ["", "[]", "{}", "nope", '{"acceptance_criteria":{}}']) {
    const { acceptance, problems } = read(text);
    expect(acceptance).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
  }
  const key = fc.constantFrom("id", "description", "verify", "verification", "commands", "expected_result", "__proto__");
  fc.assert(fc.property(fc.array(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }))), (list) => void read({ acceptance_criteria: list })));
});
