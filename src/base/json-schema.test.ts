import { expect, test } from "vitest";
import { schemaProblems, unknownSchemaWords } from "./json-schema.ts";

const review = {
  type: "object",
  required: ["verdict", "findings"],
  additionalProperties: false,
  properties: {
    verdict: { enum: ["good", "bad"] },
    findings: {
      type: "array",
      maxItems: 2,
      items: { type: "object", required: ["line"], properties: { line: { type: "integer", minimum: 1 } } },
    },
    note: { type: ["string", "null"], maxLength: 5 },
    kind: { const: { a: 1, b: 2 } },
  },
};

test("a value that fits has no problems", () => {
  expect(schemaProblems(review, { verdict: "good", findings: [{ line: 3, more: true }], note: null, kind: { b: 2, a: 1 } })).toEqual([]);
  expect(schemaProblems({}, "anything")).toEqual([]);
});

test("every difference is a sentence with its place", () => {
  expect(schemaProblems(review, { verdict: "fine", findings: [{ line: 0 }, { line: 1.5 }, {}], note: "longer", extra: 1 })).toEqual([
    'the result.verdict must be one of ["good","bad"].',
    "the result.findings must have a length of at most 2.",
    "the result.note must have a length of at most 5.",
    "the result.extra is not allowed.",
  ]);
  expect(schemaProblems(review, { findings: [{ line: 0 }, { line: 1.5 }], kind: 1 })).toEqual([
    "the result lacks `verdict`.",
    "the result.findings[0].line must be at least 1.",
    "the result.findings[1].line must be of type integer.",
    'the result.kind must be {"a":1,"b":2}.',
  ]);
  expect(schemaProblems(review, "text")).toEqual(["the result must be of type object."]);
});

test("words that are not checked are named, at any depth", () => {
  expect(unknownSchemaWords(review)).toEqual([]);
  const schema = {
    oneOf: [],
    properties: { a: { pattern: "x" }, oneOf: { type: "string" } },
    items: { format: "date" },
    additionalProperties: { not: {} },
  };
  expect(unknownSchemaWords(schema)).toEqual(["oneOf", "pattern", "format", "not"]);
});
