import { expect, test } from "vitest";
import type { Item } from "../../../program/index.ts";
import { rowLine } from "./instance-line.ts";

const row = (facets: Item["facets"]): Item => ({
  list: "files",
  id: "i1",
  order: "1",
  status: "completed",
  data: {
    kind: "instance",
    file: "a.js",
    line: 1,
    column: 1,
    end_line: 1,
    end_column: 4,
    text: "bad",
    pattern: "lint/no-bad",
    type: "no-bad",
  },
  facets: { kind: "instance", ...facets },
  root: "a.js",
  parent: "a.js",
  attempts: 0,
  waitsFor: 0,
});

test("an instance that its tool has not looked at again is to verify, and one that it has is completed", () => {
  expect(rowLine(row({ verify: "waiting" }), new Map())).toMatchObject({ status: "to_verify" });
  expect(rowLine(row({ done: "hand" }), new Map())).toMatchObject({ status: "completed" });
});
