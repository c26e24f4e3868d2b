import { counted, defined, grouped, isObject, type Json, type JsonObject } from "../../../base/index.ts";
import { applyAutoFirst, checklistOf, isApproach, sumOf, type ScanSum } from "../run/index.ts";
import type { CheckDescription, ChecklistFacts } from "../definition/index.ts";
import type { Position } from "../../../engine/index.ts";
import type { CheckAction, ActionOption } from "../views/index.ts";
import type { ToolCall } from "../../../mcp/index.ts";
import { stepFor, type CallSpec, type Following, callText, decideCommand } from "../../../views/index.ts";

/** What an agent has to do, and the checklist of the file it works on. */
export interface ActionShown {
  readonly action: CheckAction;
  readonly checklist: CheckDescription["checklist"];
  /** More for the data part of the action. */
  readonly extra?: JsonObject;
}

/** What every call of the agent names. */
export function sessionArguments({ worker }: ToolCall, run: string): JsonObject {
  return { run_id: run, ...(worker === undefined ? {} : { worker }) };
}

/** The counts of the workflow that the strand is in: the run's own, or one that it calls. */
export function factsAt(facts: ChecklistFacts, { program, state }: Pick<Position, "program" | "state">, strand: string): ChecklistFacts {
  const run = checklistOf({ program, state }, state.strands[strand]?.scope);
  const called = run === undefined || run.main ? undefined : facts.called?.find(({ type }) => type === run.definition.type);
  if (called === undefined) return facts;
  const { instances: _own, ...rest } = facts;
  const { files, entries, instances } = called;
  return { ...rest, files, entries, ...(instances === undefined ? {} : { instances }) };
}

type OpenStanding = Extract<Position["standing"], { readonly kind: "action" }>;

export async function standingAction(call: ToolCall, position: Position, facts: ChecklistFacts): Promise<ActionShown> {
  const { standing, run } = position;
  const again: CallSpec = { tool: "workflow_next", arguments: sessionArguments(call, run) };
  switch (standing.kind) {
    case "action":
      return openAction(call, position, standing, facts);
    case "question":
      return decisionAction(call, position, facts, standing.decision);
    case "working":
      return waiting(atWork(position, facts), { next_call: again });
    case "joining":
      return waiting(heldByOthers(facts, run, standing.tasks[0]?.strand), { later: { when: "when they are done", ...again } });
    default:
      return waiting(`The run is ${facts.status}.`, { next_call: { tool: "workflow_status", arguments: { run_id: run } } });
  }
}

function waiting(instruction: string, following: Following): ActionShown {
  return { action: { action: "wait", actionId: "", instruction, ...following }, checklist: [] };
}

/** What the engine is doing, in numbers where there are any. */
function atWork({ state, program, standing }: Position, facts: ChecklistFacts): string {
  const open = facts.batches.find(({ underWay }) => underWay !== undefined);
  if (open !== undefined)
    return `Batch ${open.id} ${open.underWay}: ${grouped(open.modified)} of ${grouped(open.previewed)} recorded so far. workflow_next waits for it.`;
  const scanned = scannedFiles({ program, state });
  if (!scanned.done)
    return scanned.total === 0
      ? "The engine is listing the files."
      : `The engine is still scanning: ${grouped(scanned.cursor)} of ${counted(scanned.total, "file")}, ${counted(scanned.instances, "instance")} so far.`;
  return `The engine is at work on \`${standing.kind === "working" ? standing.on : facts.phase}\`.`;
}

/** How far the scan is; totals are 0 until the files are listed. */
export function scannedFiles(of: Pick<Position, "program" | "state">): Pick<ScanSum, "done" | "cursor" | "total" | "instances"> {
  const { scan, inventory } = checklistOf(of)?.raw ?? {};
  return { ...sumOf(scan), total: numberOf(isObject(inventory) ? inventory["total"] : undefined) };
}

export function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

/**
 * Who works on what is left, and the way to continue when one of them never comes back although its process lives. Short, with that way
 * first: a long name of a file must not push it out of the reply.
 */
function heldByOthers({ inHand }: ChecklistFacts, run: string, strand: string | undefined): string {
  const [first] = inHand;
  const over = strand === undefined ? "" : ` If the user says it was given up, they run: waymark resume ${run} --task ${strand}`;
  if (first === undefined) return `Other agents hold all open items.${over}`;
  const more = inHand.length > 1 ? ` and ${inHand.length - 1} more` : "";
  const holder = first.holder === undefined ? "" : ` (${first.holder})`;
  return `Other agents hold all open items.${over} Open: ${first.file}${holder}${more}.`;
}

function openAction(call: ToolCall, position: Position, standing: OpenStanding, facts: ChecklistFacts): ActionShown {
  const { run } = position;
  const shown = entryShown(call, run, standing);
  switch (standing.action.what) {
    case "batch_apply": {
      if ((factsAt(facts, position, standing.action.strand).instances?.open.auto ?? 0) === 0) {
        const done = { ...sessionArguments(call, run), action_id: standing.action.id, status: "completed" };
        return insteadOfReport(shown, { tool: "workflow_progress", arguments: done });
      }
      const dryRun = { operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true };
      return insteadOfReport(shown, { tool: "workflow_batch", arguments: { ...sessionArguments(call, run), ...dryRun } });
    }
    case "complete_workflow": {
      const ended = insteadOfReport(shown, { tool: "workflow_complete", arguments: { run_id: run } }, { generate_report: true });
      return facts.files.blocked === 0 ? ended : whenAccepted(ended, facts.files.blocked);
    }
    default:
      return shown;
  }
}

/** The entry, topic or instance that the caller works on, in the fields that clients of checklists know. */
function entryShown(call: ToolCall, run: string, { action, shown }: OpenStanding): ActionShown {
  const { facts, fillIn } = shown;
  const { instructions, definition } = stepFor(shown, (tool) => call.offers(tool));
  const {
    action: word,
    checklist_item_id: item,
    specialist,
    timeout,
    workflow_guidance,
    available_actions,
    tool_call: tool,
    ...fields
  } = definition;
  const extra: JsonObject = defined({ available_actions, workflow_guidance, specialist, timeout });
  const notes = (action.notes ?? []).map((note) => `Note from a person: ${note}`);
  return {
    action: {
      ...(fields as Partial<CheckAction>),
      action: typeof word === "string" ? word : action.what,
      actionId: action.id,
      ...(typeof item === "string" ? { item } : {}),
      instruction: [...notes, instructions].join(" "),
      ...(isObject(tool) ? { tool_call: tool as unknown as CallSpec } : {}),
      next_call: { tool: "workflow_progress", arguments: { ...sessionArguments(call, run), action_id: action.id } },
      ...(fillIn === undefined ? {} : { fill_in: fillIn }),
    },
    checklist: (facts as CheckDescription | undefined)?.checklist ?? [],
    extra,
  };
}

/** An action that another tool than the report closes. `more`: arguments that the seed's own call has. */
function insteadOfReport({ action, ...rest }: ActionShown, next: CallSpec, more: JsonObject = {}): ActionShown {
  const { fill_in: _fill, ...plain } = action;
  const { run_id: session = "", ...args } = { ...next.arguments, ...more };
  // `tool_call` is the seed's: it calls the run a session.
  return { ...rest, action: { ...plain, tool_call: { tool: next.tool, arguments: { session_id: session, ...args } }, next_call: next } };
}

/** A run that ended cannot be retried, so one with files that failed ends when the user has agreed. */
function whenAccepted({ action: { next_call: end, tool_call: _tool, ...action }, ...rest }: ActionShown, failed: number): ActionShown {
  if (end === undefined) return { action, ...rest };
  const when = `when the user agrees that ${counted(failed, "file stays", "files stay")} undone; workflow_retry opens them again instead`;
  return { ...rest, action: { ...action, later: { when, ...end } } };
}

type Decision = Extract<Position["standing"], { readonly kind: "question" }>["decision"];

/** A question as `user_decision`: what may be chosen, and what is recommended. A person's own question names the command for them. */
export function decisionAction(call: ToolCall, position: Position, whole: ChecklistFacts, decision: Decision): ActionShown {
  const { run, state } = position;
  const facts = factsAt(whole, position, decision.strand);
  const asking = checklistOf(position, state.strands[decision.strand]?.scope);
  const approach = isApproach(decision) ? asking?.definition.approach : undefined;
  const options = (decision.options ?? []).map(({ value, label }) => {
    const known = approach?.options.find((option) => option.id === value);
    const named = { id: String(value), label: withCount(String(value), label ?? String(value), facts) };
    return known === undefined ? named : { ...named, description: known.description };
  });
  const session = sessionArguments(call, run);
  const shared = {
    action: approach === undefined ? "answer_question" : "batch_decision",
    actionId: decision.id,
    options,
    ...(approach === undefined ? {} : { recommended: approach.recommended }),
  };
  if (decision.answerBy === "person") {
    const later = { when: "when they have answered", tool: "workflow_next", arguments: session };
    const { text, extra } = forPerson(call, run, decision);
    return { action: { ...shared, instruction: `${decision.question} ${text}`, later }, checklist: [], extra };
  }
  const following: Following = {
    next_call: { tool: "workflow_progress", arguments: { ...session, action_id: decision.id } },
    fill_in: { result: options.length > 0 ? "the id of the option that the user chose" : "the user's answer, exactly as given" },
  };
  return { action: { ...shared, instruction: decision.question, ...following }, checklist: [] };
}

/** Types of calls that the way over Labels is about: their text is not in a Label yet. */
const labelRouteTypes: readonly string[] = [
  "literal",
  "literal_args",
  "literal_mismatch",
  "strsubstno_literal",
  "strsubstno_label",
  "concat",
  "text_var",
];

/** Labels say how much each way is about. */
function withCount(id: string, label: string, { instances, files, upgrade }: ChecklistFacts): ActionOption["label"] {
  if (instances === undefined) return label;
  const ofLabels = Object.values(instances.byType).flatMap(({ types }) => labelRouteTypes.map((type) => types[type] ?? 0));
  const labels = ofLabels.reduce((sum, count) => sum + count, 0);
  const kinds = Object.values(instances.byType).reduce((sum, { types }) => sum + Object.keys(types).length, 0);
  const about: Readonly<Record<string, string>> = {
    [applyAutoFirst]: counted(instances.open.auto, "auto-fix", "auto-fixes"),
    label_route: counted(labels, "instance"),
    review_by_file: counted(files.withMatches, "file"),
    review_by_type: counted(kinds, "kind"),
    by_version_step: counted(upgrade?.steps.filter((step) => step.instances > 0).length ?? 0, "step"),
  };
  return about[id] === undefined ? label : `${label}: ${about[id]}`;
}

function forPerson({ desk }: ToolCall, run: string, decision: Decision): { readonly text: string; readonly extra: JsonObject } {
  const command = decideCommand(run, decision);
  const ask = { tool: "workflow_decide", arguments: { run_id: run, decision_id: decision.id } };
  const canAsk = desk().canAsk(decision.question);
  const hint = canAsk ? ` If they are at this client now, ${callText(ask)} asks them.` : "";
  return {
    text: `Only a person can answer, by: ${command}.${hint}`,
    extra: { command_for_person: command, ...(canAsk ? { ask_person_call: ask } : {}) },
  };
}

/** How many instances a batch left for whom. */
export function remainingText({ instances }: ChecklistFacts): string {
  if (instances === undefined) return "";
  const { auto, review, manual } = instances.open;
  const left = auto + review + manual;
  const parts = [
    ...(auto > 0 ? [`${grouped(auto)} auto-fixable`] : []),
    ...(review > 0 ? [`${grouped(review)} to review`] : []),
    ...(manual > 0 ? [`${grouped(manual)} by hand`] : []),
  ];
  const failed = instances.failed > 0 ? ` ${counted(instances.failed, "instance")} failed.` : "";
  return left === 0
    ? `No instance is left.${failed}`
    : `${counted(left, "instance remains", "instances remain")} (${parts.join(" + ")}).${failed}`;
}
