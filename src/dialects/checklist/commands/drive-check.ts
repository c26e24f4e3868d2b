import { isInChecklist, previewBatch, runBatch, waitForBatch } from "../run/index.ts";
import type { Position } from "../../../engine/index.ts";
import { loadCommandKit, type Desk, type Outcome } from "../../../cli/index.ts";
import { showPreview, showRecord } from "./batch.ts";
import { showCheck } from "./show-check.ts";

const { reportStep, waiting } = await loadCommandKit();

/** One action of a checklist with a person at the terminal; undefined when the position is none. Answers where the run is then. */
export async function driveCheck(desk: Desk, position: Position): Promise<Position | undefined> {
  const { session } = desk;
  const { standing, run } = position;
  if (standing.kind !== "action" || !isInChecklist(position, standing.action.strand)) return undefined;
  await showCheck(desk, position, { hints: false });
  const report = async (outcome: Outcome): Promise<Position> =>
    (await reportStep(desk, { run, action: standing.action.id, outcome, wait: waiting(session) })).position;
  if (standing.action.what === "batch_apply") return report(await fixInBatch(desk, run));
  if (standing.action.what === "complete_workflow") {
    await session.prompter.ask("Press Enter to end the run, Ctrl-C to leave it open. ");
    return report({ as: "done" });
  }
  session.out.line("Do this, then press Enter; `skip <why>` leaves it as it is, `!why` says that it failed.");
  let typed = "skip";
  while (/^skip$/i.test(typed)) typed = (await session.prompter.ask("> ")).trim();
  return report(outcomeOf(typed));
}

function outcomeOf(typed: string): Outcome {
  const [, why] = /^skip\b\s*(.*)$/i.exec(typed) ?? [];
  if (why !== undefined) return { as: "skipped", reason: why, identical: false };
  return typed.startsWith("!") ? { as: "failed", error: typed.slice(1).trim() || "failed" } : { as: "done" };
}

/** The dry run is shown; only a clear yes applies it. Answers what is to be reported. */
async function fixInBatch(desk: Desk, run: string): Promise<Outcome> {
  const { session, context, caller } = desk;
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: { auto_fixable_only: true } });
  await showPreview(desk, run, preview, { diff: false, hint: false });
  const { token } = preview;
  if (token !== undefined && (await session.prompter.confirm("Apply these fixes?"))) {
    const { batch } = await runBatch(context, caller, { run, token });
    const { waitMs } = waiting(session);
    showRecord(session, run, batch, await waitForBatch(context, { run, batch, waitMs }));
    return { as: "done" };
  }
  return { as: "skipped", reason: "left for review", identical: false };
}
