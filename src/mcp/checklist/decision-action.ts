import type { JsonObject } from "../../base/index.ts";
import { checklistOf } from "../../dialects/checklist/run/index.ts";
import type { Position } from "../../engine/index.ts";
import { callText, decideCommand, type CallSpec, type Following, counted, grouped } from "../../views/index.ts";
import type { ActionOption } from "../../dialects/checklist/views/index.ts";
import { factsAt, type Facts } from "./facts.ts";
import { sessionArguments, type Driver, type Shown } from "./driver.ts";

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
export function decisionAction(driver: Driver, position: Position, whole: Facts, decision: Decision): Shown {
  const { run, state } = position;
  const facts = factsAt(whole, position, decision.strand);
  const asking = checklistOf(position, state.strands[decision.strand]?.scope);
  const approach = isApproach(decision) ? asking?.definition.approach : undefined;
  const options = (decision.options ?? []).map(({ value, label }) => {
    const told = approach?.options.find((option) => option.id === value);
    const named = { id: String(value), label: withCount(String(value), label ?? String(value), facts) };
    return told === undefined ? named : { ...named, description: told.description };
  });
  const person = decision.answerBy === "person";
  const session = sessionArguments(driver, run);
  const following: Following = person
    ? { later: { when: "when they have answered", tool: "workflow_next", arguments: session } }
    : {
        next_call: { tool: "workflow_progress", arguments: { ...session, action_id: decision.id } },
        fill_in: { result: options.length > 0 ? "the id of the option that the user chose" : "the user's answer, exactly as given" },
      };
  return {
    action: {
      action: approach === undefined ? "answer_question" : "batch_decision",
      actionId: decision.id,
      instruction: person ? `${decision.question} ${forPerson(driver, run, decision)}` : decision.question,
      options,
      ...(approach === undefined ? {} : { recommended: approach.recommended }),
      ...following,
    },
    checklist: [],
    ...(person ? { extra: personHelp(driver, run, decision) } : {}),
  };
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

function askCall(run: string, decision: Decision): CallSpec {
  return { tool: "workflow_decide", arguments: { run_id: run, decision_id: decision.id } };
}

function forPerson({ call }: Driver, run: string, decision: Decision): string {
  const ask = call.desk.canAsk ? ` If they are at this client now, ${callText(askCall(run, decision))} asks them.` : "";
  return `Only a person can answer, by: ${decideCommand(run, decision)}.${ask}`;
}

function personHelp({ call }: Driver, run: string, decision: Decision): JsonObject {
  return {
    command_for_person: decideCommand(run, decision),
    ...(call.desk.canAsk ? { ask_person_call: askCall(run, decision) as unknown as JsonObject } : {}),
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
