import { isList, isObject, textOf, type Json, type JsonObject } from "../../base/index.ts";
import { batches, checklistOf, type Position } from "../../engine/index.ts";
import type { CallSpec, Following } from "../../views/index.ts";
import type { ToolCall } from "../tool.ts";
import { checkShown, type OpenAction } from "./check-shown.ts";
import { decisionAction } from "./decision-action.ts";
import { sessionArguments, statusWanted, type Driver, type Shown } from "./driver.ts";
import { factsAt, type Facts } from "./facts.ts";
import { counted, grouped } from "./plain-number.ts";

export async function standingAction(driver: Driver, position: Position, facts: Facts): Promise<Shown> {
  const { standing, run } = position;
  const again: CallSpec = { tool: "workflow_next", arguments: sessionArguments(driver, run) };
  switch (standing.kind) {
    case "action":
      return openAction(driver, position, facts, standing.action);
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

/** Who works on what is left, and the way to go on when one of them never comes back although its process lives. */
function inOtherHands({ inHand }: Facts, strand: string | undefined): string {
  const shown = inHand.slice(0, 3).map(({ file, holder }) => (holder === undefined ? file : `${file} (${holder})`));
  const more = inHand.length > shown.length ? ` and ${inHand.length - shown.length} more` : "";
  const over = strand === undefined ? "" : ` If the user says that it was given up, take it over: workflow_resume with task_id ${strand}.`;
  return `All that is open is in other hands: ${shown.join(", ")}${more}. Nothing is left for you now.${over}`;
}

async function openAction(driver: Driver, position: Position, facts: Facts, action: OpenAction): Promise<Shown> {
  const { run } = position;
  const session = sessionArguments(driver, run);
  switch (action.what) {
    case "check":
      return (await checkShown(driver, position, facts, action)) ?? phaseOf(action, session);
    case "batch_apply": {
      const dryRun = { operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true };
      const next = { tool: "workflow_batch", arguments: { ...session, ...dryRun } };
      const left = factsAt(facts, position, action.strand).instances?.open.auto ?? 0;
      const instruction = `${left === 0 ? "What remains" : counted(left, "instance")} can be fixed by the engine. Make the dry run, show it to the user, confirm with its token. To leave them for review instead, report action skip_batch, status skipped, with skip_reason.`;
      return {
        action: { action: "batch_apply", actionId: action.id, instruction, tool_call: inSeedWords(next), next_call: next },
        checklist: [],
      };
    }
    case "complete_workflow": {
      const next = { tool: "workflow_complete", arguments: { run_id: run } };
      const failed = facts.files.blocked;
      const nothing =
        facts.files.total === 0
          ? "No file matches, so there is nothing to do."
          : failed === 0
            ? "All files have been processed."
            : `All files have been processed, ${grouped(failed)} of them without success: workflow_retry opens them again.`;
      const instruction = `${nothing} Call workflow_complete to end the run and get the report.`;
      const tool = inSeedWords({ ...next, arguments: { ...next.arguments, generate_report: true } });
      return { action: { action: "complete_workflow", actionId: action.id, instruction, tool_call: tool, next_call: next }, checklist: [] };
    }
    default:
      return phaseOf(action, session);
  }
}

/** `tool_call` is the seed's: it calls the run a session. */
function inSeedWords({ tool, arguments: { run_id: session, ...more } }: CallSpec): CallSpec {
  return { tool, arguments: { session_id: session ?? "", ...more } };
}

/** A phase that the agent runs by itself. */
function phaseOf(action: OpenAction, session: JsonObject): Shown {
  const { args } = action;
  const said = (name: string): string => textOf(args[name] ?? "");
  const lines = isList(args["checklist"]) ? args["checklist"].map((line) => `- ${textOf(line)}`) : [];
  return {
    action: {
      action: action.what,
      actionId: action.id,
      instruction: [`${said("name")}: ${said("description")}`, ...lines].join("\n"),
      next_call: { tool: "workflow_progress", arguments: { ...session, action_id: action.id } },
      fill_in: { status: statusWanted },
    },
    checklist: [],
  };
}
