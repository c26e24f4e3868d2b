import { expect, test } from "vitest";
import { Traces, type Trace } from "./traces.ts";

const trace = (run: string, field: string, output: string): Trace => ({
  run,
  scope: "main",
  field,
  at: 1,
  trigger: "raw.a",
  input: 1,
  output,
  ms: 0,
});

test("only the last evaluations of a run are kept, and all of them are counted", () => {
  const traces = new Traces({ traceEntries: 2, valuePreviewBytes: 100 });
  for (const output of ["one", "two", "three"]) traces.add(trace("r1", "total", output));
  traces.add(trace("r2", "total", "other"));
  expect(traces.of("r1").map(({ output }) => output)).toEqual(["two", "three"]);
  expect([traces.total("r1"), traces.total("r2"), traces.total("r3")]).toEqual([3, 1, 0]);
});

test("as many evaluations as may be kept are all kept", () => {
  const traces = new Traces({ traceEntries: 2, valuePreviewBytes: 100 });
  for (const output of ["one", "two"]) traces.add(trace("r1", "total", output));
  expect(traces.of("r1").map(({ output }) => output)).toEqual(["one", "two"]);
});

test("a field is asked for by its name", () => {
  const traces = new Traces({ traceEntries: 5, valuePreviewBytes: 100 });
  for (const field of ["total", "rest", "total"]) traces.add(trace("r1", field, field));
  expect(traces.of("r1", "rest").map(({ output }) => output)).toEqual(["rest"]);
  expect(traces.of("r1", "total")).toHaveLength(2);
  expect(traces.of("r2", "total")).toEqual([]);
});

test("a value that is longer than its preview is cut and says how long it is; one that fits stays as it is", () => {
  const traces = new Traces({ traceEntries: 5, valuePreviewBytes: 5 });
  traces.add(trace("r1", "fits", "abc"));
  traces.add(trace("r1", "long", "abcd"));
  expect(traces.of("r1").map(({ output }) => output)).toEqual(["abc", '"abcd... (6 characters)']);
});

test("what is forgotten of one run is kept of the others", () => {
  const traces = new Traces({ traceEntries: 5, valuePreviewBytes: 100 });
  for (const run of ["r1", "r2"]) traces.add(trace(run, "total", run));
  traces.forget("r1");
  expect([traces.of("r1").length, traces.total("r1")]).toEqual([0, 0]);
  expect([traces.of("r2").length, traces.total("r2")]).toEqual([1, 1]);
});
