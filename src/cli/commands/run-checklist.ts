import {
  checklistOf,
  completeChecklist,
  next,
  previewBatch,
  reportCheck,
  runBatch,
  waitForBatch,
  type Caller,
  type EngineContext,
  type Position,
} from "../../engine/index.ts";
import { showCheck } from "../checklist/show-check.ts";
import { waiting } from "../drive.ts";
import type { Session } from "../session.ts";
import { showPreview, showRecord } from "./batch.ts";

interface Driver {
  readonly session: Session;
  readonly context: EngineContext;
  readonly caller: Caller;
}

/** One action of a checklist with a person at the terminal; undefined when the position is none. Answers where the run stands then. */
export async function driveCheck(driver: Driver, position: Position): Promise<Position | undefined> {
  const { session, context, caller } = driver;
  const { standing, run } = position;
  if (standing.kind !== "action" || checklistOf(position) === undefined) return undefined;
  await showCheck(session, context, position, { hints: false });
  if (standing.action.what === "batch_apply") await fixInBatch(driver, run);
  else if (standing.action.what === "complete_workflow") {
    await session.prompter.ask("Press Enter to end the run, Ctrl-C to leave it open. ");
    await completeChecklist(context, caller, run);
  } else {
    session.out.line("Do this, then press Enter; `skip <why>` leaves it as it is, `!why` says that it failed.");
    let typed = "skip";
    while (/^skip$/i.test(typed)) typed = (await session.prompter.ask("> ")).trim();
    await reportCheck(context, caller, { run, actionId: standing.action.id, ...saidOf(typed) });
  }
  return next(context, caller, { run, ...waiting(session, {}) });
}

function saidOf(typed: string): { status: "completed" } | { status: "skipped"; skipReason: string } | { status: "failed"; error: string } {
  const [, why] = /^skip\b\s*(.*)$/i.exec(typed) ?? [];
  if (why !== undefined) return { status: "skipped", skipReason: why };
  return typed.startsWith("!") ? { status: "failed", error: typed.slice(1).trim() || "failed" } : { status: "completed" };
}

/** The dry run is shown; only a clear yes applies it. */
async function fixInBatch({ session, context, caller }: Driver, run: string): Promise<void> {
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: { auto_fixable_only: true } });
  await showPreview({ session, context, run }, preview, { diff: false, hint: false });
  const { token } = preview;
  if (token !== undefined && (await session.prompter.confirm("Apply these fixes?"))) {
    const { batch } = await runBatch(context, caller, { run, token });
    const { waitMs = 0 } = waiting(session, {});
    showRecord(session, run, batch, await waitForBatch(context, { run, batch, waitMs }));
    await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  } else await reportCheck(context, caller, { run, action: "skip_batch", status: "skipped", skipReason: "left for review" });
}
