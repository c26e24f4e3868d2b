import type { JsonObject } from "../../../base/index.ts";
import { repairLoops, type RepairCounts } from "../definition/index.ts";
import { syncing, type PerformMachine } from "./machine-job.ts";
import { keyOf, taskOf, textIn } from "./machine-run.ts";
import { failingCommands, openFindings } from "./role-findings.ts";
import { performed } from "./sync-session.ts";
import { changesSince, hashOfChanges } from "./workspace-changes.ts";

const none: RepairCounts = { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 };

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
  const counts = run.memory.retry_counts[key] ?? none;
  const before = countOf(counts, loop);
  const findings = openFindings(run);
  const round = `${key}/${loop}`;
  const now = hashOfChanges(context, await changesSince(context, run.memory.base, run.definition.folder));
  const { [round]: mended = now, ...otherwise } = run.memory.mended;
  const failing = context.host.sha256(JSON.stringify(failingCommands(run)));
  const same = before > 0 && run.memory.rounds[round] === `${mended} ${failing}`;
  const spent = before >= tries;
  const go = !same && !spent;
  const evidence = [
    ...(spent ? [`${before} of ${tries} rounds were tried.`] : []),
    ...(same && !spent ? [`Round ${before} of ${tries} changed nothing: no file differs from what it was before.`] : []),
    ...findings.slice(0, 5).map((finding) => `Still open: ${finding}`),
  ];
  const retry_counts = { ...run.memory.retry_counts, [key]: { ...counts, [loop]: go ? before + 1 : before } };
  const repair: JsonObject = { go, accepted: false, loop, stuck: same, spent, round: go ? before + 1 : before, findings, evidence };
  return performed(syncing(job), repair, {
    names: { repair },
    memory: { retry_counts, rounds: { ...run.memory.rounds, [round]: `${now} ${failing}` }, mended: otherwise },
  });
};

function countOf(counts: RepairCounts, loop: string): number {
  const known = (repairLoops as readonly string[]).includes(loop) || Object.hasOwn(counts, loop);
  return known ? ((counts as Readonly<Record<string, number>>)[loop] ?? 0) : 0;
}
