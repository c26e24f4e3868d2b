import { next, type Position } from "../../../engine/index.ts";
import { checklistOf, decodeChecklist, gatherFacts, reopenFailed, rulesOf, sumOf } from "../run/index.ts";
import { failedText } from "../views/index.ts";
import { usage, type CommandShare, type Desk, type RetryWish } from "../../../cli/index.ts";
import { driveCheck } from "./drive-check.ts";
import { listItems } from "./items.ts";
import { startInputs } from "./start-inputs.ts";
import { recordEntry } from "./record-entry.ts";
import { showCheck } from "./show-check.ts";
import { checklistStatus } from "./show-status.ts";
import { workflowRules } from "./workflow-rules.ts";

export const checklistShare: CommandShare = {
  show: showCheck,
  startInputs,
  drive: driveCheck,
  report: recordEntry,
  retry,
  status: checklistStatus,
  items: listItems,
  undone: async (context, run) => ({ text: failedText(await gatherFacts(context, run)), lines: [] }),
  outcome: "report",
  scanned: (run) => {
    const { cursor, total, done } = sumOf(checklistOf(run)?.raw["scan"]);
    return done || total === 0 ? undefined : { done: cursor, total };
  },
  rules: (program) => {
    const own = Object.values(program.parts).flatMap(({ dialect, config }) => (dialect === "checklist" ? [decodeChecklist(config)] : []));
    const all = own.flatMap((run) => workflowRules(rulesOf({ ...run, options: {}, raw: {} }).patterns));
    return [...new Map(all.map((rule) => [rule.id, rule])).values()];
  },
};

async function retry({ session, context, caller }: Desk, { resetCounts, ...request }: RetryWish): Promise<Position> {
  if (resetCounts) throw usage("A checklist counts no tries.", "Leave `--reset-counts` out.");
  const opened = await reopenFailed(context, caller, request.run);
  session.out.line(`Opened ${opened} files and items again.`);
  return next(context, caller, request);
}
