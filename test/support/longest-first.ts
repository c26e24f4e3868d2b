import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long, the longest first. A long one that begins last keeps one worker busy while the others have nothing to do. */
const long: readonly string[] = [
  // Makes what the other tests of that seed look at, which begin when it is there.
  "test/scenario/seed-004-decisions.test.ts",
  "src/dialects/machine/run/ending.scenario.test.ts",
  "src/dialects/machine/run/watch.scenario.test.ts",
  "test/scenario/conversation/three-protocols.test.ts",
  "src/dialects/machine/run/delivery.scenario.test.ts",
  "src/dialects/checklist/run/random-agents.scenario.test.ts",
  "test/scenario/parallel-tasks.test.ts",
  "test/scenario/graph-worktrees.test.ts",
  "test/scenario/conversation/obedient-clients.test.ts",
  "test/process/runner-misbehaviour.test.ts",
  "test/process/runner-chain.test.ts",
  "test/process/chat-doors.test.ts",
  "test/process/parallel-tasks.test.ts",
  "test/process/machine-gate-attacks.test.ts",
  "test/process/cli-checklist.test.ts",
  "test/process/runner-delivery.test.ts",
  "test/process/workspace-choice.test.ts",
  "test/process/crash-orphans.test.ts",
  "test/process/tasks-everywhere.test.ts",
  "test/process/soak-reduced.test.ts",
  "test/process/examples-run.test.ts",
  "test/process/crash-matrix.test.ts",
  "test/process/bot-windows.test.ts",
  "test/process/machine-crash.test.ts",
  "src/workspace/edits.process.test.ts",
  "src/host/run-command.process.test.ts",
  "test/process/review-by-workers.test.ts",
];

const root = join(import.meta.dirname, "../..");

/** The usual order, which knows durations only where the tests have run before, with the long files in front. Refuses a name of no file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = long.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) throw new Error(`test/support/longest-first.ts names ${missing.join(", ")}, which does not exist.`);
    const rank = new Map(long.map((path, index) => [join(root, path), index]));
    const place = ({ moduleId }: TestSpecification): number => rank.get(join(moduleId)) ?? long.length;
    const usual = await super.sort(files);
    const projects = [...new Set(usual.map(({ project }) => project))];
    return projects.flatMap((own) => usual.filter(({ project }) => project === own).sort((a, b) => place(a) - place(b)));
  }
}
