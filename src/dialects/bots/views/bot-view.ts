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

type Wish =
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
type QuestionAbout = "done" | "interrupted" | "project_area" | "jump" | "other";

export interface BotViewOptions {
  /** Instructions of actions that are done together are in one text. */
  readonly combined?: boolean;
  /** Problems that were found just now, beside those of the last write. */
  readonly problems?: readonly string[];
}

/** What one kind of standing has to say; what every view carries is added to it. */
interface Said extends Pick<BotView, "status" | "title" | "body" | "data" | "wants"> {
  readonly place: BotPlace | undefined;
  readonly notes?: readonly string[];
}

/** undefined when the strand is not in a bot. */
export function botView(position: PositionFacts, options: BotViewOptions = {}): BotView | undefined {
  const { run, program, state, strand } = position;
  const scope = botScope(program, state, strand);
  const said = scope && saidOf(position, scope, options);
  if (scope === undefined || said === undefined) return undefined;
  const { place, title, notes = [], data, ...rest } = said;
  const known = [...new Set([...scope.problems, ...(options.problems ?? [])])];
  const waiting = Object.values(state.decisions).filter(
    (decision) => decision.status === "pending" && decision.strand !== strand && decision.block === "jump.ask",
  );
  const wishes = waiting.map((decision): JsonObject => ({
    decision_id: decision.id,
    question: decision.question,
    command_for_person: decideCommand(run, decision),
  }));
  return {
    ...rest,
    behaviour: place?.behaviour ?? null,
    action: place?.action ?? null,
    title: `${scope.definition.name}: ${title}`,
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

function saidOf(position: PositionFacts, scope: BotScope, options: BotViewOptions): Said | undefined {
  const { program, state, standing } = position;
  switch (standing.kind) {
    case "action":
      return standing.action.what === "bot_action" ? ofAction(position, scope, standing.action, options) : undefined;
    case "question":
      return ofQuestion(position, scope, standing.decision);
    case "working":
    case "joining":
      return ofWaiting(position, "working", `${scope.definition.name} is at work. Ask again in a moment.`);
    case "blocked":
      return ofWaiting(position, "blocked", maskSecrets(`Blocked (${standing.code}): ${standing.reason}`, program, state));
    case "task_ended":
    case "ended":
      return ofEnd(position, scope);
  }
}

function ofAction({ state }: PositionFacts, scope: BotScope, action: Action, options: BotViewOptions): Said {
  const place = placeOfItem(action.args["item"]) ?? { behaviour: "", action: action.step };
  const body = botInstructions(scope, place, options);
  const { notes, data, confirmed, independent } = actionFacts(state, scope, { action, place }, options);
  const choosesArea = scope.definition.choosesArea === place.action;
  return {
    status: "started",
    place,
    title: `${place.action} of ${place.behaviour}${counted(scope, place)}`,
    body,
    notes,
    data: { action_id: action.id, instructions: body, ...data },
    wants: { kind: "work", action: action.id, confirmed, independent, choosesArea },
  };
}

function counted({ definition }: BotScope, place: BotPlace): string {
  const at = definition.behaviours.findIndex((each) => each.name === place.behaviour);
  const behaviour = definition.behaviours[at];
  const number = behaviour?.actions.findIndex((each) => each.name === place.action) ?? -1;
  if (behaviour === undefined || number < 0) return " (independent)";
  return ` (action ${number + 1} of ${behaviour.actions.length}, behaviour ${at + 1} of ${definition.behaviours.length})`;
}

function ofQuestion(position: PositionFacts, { definition }: BotScope, decision: Decision): Said {
  const place = placeOfStep(definition, decision.step) ?? currentPlace(position);
  const about = aboutOf(decision, place);
  const began = textOf(startedOf(position.state, position.strand)["at"] ?? "");
  const since = about === "interrupted" && began !== "" ? `It was started at ${began}. ` : "";
  const answers = (decision.options ?? []).map((option) => option.value);
  const body = `${since}${decision.question}`;
  const left = about === "done" ? leftUndone(position.state, position.strand) : [];
  return {
    status: "question",
    place,
    title: titleOf(about, place === undefined ? "" : `${place.action} of ${place.behaviour}`),
    body,
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
    wants: { kind: "answer", about, decision },
  };
}

const leftHint = "`redo` hands the action out again, for a report that can be done; `done` leaves it so.";

function aboutOf(decision: Decision, place: BotPlace | undefined): QuestionAbout {
  if (decision.kind === "lost") return "interrupted";
  if (decision.kind === "asked") return "other";
  if (decision.step === "project_area") return "project_area";
  if (decision.block === "jump.ask") return "jump";
  return place !== undefined && decision.step === idOf(place) ? "done" : "other";
}

function titleOf(about: QuestionAbout, named: string): string {
  if (about === "done") return `is ${named} done?`;
  if (about === "interrupted") return `${named} was interrupted`;
  if (about === "project_area") return "where is the project?";
  return about === "jump" ? "another place was asked for" : "a question is open";
}

function ofWaiting(position: PositionFacts, status: "working" | "blocked", body: string): Said {
  return { status, place: currentPlace(position), title: status, body, data: { message: body }, wants: { kind: "patience" } };
}

function ofEnd({ state, program }: PositionFacts, { definition }: BotScope): Said {
  const last = definition.behaviours.at(-1);
  const action = last?.actions.at(-1);
  const status = state.status === "running" ? "working" : state.status;
  const completed = status === "completed";
  const reason = state.error === undefined ? "" : ` ${maskSecrets(state.error.message, program, state)}`;
  const body = completed
    ? `All behaviours of ${definition.name} are complete. Call one of them to begin again; the log keeps what was done.`
    : `${definition.name} is ${status}.${reason}`;
  const place = completed && last !== undefined && action !== undefined ? { behaviour: last.name, action: action.name } : undefined;
  return { status, place, title: status, body, data: { message: body, next_action: null }, wants: { kind: "nothing" } };
}
