import { isObject, type Json, type JsonObject } from "../../base/index.ts";
import { batches, checklistOf } from "../../dialects/checklist/run/index.ts";
import type { Position } from "../../engine/index.ts";
import { type CallSpec, type Following, counted, grouped } from "../../views/index.ts";
import type { ToolCall } from "../tool.ts";
import { checkShown, type OpenStanding } from "./check-shown.ts";
import { decisionAction } from "./decision-action.ts";
import { sessionArguments, type Driver, type Shown } from "./driver.ts";
import type { Facts } from "./facts.ts";

export async function standingAction(driver: Driver, position: Position, facts: Facts): Promise<Shown> {
  const { standing, run } = position;
  const again: CallSpec = { tool: "workflow_next", arguments: sessionArguments(driver, run) };
  switch (standing.kind) {
    case "action":
      return openAction(driver, run, standing, facts);
    case "question":
      return decisionAction(driver, position, facts, standing.decision);
    case "working":
      return waiting(await atWork(driver.call, position, facts), { next_call: again });
    case "joining":
      return waiting(inOtherHands(facts, standing.tasks[0]?.strand), { later: { when: "when they are done", ...again } });
    default:
      return waiting(`The run is ${facts.status}.`, { next_call: { tool: "workflow_status", arguments: { run_id: run } } });
  }
}

function waiting(instruction: string, following: Following): Shown {
  return { action: { action: "wait", actionId: "", instruction, ...following }, checklist: [] };
}

/** What the engine is doing, in numbers where there are any. */
async function atWork({ engine }: ToolCall, { run, state, program, standing }: Position, facts: Facts): Promise<string> {
  const open = facts.batches.length === 0 ? undefined : (await batches(engine, run)).findLast(({ record }) => !record.done);
  if (open !== undefined)
    return `Batch ${open.id} is being applied: ${grouped(open.record.modified)} of ${grouped(open.record.previewed)} done.`;
  const scanned = scannedFiles({ program, state });
  if (!scanned.done)
    return scanned.total === 0
      ? "The engine is listing the files."
      : `The engine is still scanning: ${grouped(scanned.files)} of ${counted(scanned.total, "file")}, ${counted(scanned.instances, "instance")} so far.`;
  return `The engine is at work on \`${standing.kind === "working" ? standing.on : facts.phase}\`.`;
}

/** How far the scan is; totals are 0 until the files are listed. */
export function scannedFiles(of: Pick<Position, "program" | "state">): {
  readonly done: boolean;
  readonly files: number;
  readonly total: number;
  readonly instances: number;
} {
  const raw = checklistOf(of)?.raw ?? {};
  const scan = isObject(raw["scan"]) ? raw["scan"] : {};
  const inventory = isObject(raw["inventory"]) ? raw["inventory"] : {};
  return {
    done: scan["done"] === true,
    files: numberOf(scan["cursor"]),
    total: numberOf(inventory["total"]),
    instances: numberOf(scan["instances"]),
  };
}

export function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

/**
 * Who works on what is left, and the way to continue when one of them never comes back although its process lives. Short, with that way
 * first: a long name of a file must not push it out of the reply.
 */
function inOtherHands({ inHand }: Facts, strand: string | undefined): string {
  const [first] = inHand;
  const over = strand === undefined ? "" : ` If the user says it was given up: workflow_resume with task_id ${strand}.`;
  if (first === undefined) return `All that is open is in other hands.${over}`;
  const more = inHand.length > 1 ? ` and ${inHand.length - 1} more` : "";
  const holder = first.holder === undefined ? "" : ` (${first.holder})`;
  return `All that is open is in other hands.${over} Open: ${first.file}${holder}${more}.`;
}

function openAction(driver: Driver, run: string, standing: OpenStanding, facts: Facts): Shown {
  const session = sessionArguments(driver, run);
  const shown = checkShown(driver, run, standing);
  switch (standing.action.what) {
    case "batch_apply": {
      const dryRun = { operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true };
      return insteadOfReport(shown, { tool: "workflow_batch", arguments: { ...session, ...dryRun } });
    }
    case "complete_workflow": {
      const ended = insteadOfReport(shown, { tool: "workflow_complete", arguments: { run_id: run } }, { generate_report: true });
      return facts.files.blocked === 0 ? ended : whenAccepted(ended, facts.files.blocked);
    }
    default:
      return shown;
  }
}

/** An action that another tool than the report closes. `more`: arguments that the seed's own call has. */
function insteadOfReport({ action, ...rest }: Shown, next: CallSpec, more: JsonObject = {}): Shown {
  const { fill_in: _fill, ...plain } = action;
  const tool = inSeedWords({ ...next, arguments: { ...next.arguments, ...more } });
  return { ...rest, action: { ...plain, tool_call: tool, next_call: next } };
}

/** A run that ended cannot be retried, so one with files that failed ends when somebody has said so. */
function whenAccepted({ action: { next_call: end, tool_call: _tool, ...action }, ...rest }: Shown, failed: number): Shown {
  if (end === undefined) return { action, ...rest };
  const when = `when the user agrees that ${counted(failed, "file stays", "files stay")} undone; workflow_retry opens them again instead`;
  return { ...rest, action: { ...action, later: { when, ...end } } };
}

/** `tool_call` is the seed's: it calls the run a session. */
function inSeedWords({ tool, arguments: { run_id: session, ...more } }: CallSpec): CallSpec {
  return { tool, arguments: { session_id: session ?? "", ...more } };
}
