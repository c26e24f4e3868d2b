import { isList, isObject, own, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { RepairCounts } from "../definition/index.ts";
import { keyOf, objectIn, taskOf, textIn, type MachineRun } from "./machine-run.ts";
import { performed, type PerformMachine } from "./sync-session.ts";
import { changesSince, hashOfChanges } from "./workspace-changes.ts";

const none: Readonly<Record<string, number>> = { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 };

/**
 * Begins a round of a repair loop: counted by task and loop. After a round whose role changed no file and after which the same commands
 * fail, nothing is tried another time: reviewers find other words and commands print other times without anything being different.
 * Neither is it when the budget is spent.
 */
export const countRepair: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const loop = textIn(effect.args, "loop");
  const tries = Number(effect.args["tries"] ?? 3);
  const key = keyOf(taskOf(effect.args["task"]));
  const counts: Readonly<Record<string, number>> = run.memory.retry_counts[key] ?? none;
  const before = own(counts, loop) ?? 0;
  const findings = openFindings(run);
  const round = `${key}/${loop}`;
  const now = hashOfChanges(context, await changesSince(context, run.memory.base, run.definition.folder));
  const { [round]: left = now, ...mended } = run.memory.mended;
  const failing = context.host.sha256(JSON.stringify(failingCommands(run)));
  const same = before > 0 && run.memory.rounds[round] === `${left} ${failing}`;
  const spent = before >= tries;
  const go = !same && !spent;
  const evidence = [
    ...(spent ? [`${before} of ${tries} rounds were tried.`] : []),
    ...(same && !spent ? [`Round ${before} of ${tries} changed nothing: no file differs from what it was before.`] : []),
    ...findings.slice(0, 5).map((finding) => `Still open: ${finding}`),
  ];
  const retry_counts = { ...run.memory.retry_counts, [key]: { ...counts, [loop]: go ? before + 1 : before } as unknown as RepairCounts };
  const repair: JsonObject = { go, accepted: false, loop, stuck: same, spent, round: go ? before + 1 : before, findings, evidence };
  return performed(job, repair, {
    names: { repair },
    memory: { retry_counts, rounds: { ...run.memory.rounds, [round]: `${now} ${failing}` }, mended },
  });
};

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

/** What must be fixed: what the last report found, failing checks, or at least the report's own words. */
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
