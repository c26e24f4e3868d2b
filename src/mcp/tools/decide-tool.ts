import * as z from "zod";
import { defined, isWaymarkError, type Json, counted, cutText } from "../../base/index.ts";
import { answer, attemptAsking, refused, refusingOnce, taskAfter, wordsOf, type RunHandle } from "../../engine/index.ts";
import { noAnswer, notAnswered, withDetails } from "../codes.ts";
import { around } from "../position-reply.ts";
import { defineTool, runId, type Reply, type Tool, type ToolCall, type ToolResult } from "../tool.ts";
import { nextReply } from "./drive-tools.ts";
import { askUserText, decideCommand, fitsForm, openQuestions, taskAround } from "../../views/index.ts";

type State = RunHandle["state"];
type Decision = State["decisions"][string];

export const decideTool: Tool = defineTool({
  name: "workflow_decide",
  description:
    "Answer an open question of a run with what the user said. Without answer the client asks its user, if it can; some questions only a person may answer that way.",
  returns: "what `workflow_next` gives, and `recorded`, `decision_id`",
  repeatable: true,
  shape: z.object({
    run_id: runId,
    decision_id: z.string().optional().describe("Default: the one you were shown."),
    answer: z.unknown().optional().describe("The user's words."),
    revision: z.number().optional().describe("The one you showed."),
  }),
  async run(call, args) {
    const { state } = await attemptAsking(call.engine, args.run_id, args.decision_id);
    try {
      return await decide(call, state, { named: args.decision_id, given: args.answer as Json | undefined, revision: args.revision });
    } catch (error) {
      throw inTask(error, state, args.decision_id);
    }
  },
});

interface Asked {
  readonly named: string | undefined;
  readonly given: Json | undefined;
  readonly revision: number | undefined;
}

async function decide(call: ToolCall, state: State, { named, given, revision }: Asked): Promise<ToolResult> {
  const late = lateReply(call, state);
  if (late !== undefined) return record(call, state, late);
  if (given !== undefined && named === undefined) return answerUnnamed(call, state, given, revision);
  const open = openQuestions(state);
  const decision = named === undefined ? (open.length === 1 ? open[0] : undefined) : open.find(({ id }) => id === named);
  // One that is not open any more is left to the engine, which knows whether it was answered.
  if (decision === undefined) {
    if (named === undefined || given === undefined) throw notOpen(state, named);
  } else if (given === undefined) return askPerson(call, state, decision);
  else await refuseForPerson(call, state.id, decision, given);
  return record(call, state, { decision: decision?.id ?? named ?? "", answer: given, by: "agent", revision: revision ?? 1 });
}

/** Who answers the question of a task is led back into that task. */
function inTask(error: unknown, state: State, named: string | undefined): unknown {
  const open = openQuestions(state);
  const decision = named === undefined ? (open.length === 1 ? open[0] : undefined) : state.decisions[named];
  const task = taskAround(state, decision?.strand);
  if (!isWaymarkError(error) || task === undefined) return error;
  return withDetails(error, { task_id: task });
}

/**
 * An answer that does not say to which question: it counts for the one that was shown to this caller and is open. The same answer
 * again, with nothing asked for since, is the same call again.
 */
async function answerUnnamed(call: ToolCall, state: State, given: Json, revision: number | undefined): Promise<Reply> {
  const { handOuts } = call.engine;
  const words = wordsOf({ run: state.id, result: given });
  const before = handOuts.saidBefore(call.caller, state.id, words);
  if (before !== undefined) return answeredReply(call, state, { recorded: "before", decision: before.action });
  const shown = openQuestions(state).filter(({ id }) => handOuts.isShown(call.caller, state.id, id));
  const [decision] = shown;
  if (decision === undefined || shown.length > 1) throw unnamedAnswer(state);
  await refuseForPerson(call, state.id, decision, given);
  const done = await answerAs(call, state, { decision: decision.id, answer: given, by: "agent", revision });
  handOuts.reported(call.caller, state.id, decision.id);
  handOuts.said(call.caller, state.id, words, { action: decision.id, step: decision.step });
  return answeredReply(call, state, done);
}

function unnamedAnswer(state: State): Error {
  const open = openIds(state);
  if (open.length === 0) return notOpen(state);
  const message = `This answer does not say which question it is for, and none of run \`${state.id}\` alone was shown to you. Open: ${open.join(", ")}. Nothing was changed.`;
  const fix = "Ask for the next step, and answer its question with its decision_id.";
  return refused("ENGINE_NO_DECISION", message, fix, { open_decisions: open });
}

/** Ids of the first open questions. */
function openIds(state: State): readonly string[] {
  return openQuestions(state)
    .slice(0, 10)
    .map(({ id }) => id);
}

/** The engine refuses an answer that only a person may give, and keeps that it was tried. */
async function refuseForPerson(call: ToolCall, run: string, decision: Decision, given: Json): Promise<void> {
  if (decision.answerBy !== "person") return;
  try {
    await answer(call.engine, call.caller, { run, decision: decision.id, answer: given, relayed: true });
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
  }
  throw forPerson(call, run, decision);
}

function notOpen(state: State, id?: string): Error {
  const open = openIds(state);
  const has = open.length === 0 ? "no open question" : `${counted(openQuestions(state).length, "open question")}: ${open.join(", ")}`;
  const message = `Run \`${state.id}\` has ${has}.${id === undefined ? "" : ` \`${id}\` is not open.`}`;
  const fix = open.length === 0 ? "Ask for the next step." : "Repeat the call with one of them as decision_id.";
  return refused("ENGINE_NO_DECISION", message, fix, { open_decisions: open });
}

interface GivenAnswer {
  readonly decision: string;
  readonly answer: Json;
  readonly by: "agent" | "person";
  readonly revision: number | undefined;
  readonly reason?: string | undefined;
}

async function record(call: ToolCall, state: State, given: GivenAnswer): Promise<Reply> {
  return answeredReply(call, state, await answerAs(call, state, given));
}

function answerAs({ engine, caller, person }: ToolCall, state: State, given: GivenAnswer): ReturnType<typeof answer> {
  const { by, decision: id, answer: said, revision, reason } = given;
  const request = { run: state.id, decision: id, answer: said, ...defined({ revision, reason }) };
  if (by === "person") return answer(engine, person, { ...request, relayed: false });
  const sent = { run: state.id, id, said: JSON.stringify(["answer", revision, said]), isNew: state.decisions[id]?.status !== "pending" };
  const unknown = !engine.handOuts.isKnown(caller, state.id);
  return refusingOnce(engine, caller, sent, () => answer(engine, caller, { ...request, relayed: true, unknown }));
}

type Recorded = Pick<Awaited<ReturnType<typeof answer>>, "recorded" | "decision">;

async function answeredReply(call: ToolCall, { id: run }: State, { recorded, decision }: Recorded): Promise<Reply> {
  const line =
    recorded === "before" ? `\`${decision}\` was answered before; nothing was changed.` : `The answer to \`${decision}\` is recorded.`;
  const facts = { recorded, decision_id: decision };
  try {
    const task = await taskAfter(call.engine, run, decision);
    return await nextReply(call, { run, task, follows: recorded }, around(facts, [line]));
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    // The answer is safe although this agent does not drive the run.
    return { text: `${line}\n${error.message}`, data: { run_id: run, status: "answered", ...facts, instruction: error.message } };
  }
}

/** A person answered what was closed meanwhile: the engine knows what counts, and keeps what does not. */
function lateReply({ desk }: ToolCall, state: State): GivenAnswer | undefined {
  const { reply } = desk();
  if (reply?.action !== "accept" || reply.run !== state.id) return undefined;
  const { decision, answer: given, revision } = reply;
  return state.decisions[decision]?.status === "pending" ? undefined : { decision, answer: given, by: "person", revision };
}

/** An answer counts as a person's only when the client says its user accepted the very question that this server sent. */
async function askPerson(call: ToolCall, state: State, decision: Decision): Promise<ToolResult> {
  const { id: run } = state;
  const desk = call.desk();
  const reply = desk.reply?.run === run && desk.reply.decision === decision.id ? desk.reply : undefined;
  if (reply?.action === "accept")
    return record(call, state, {
      decision: decision.id,
      answer: reply.answer,
      by: "person",
      revision: reply.revision,
      reason: decision.reasons === true ? reply.reason : undefined,
    });
  if (reply !== undefined) throw notAnswered(reply, `: ${questionOf(decision)}`, wayOut(run, decision));
  if (desk.canAsk(decision.question)) {
    const options = decision.kind === "budget" ? [] : (decision.options ?? []);
    const { id, revision, question: text, reasons = false } = decision;
    return desk.ask({ run, decision: id, revision, text, options, reasons });
  }
  if (decision.answerBy === "person") throw forPerson(call, run, decision);
  throw noAnswer(
    `\`${decision.id}\` asks the user: ${questionOf(decision)} No answer was given, and this client cannot ask by itself.`,
    "Ask the user, then call workflow_decide with their answer.",
    { decision: decision.id },
  );
}

function forPerson(call: ToolCall, run: string, decision: Decision): Error {
  const { question } = decision;
  const long = fitsForm(question) ? "" : " It is too long for a form of this client; the command shows all of it.";
  const canAsk = call.desk().canAsk(question);
  const byCommand = askUserText(decideCommand(run, decision));
  const ask = { tool: "workflow_decide", arguments: { run_id: run, decision_id: decision.id } };
  return refused(
    "DECISION_FOR_PERSON",
    `Only a person can answer \`${decision.id}\`: ${questionOf(decision)} No answer was counted.${long}`,
    canAsk ? `Call workflow_decide without an answer, and this client asks your user. Or: ${byCommand}` : byCommand,
    {
      ...(canAsk ? { next_call: ask } : {}),
      decision: decision.id,
      question: questionOf(decision),
      command_for_person: decideCommand(run, decision),
      options: (decision.options ?? []).map((option) => option.value),
    },
  );
}

function wayOut(run: string, decision: Decision): string {
  const relay = decision.answerBy === "relay" ? "Ask the user and call workflow_decide with their answer, or let" : "Let";
  return `${relay} the person run: ${decideCommand(run, decision)}`;
}

function questionOf(decision: Decision): string {
  return cutText(decision.question, 1000);
}
