import { expect, test } from "vitest";
import type { JsonObject } from "../../../base/index.ts";
import type { MachineRun } from "./machine-run.ts";
import { failingCommands, foundByRole, openFindings } from "./repair-rounds.ts";

const run = (raw: JsonObject): MachineRun => ({ raw }) as MachineRun;
const reported = (artifacts: JsonObject, more: JsonObject = {}): MachineRun => run({ output: { artifacts, ...more } });

test("what a report found is told a line each, without the fields that it left empty", () => {
  const artifacts = {
    review_comments: [{ severity: "high", file: "a.ts", line: 3, message: "wrong", suggested_fix: "" }, "in words"],
    findings: [{ severity: "low", file: null, description: "leak", recommended_fix: "close it" }],
    extras: { coverage_gaps: ["no test of b"] },
  };
  expect(foundByRole(reported(artifacts))).toEqual(["high: a.ts: 3: wrong", "in words", "low: leak: close it", "no test of b"]);
  expect(foundByRole(run({}))).toEqual([]);
  expect(foundByRole(reported({ findings: "many" }))).toEqual([]);
});

test("failing tests are counted, with the end of what they printed", () => {
  const tests = (results: JsonObject): string[] => foundByRole(reported({ extras: { test_results: results } }));
  expect(tests({ failed: 1 })).toEqual(["1 test fails"]);
  expect(tests({ failed: 2, output: " boom \n" })).toEqual(["2 tests fail: boom"]);
  expect(tests({ failed: 2, output: `x${"y".repeat(500)}` })).toEqual([`2 tests fail: ${"y".repeat(500)}`]);
  expect(tests({ failed: 0, output: "fine" })).toEqual([]);
  expect(tests({ failed: "2" })).toEqual([]);
});

test("checks that failed are open findings, and those of checks that passed are not", () => {
  const failed = [{ command: "lint", output: "odd" }, { command: "build" }];
  expect(openFindings(run({ checks: { ok: false, failed } }))).toEqual(["lint: odd", "build"]);
  expect(openFindings(run({ checks: { ok: true, failed } }))).toEqual([]);
  expect(failingCommands(run({ checks: { ok: false, failed } }))).toEqual(["build", "lint"]);
  expect(failingCommands(run({ checks: { ok: true, failed } }))).toEqual([]);
});

test("a report's own words count when it found nothing else and was not content", () => {
  expect(openFindings(reported({}, { status: "FAIL", summary: "It is broken." }))).toEqual(["It is broken."]);
  expect(openFindings(reported({}, { status: "OK", summary: "It is fine." }))).toEqual([]);
  expect(openFindings(reported({ findings: ["one"] }, { status: "FAIL", summary: "It is broken." }))).toEqual(["one"]);
});

test("no more than twenty findings are told", () => {
  const findings = Array.from({ length: 25 }, (_, at) => `f${at}`);
  expect(foundByRole(reported({ findings }))).toHaveLength(20);
  expect(openFindings(run({ checks: { ok: false, failed: findings } }))).toHaveLength(20);
});
