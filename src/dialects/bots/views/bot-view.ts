import { decideCommand, maskSecrets, type PositionFacts, progressOf } from "../../../views/index.ts";
import { textOf, type JsonObject } from "../../../base/index.ts";
import type { Action, Decision } from "../../../kernel/index.ts";
import { actionFacts, botInstructions } from "./bot-action.ts";
import {
  botScope,
  currentPlace,
  idOf,
  leftUndone,
  placeOfItem,
  placeOfStep,
  startedOf,
  type BotScope,
  type BotPlace,
} from "./bot-place.ts";

/** What a caller sees who asks a bot where it is. How to continue is up to the surface. */
export interface BotView {
  readonly status: "started" | "question" | "working" | "blocked" | "completed" | "failed" | "cancelled";
  readonly behaviour: string | null;
  readonly action: string | null;
  /** In short, for people and models alike. */
  readonly title: string;
  /** The instructions or the question. */
  readonly body: string;
  /** What else must be known: limits, problems with files, questions that wait elsewhere. */
  readonly notes: readonly string[];
  readonly data: JsonObject;
  readonly wants: Wish;
}

export type Wish =
  /** The work, and then a person's word, or none. */
  | {
      readonly kind: "work";
      /** The id it was handed out with. */
      readonly action: string;
      readonly confirmed: "person" | "relay" | "nobody";
      readonly independent: boolean;
      /** Its report names the project area. */
      readonly choosesArea: boolean;
    }
  | { readonly kind: "answer"; readonly about: QuestionAbout; readonly decision: Decision }
  | { readonly kind: "patience" }
  | { readonly kind: "nothing" };

/** `done`: results were shown. `interrupted`: an action lost its agent. `jump`: the bot is to leave its sequence. */
export type QuestionAbout = "done" | "interrupted" | "project_area" | "jump" | "other";

export interface BotViewOptions {
  /** Instructions of actions that are done together are in one text. */
  readonly combined?: boolean;
  /** Problems that were found just now, beside those of the last write. */
  readonly problems?: readonly string[];
}

/** undefined when the strand is not in a bot. */
export function botView(position: PositionFacts, options: BotViewOptions = {}): BotView | undefined {
  const { program, state, strand, standing } = position;
  const scope = botScope(program, state, strand);
  if (scope === undefined) return undefined;
  switch (standing.kind) {
    case "action":
      return standing.action.what === "bot_action" ? actionView(position, scope, standing.action, options) : undefined;
    case "question":
      return questionView(position, scope, standing.decision, options);
    case "working":
    case "joining":
      return plainView(position, scope, options, ["working", `${scope.definition.name} is at work. Ask again in a moment.`]);
    case "blocked":
      return plainView(position, scope, options, [
        "blocked",
        maskSecrets(`Blocked (${standing.code}): ${standing.reason}`, program, state),
      ]);
    case "task_ended":
    case "ended":
      return endedView(position, scope, options);
  }
}

function actionView(position: PositionFacts, scope: BotScope, action: Action, options: BotViewOptions): BotView {
  const { definition } = scope;
  const place = placeOfItem(action.args["item"]) ?? { behaviour: "", action: action.step };
  const body = botInstructions(scope, place, options);
  const facts = actionFacts(position.state, scope, { action, place }, options);
  return {
    status: "started",
    behaviour: place.behaviour,
    action: place.action,
    title: `${definition.name}: ${place.action} of ${place.behaviour}${counted(scope, place)}`,
    body,
    ...around(position, scope, options, { notes: facts.notes, data: { action_id: action.id, instructions: body, ...facts.data } }),
    wants: {
      kind: "work",
      action: action.id,
      confirmed: facts.confirmed,
      independent: facts.independent,
      choosesArea: definition.choosesArea === place.action,
    },
  };
}

function counted({ definition }: BotScope, place: BotPlace): string {
  const at = definition.behaviours.findIndex((each) => each.name === place.behaviour);
  const behaviour = definition.behaviours[at];
  const number = behaviour?.actions.findIndex((each) => each.name === place.action) ?? -1;
  if (behaviour === undefined || number < 0) return " (independent)";
  return ` (action ${number + 1} of ${behaviour.actions.length}, behaviour ${at + 1} of ${definition.behaviours.length})`;
}

function questionView(position: PositionFacts, scope: BotScope, decision: Decision, options: BotViewOptions): BotView {
  const { definition } = scope;
  const place = placeOfStep(definition, decision.step) ?? currentPlace(position);
  const about = aboutOf(decision, place);
  const began = textOf(startedOf(position.state, position.strand)["at"] ?? "");
  const since = about === "interrupted" && began !== "" ? `It was started at ${began}. ` : "";
  const answers = (decision.options ?? []).map((option) => option.value);
  const body = `${since}${decision.question}`;
  const left = about === "done" ? leftUndone(position.state, position.strand) : [];
  return {
    status: "question",
    behaviour: place?.behaviour ?? null,
    action: place?.action ?? null,
    title: `${definition.name}: ${titleOf(about, place)}`,
    body,
    ...around(position, scope, options, {
      notes: left.length === 0 ? [] : [...left.map((problem) => `! Not done: ${problem}`), leftHint],
      data: {
        about,
        question: body,
        ...(left.length > 0 && { not_done: left }),
        decision_id: decision.id,
        answer_by: decision.answerBy === "person" ? "person" : "relay",
        ...(answers.length > 0 && { answers }),
        ...(since !== "" && { started_at: began }),
      },
    }),
    wants: { kind: "answer", about, decision },
  };
}

const leftHint = "`redo` hands the action out again, for a report that can be done; `done` leaves it so.";

function aboutOf(decision: Decision, place: BotPlace | undefined): QuestionAbout {
  if (decision.kind === "lost") return "interrupted";
  if (decision.step === "project_area") return "project_area";
  if (decision.block === "jump.ask") return "jump";
  return place !== undefined && decision.step === idOf(place) ? "done" : "other";
}

function titleOf(about: QuestionAbout, place: BotPlace | undefined): string {
  const named = place === undefined ? "" : `${place.action} of ${place.behaviour}`;
  const titles: Readonly<Record<QuestionAbout, string>> = {
    done: `is ${named} done?`,
    interrupted: `${named} was interrupted`,
    project_area: "where is the project?",
    jump: "another place was asked for",
    other: "a question is open",
  };
  return titles[about];
}

function plainView(
  position: PositionFacts,
  scope: BotScope,
  options: BotViewOptions,
  [status, body]: readonly ["working" | "blocked", string],
): BotView {
  const place = currentPlace(position);
  return {
    status,
    behaviour: place?.behaviour ?? null,
    action: place?.action ?? null,
    title: `${scope.definition.name}: ${status}`,
    body,
    ...around(position, scope, options, { notes: [], data: { message: body } }),
    wants: { kind: "patience" },
  };
}

function endedView(position: PositionFacts, scope: BotScope, options: BotViewOptions): BotView {
  const { state, program } = position;
  const { definition } = scope;
  const last = definition.behaviours.at(-1);
  const status = state.status === "running" ? "working" : state.status;
  const reason = state.error === undefined ? "" : ` ${maskSecrets(state.error.message, program, state)}`;
  const body =
    status === "completed"
      ? `All behaviours of ${definition.name} are complete. Call one of them to begin again; the log keeps what was done.`
      : `${definition.name} is ${status}.${reason}`;
  return {
    status,
    behaviour: status === "completed" ? (last?.name ?? null) : null,
    action: status === "completed" ? (last?.actions.at(-1)?.name ?? null) : null,
    title: `${definition.name}: ${status}`,
    body,
    ...around(position, scope, options, { notes: [], data: { message: body, next_action: null } }),
    wants: { kind: "nothing" },
  };
}

/** What every view carries: the run, how far it is, problems with files, and wishes that wait for a person. */
function around(
  { run, program, state, strand }: PositionFacts,
  { problems }: BotScope,
  options: BotViewOptions,
  { notes, data }: { readonly notes: readonly string[]; readonly data: JsonObject },
): Pick<BotView, "notes" | "data"> {
  const known = [...new Set([...problems, ...(options.problems ?? [])])];
  const waiting = Object.values(state.decisions).filter(
    (decision) => decision.status === "pending" && decision.strand !== strand && decision.block === "jump.ask",
  );
  const wishes = waiting.map((decision): JsonObject => ({
    decision_id: decision.id,
    question: decision.question,
    command_for_person: decideCommand(run, decision),
  }));
  return {
    notes: [
      ...notes,
      ...known.map((problem) => `! ${problem}`),
      ...waiting.map((decision) => `A person is asked: ${decision.question} (${decideCommand(run, decision)})`),
    ],
    data: {
      run_id: run,
      ...data,
      ...(known.length > 0 && { problems: known }),
      ...(wishes.length > 0 && { waits_for_person: wishes }),
      ...progressOf({ program, state }),
    },
  };
}
