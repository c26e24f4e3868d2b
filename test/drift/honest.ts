import { answer } from "../../src/engine/index.ts";
import type { DriftWorld } from "./drift-world.ts";
import type { Open, Report, Surface } from "./surface.ts";

/** Topics that the bundled knowledge has. */
const topics = ["general/async-errors", "general/input-validation"];

/** Does what is open and says so. */
export async function actHonestly(world: DriftWorld, agent: Surface, open: Open): Promise<void> {
  const { run } = world;
  switch (open.kind) {
    case "check":
      await world.tolerated(
        "an honest report",
        agent.report(run, honestReport(world, open)).then(() => (world.reports += 1)),
      );
      return;
    case "question":
      if (open.question.person) await personAnswers(world, open);
      else await agent.answer(run, open.id, world.workflow.approach);
      return;
    case "batch":
      await honestBatch(world, agent);
      await world.tolerated("an honest report", agent.report(run, { action: "batch_apply", actionId: open.id, status: "completed" }));
      return;
    case "complete":
      await world.tolerated("completion", agent.complete(run));
      return;
    default:
      return;
  }
}

export function honestReport(world: DriftWorld, open: Open): Report {
  const { random, workflow } = world;
  const named = random.chance(0.5) ? { actionId: open.id } : { file: open.file, item: open.item };
  if (open.instance) {
    if (world.convert(open)) return { ...named, status: "completed" };
    return workflow.skips
      ? { ...named, status: "skipped", skipReason: "it cannot be converted" }
      : { ...named, status: "failed", error: "it is not where it should be" };
  }
  if (random.chance(0.03)) return { ...named, status: "failed", error: "it does not parse" };
  const findings = random.times(2, (at) => ({ severity: "warning" as const, description: `finding ${at}`, line: 1 }));
  return {
    ...named,
    status: "completed",
    result: "read",
    findings,
    ...(random.chance(0.1) ? { topics: [{ topic: random.pick(topics), relevance: 0.9 }] } : {}),
  };
}

/** A dry run, its confirmation, and the sum that must always hold. */
export async function honestBatch(world: DriftWorld, agent: Surface): Promise<string | undefined> {
  const token = await agent.preview(world.run, "apply_fixes", { auto_fixable_only: true });
  if (token === undefined) return undefined;
  // A file may have been disturbed between the dry run and its confirmation; the token is dead then.
  await world.tolerated(
    "a batch",
    agent.confirm(world.run, token).then(({ previewed, modified, failed, leftOut, done }) => {
      if (!done || modified + failed + leftOut !== previewed)
        world.complain(`a batch of ${previewed} ended with ${modified} modified, ${failed} failed, ${leftOut} left out, done ${done}`);
    }),
  );
  return token;
}

async function personAnswers({ observer, run }: DriftWorld, open: Open): Promise<void> {
  const person = { ...observer.caller, holder: { kind: "person" as const, name: "ada", session: "ada" }, surface: "cli-terminal" };
  await answer(observer.context, person, { run, decision: open.id, answer: "go_on", relayed: false });
}
