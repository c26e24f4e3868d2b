import { decideCommand, maskSecrets, type PositionFacts, progressOf } from "../../../views/index.ts";
import { textOf, type JsonObject } from "../../../base/index.ts";
import type { Action, Decision } from "../../../kernel/index.ts";
import { actionFacts } from "./action-facts.ts";
import { botInstructions } from "./bot-instructions.ts";
import { botScope, currentPlaceOf, leftUndone, placeOfItem, placeOfStep, startedOf, type BotScope, type NamedPlace } from "./bot-place.ts";

/** What somebody is told who asked a bot where it is. How to go on is up to the surface. */
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

/** `done`: results were shown. `interrupted`: an action lost whoever did it. `jump`: the bot is to leave its sequence. */
export type QuestionAbout = "done" | "interrupted" | "project_area" | "jump" | "other";

export interface BotViewOptions {
  /** Instructions of actions that are done together stand in one text. */
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
      return plainView(
        position,
        scope,
        { status: "working", body: `${scope.definition.name} is at work. Ask again in a moment.` },
        options,
      );
    case "blocked":
      return plainView(
        position,
        scope,
        { status: "blocked", body: maskSecrets(`Blocked (${standing.code}): ${standing.reason}`, program, state) },
        options,
      );
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

function counted({ definition }: BotScope, place: NamedPlace): string {
  const at = definition.behaviours.findIndex((each) => each.name === place.behaviour);
  const behaviour = definition.behaviours[at];
  const number = behaviour?.actions.findIndex((each) => each.name === place.action) ?? -1;
  if (behaviour === undefined || number < 0) return " (independent)";
  return ` (action ${number + 1} of ${behaviour.actions.length}, behaviour ${at + 1} of ${definition.behaviours.length})`;
}

function questionView(position: PositionFacts, scope: BotScope, decision: Decision, options: BotViewOptions): BotView {
  const { definition } = scope;
  const place = placeOfStep(definition, decision.step) ?? currentPlaceOf(position.state);
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
      notes: [...left.map((problem) => `! Not done: ${problem}`), ...(left.length === 0 ? [] : [leftHint])],
      data: {
        about,
        question: body,
        ...(left.length === 0 ? {} : { not_done: left }),
        decision_id: decision.id,
        answer_by: decision.answerBy === "person" ? "person" : "relay",
        ...(answers.length === 0 ? {} : { answers }),
        ...(about === "interrupted" && began !== "" ? { started_at: began } : {}),
      },
    }),
    wants: { kind: "answer", about, decision },
  };
}

const leftHint = "`redo` hands the action out again, for a report that can be done; `done` leaves it so.";

function aboutOf(decision: Decision, place: NamedPlace | undefined): QuestionAbout {
  if (decision.kind === "lost") return "interrupted";
  if (decision.step === "project_area") return "project_area";
  if (decision.block === "jump.ask") return "jump";
  return place !== undefined && decision.step === `${place.behaviour}.${place.action}` ? "done" : "other";
}

function titleOf(about: QuestionAbout, place: NamedPlace | undefined): string {
  const named = place === undefined ? "" : `${place.action} of ${place.behaviour}`;
  switch (about) {
    case "done":
      return `is ${named} done?`;
    case "interrupted":
      return `${named} was interrupted`;
    case "project_area":
      return "where is the project?";
    case "jump":
      return "another place was asked for";
    case "other":
      return "a question is open";
  }
}

function plainView(
  position: PositionFacts,
  scope: BotScope,
  { status, body }: { readonly status: "working" | "blocked"; readonly body: string },
  options: BotViewOptions,
): BotView {
  const place = currentPlaceOf(position.state);
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
  const told = [...new Set([...problems, ...(options.problems ?? [])])];
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
      ...told.map((problem) => `! ${problem}`),
      ...waiting.map((decision) => `A person is asked: ${decision.question} (${decideCommand(run, decision)})`),
    ],
    data: {
      run_id: run,
      ...data,
      ...(told.length === 0 ? {} : { problems: told }),
      ...(wishes.length === 0 ? {} : { waits_for_person: wishes }),
      ...progressOf({ program, state }),
    },
  };
}
