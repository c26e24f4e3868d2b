import { isList, isObject, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { MachineRun } from "./machine-run.ts";

const mostFindings = 20;
const mostOutput = 500;

/** What the last report found, a sentence each: comments, findings, gaps, failed tests. */
export function foundByRole({ raw }: MachineRun): string[] {
  const output = objectIn(raw, "output");
  const artifacts = objectIn(output, "artifacts");
  const extras = objectIn(artifacts, "extras");
  return [
    ...listed(artifacts["review_comments"], ["severity", "file", "line", "message", "suggested_fix"]),
    ...listed(artifacts["findings"], ["severity", "file", "description", "recommended_fix"]),
    ...listed(extras["coverage_gaps"], []),
    ...failedTests(objectIn(extras, "test_results")),
  ].slice(0, mostFindings);
}

/** What must be mended: what the last report found, failing checks, or at least the report's own words. */
export function openFindings(run: MachineRun): string[] {
  const output = objectIn(run.raw, "output");
  const checks = objectIn(run.raw, "checks");
  const failing = checks["ok"] === false ? listed(checks["failed"], ["command", "output"]) : [];
  const all = [...foundByRole(run), ...failing];
  const summary = typeof output["summary"] === "string" && output["status"] !== "OK" ? [output["summary"]] : [];
  return (all.length > 0 ? all : summary).slice(0, mostFindings);
}

/** Commands that failed when checks ran last, without what they printed. */
export function failingCommands({ raw }: MachineRun): string[] {
  const checks = objectIn(raw, "checks");
  return checks["ok"] === false ? listed(checks["failed"], ["command"]).sort() : [];
}

function failedTests({ failed, output }: JsonObject): string[] {
  if (typeof failed !== "number" || failed <= 0) return [];
  const said = typeof output === "string" ? output.trim().slice(-mostOutput) : "";
  return [`${failed} ${failed === 1 ? "test fails" : "tests fail"}${said === "" ? "" : `: ${said}`}`];
}

function objectIn(held: JsonObject, key: string): JsonObject {
  const value = held[key];
  return isObject(value) ? value : {};
}

function listed(value: Json | undefined, keys: readonly string[]): string[] {
  if (!isList(value)) return [];
  return value.map((entry) =>
    isObject(entry)
      ? keys
          .map((key) => entry[key])
          .filter((each) => each !== null && each !== undefined && each !== "")
          .map(textOf)
          .join(": ")
      : textOf(entry),
  );
}
