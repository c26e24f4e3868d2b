import { expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { resolveScript, resolveTree } from "./left-writes.ts";

const values: Readonly<Record<string, Json>> = {
  n: 2,
  "inputs.who": "Ada",
  inputs: { who: "Ada" },
  list: [1, 2],
  "list.length": 2,
  "n + 1": 3,
  of: { a: 1 },
};
const valueOf = async (js: string): Promise<Json | undefined> => values[js.trim()];

test.each<[Json, Json]>([
  ["plain", "plain"],
  ["{{ result }}", "{{ result }}"],
  ["{{ n }}", 2],
  ["{{ n + 1 }}", 3],
  ["{{ inputs.who }}: {{ result.n }} of {{ n }}", "Ada: {{ result.n }} of 2"],
  ["{{ result.n + n }}", "{{ result.n + 2 }}"],
  ["{{ result.name === inputs.who }}", '{{ result.name === "Ada" }}'],
  ["{{ list.includes(result) }}", "{{ [1,2].includes(result) }}"],
  ["{{ result in of }}", '{{ result in ({"a":1}) }}'],
  ["{{ result | json }}", "{{ result | json }}"],
  [
    { of: "{{ n }}", all: ["{{ result.a }}", 7, null] },
    { of: 2, all: ["{{ result.a }}", 7, null] },
  ],
])("%j becomes %j", async (given, expected) => {
  expect(await resolveTree(given, valueOf)).toEqual(expected);
});

test.each([
  ["result.map((n) => n + list.length)", "result.map((n) => n + 2)"],
  ["result.filter((each) => each > n)", "result.filter((each) => each > 2)"],
  ["const n = 1; return result + n", "const n = 1; return result + n"],
  ["result +", "result +"],
])("the script %j becomes %j", async (given, expected) => {
  expect(await resolveScript(given, valueOf)).toBe(expected);
});
