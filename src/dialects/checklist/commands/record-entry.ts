import { defined, isList, isObject, type Json } from "../../../base/index.ts";
import { completeChecklist, isInChecklist, reportCheck, type CheckReport } from "../run/index.ts";
import { next, type Position } from "../../../engine/index.ts";
import { badValue, loadCommandKit, usage, type Desk, type Found, type Outcome, type Stepped, type StepReport } from "../../../cli/index.ts";

const { beforeText, deniedText, nameOf } = await loadCommandKit();

/**
 * Records what became of an entry of a checklist. `found` is undefined when nothing is open that the report could be about. Answers
 * undefined for a step of another dialect that the checklist calls.
 */
export async function recordEntry({ context, caller }: Desk, report: StepReport, found: Found | undefined): Promise<Stepped | undefined> {
  const { run, wait } = report;
  if (found !== undefined && "action" in found && !isInChecklist(await context.runs.open(run), found.action.strand)) return undefined;
  refuseForeign(report);
  const after = (): Promise<Position> => next(context, caller, { run, ...wait });
  if (found !== undefined && "before" in found)
    return { recorded: "before", reported: nameOf(found.before), said: [beforeText(found.before)], position: await after() };
  const open = found !== undefined && "action" in found ? found.action : undefined;
  const request = checkReport(report, open?.id);
  if (open?.what === "complete_workflow" && request.status === "completed") {
    await completeChecklist(context, caller, run);
    const reported = nameOf({ step: open.step, action: open.id });
    return { recorded: "now", reported, said: ["Completed the run."], position: await after() };
  }
  const reported = await reportCheck(context, caller, request);
  // The engine looks at the file before anything is said: a report is checked, not believed.
  const position = await after();
  const denied = await reported.denied?.(position.standing);
  const now = denied === undefined ? `Recorded \`${nameOf(reported)}\` as ${request.status}.` : deniedText(reported, denied);
  const dropped = reported.dropped.map(({ topic, why }) => `Topic ${topic} was left out: ${why}`);
  const leftOut = (reported.leftOut ?? []).map(({ part, why }) => `${part} was not taken as given: ${why}`);
  const said = [reported.recorded === "now" ? now : beforeText(reported), ...alikeText(reported.alike ?? []), ...dropped, ...leftOut];
  return { recorded: reported.recorded, reported: nameOf(reported), said, position };
}

const placesShown = 5;

function alikeText(places: readonly string[]): readonly string[] {
  const more = places.length > placesShown ? ", ..." : "";
  return places.length === 0
    ? []
    : [`Skipped as well, of the same text: ${places.length} (${places.slice(0, placesShown).join(", ")}${more}).`];
}

/** What means nothing for an entry of a checklist is not silently passed over. */
function refuseForeign({ task, step, usage: used, outcome }: StepReport): void {
  const blockedUntil = outcome.as === "failed" ? outcome.blockedUntil : undefined;
  const given = { task, step, tokens: used?.tokens, money: used?.money, "blocked-until": blockedUntil };
  const [foreign] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (foreign !== undefined) throw usage(`\`--${foreign}\` means nothing for an entry of a checklist.`, "Leave it out.");
}

const statuses = { done: "completed", failed: "failed", skipped: "skipped" } as const;

function checkReport({ run, action, outcome }: StepReport, open: string | undefined): CheckReport {
  return { run, status: statuses[outcome.as], ...defined({ actionId: open ?? action }), ...saidOf(outcome) };
}

function saidOf(outcome: Outcome): Partial<CheckReport> {
  switch (outcome.as) {
    case "done":
      return outcome.result === undefined ? {} : saidIn(outcome.result);
    case "failed":
      return defined({ error: outcome.error });
    case "skipped":
      return { skipReason: outcome.reason, ...(outcome.identical ? { identical: true } : {}) };
  }
}

const lists = ["findings", "proposed_changes", "topics"] as const;

/** A text says what came of it; an object has lists. */
function saidIn(result: Json): Partial<CheckReport> {
  return typeof result === "string" ? { result } : resultLists(result);
}

function resultLists(result: Json): Pick<CheckReport, "findings" | "changes" | "topics"> {
  const fix = 'Write for example `{"findings": [{"severity": "warning", "description": "..."}]}`.';
  if (!isObject(result)) throw badValue("The result of a checklist entry is a text or an object.", fix);
  const unknown = Object.keys(result).find((key) => !lists.some((known) => known === key));
  if (unknown !== undefined) throw badValue(`\`${unknown}\` is not a part of a result; its parts are ${lists.join(", ")}.`, fix);
  const listOf = (name: (typeof lists)[number]): readonly never[] | undefined => {
    const value = result[name];
    if (value !== undefined && !(isList(value) && value.every(isObject))) throw badValue(`\`${name}\` must be a list of objects.`, fix);
    return value as unknown as readonly never[] | undefined;
  };
  const [findings, changes, topics] = lists.map(listOf);
  return defined({ findings, changes, topics });
}
