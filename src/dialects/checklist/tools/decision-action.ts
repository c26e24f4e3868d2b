import type { JsonObject } from "../../../base/index.ts";
import { checklistOf } from "../run/index.ts";
import type { Position } from "../../../engine/index.ts";
import { callText, counted, decideCommand, grouped, type Following } from "../../../views/index.ts";
import type { ActionOption } from "../views/index.ts";
import type { ToolCall } from "../../../mcp/index.ts";
import { factsAt, sessionArguments, type ActionShown, type Facts } from "./action-shown.ts";

type Decision = Extract<Position["standing"], { readonly kind: "question" }>["decision"];

/** Step at which the way through a migration is chosen. */
const approachStep = "approach";
/** The question which way to go; steps of a workflow that is called begin with its name. */
export function isApproach({ step }: { readonly step: string }): boolean {
  return step === approachStep || step.endsWith(`/${approachStep}`);
}

/** The option whose batch the engine can apply. */
export const applyAutoFirst = "apply_auto_first";

/** A question as `user_decision`: what may be chosen, and what is recommended. A person's own question names the command for them. */
export function decisionAction(call: ToolCall, position: Position, whole: Facts, decision: Decision): ActionShown {
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
function withCount(id: string, label: string, { instances, files, upgrade }: Facts): ActionOption["label"] {
  if (instances === undefined) return label;
  const labels = Object.values(instances.byType).flatMap(({ types }) => labelRouteTypes.map((type) => types[type] ?? 0));
  const kinds = Object.values(instances.byType).reduce((sum, { types }) => sum + Object.keys(types).length, 0);
  const about: Readonly<Record<string, string>> = {
    [applyAutoFirst]: counted(instances.open.auto, "auto-fix", "auto-fixes"),
    label_route: counted(
      labels.reduce((sum, count) => sum + count, 0),
      "instance",
    ),
    review_by_file: counted(files.withMatches, "file"),
    review_by_type: counted(kinds, "kind"),
    by_version_step: counted(upgrade?.steps.filter((step) => step.instances > 0).length ?? 0, "step"),
  };
  return about[id] === undefined ? label : `${label}: ${about[id]}`;
}

function forPerson({ desk }: ToolCall, run: string, decision: Decision): { readonly text: string; readonly extra: JsonObject } {
  const command = decideCommand(run, decision);
  const { canAsk } = desk();
  const ask = { tool: "workflow_decide", arguments: { run_id: run, decision_id: decision.id } };
  const hint = canAsk ? ` If they are at this client now, ${callText(ask)} asks them.` : "";
  return {
    text: `Only a person can answer, by: ${command}.${hint}`,
    extra: { command_for_person: command, ...(canAsk ? { ask_person_call: ask } : {}) },
  };
}

/** How many instances a batch left for whom. */
export function remainingText({ instances }: Facts): string {
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
