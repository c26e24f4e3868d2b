import {
  type Action,
  type Blocked,
  type Decision,
  type Holder,
  isBelow,
  isPaused,
  mainScope,
  mainStrand,
  type RunState,
  type Strand,
  taskName,
} from "../kernel/index.ts";
import { type Program, standardTaskPrompt } from "../program/index.ts";
import { defined, isoTime, markedCut, visibleText, type JsonObject } from "../base/index.ts";
import { nameOfBlock } from "./authors-name.ts";
import { type Done, doneOf } from "./item-counts.ts";
import { maskSecrets } from "./mask-secrets.ts";

/** A sub-agent task that is open now. */
export interface OpenTask {
  readonly task: string;
  readonly strand: string;
  readonly context: JsonObject;
  readonly holder?: string;
}

/** Where a strand is, for its holder. */
export type Standing =
  | { readonly kind: "action"; readonly action: Action; readonly tasks?: readonly OpenTask[] }
  | { readonly kind: "question"; readonly decision: Decision }
  /** `on`: the step, where it has a name that people know. `far`: nothing happens before `until`, and one more call would not last until then. */
  | { readonly kind: "working"; readonly on?: string; readonly until?: number; readonly far?: true }
  | { readonly kind: "joining"; readonly tasks: readonly OpenTask[] }
  | ({ readonly kind: "blocked" } & Blocked)
  /** `within`: the task that handed it out, which its holder drives too. `shared`: nobody was started for it, so its holder takes the next one. */
  | {
      readonly kind: "task_ended";
      readonly task: string;
      readonly status: string;
      readonly within?: string | undefined;
      readonly shared?: true;
    }
  | { readonly kind: "ended" };

/** `program`: for the name of the step that the engine works on. */
export function standingOf(state: RunState, strandId: string, program?: Pick<Program, "blocks">): Standing {
  if (state.status !== "running") return { kind: "ended" };
  const strand = state.strands[strandId];
  if (strand === undefined) return { kind: "ended" };
  if (strand.status === "blocked" && strand.blocked !== undefined) return { kind: "blocked", ...strand.blocked };
  const pausing = isPaused(state, strandId) ? Object.values(state.strands).find(({ pauses }) => pauses === true) : undefined;
  if (pausing !== undefined) return standingOf(state, pausing.id, program);
  const { waits } = strand;
  if (waits === undefined) return { kind: "working" };
  switch (waits.on) {
    case "action": {
      const action = state.actions[waits.id];
      return action === undefined ? { kind: "working" } : { kind: "action", action };
    }
    case "decision": {
      const decision = state.decisions[waits.id];
      return decision === undefined ? { kind: "working" } : { kind: "question", decision };
    }
    case "effect":
      return { kind: "working", ...defined({ on: program && nameOfBlock(program, state.effects[waits.id]?.block) }) };
    case "timer": {
      const on = program && nameOfBlock(program, strand.frames.at(-1)?.block);
      return { kind: "working", ...defined({ on, until: state.timers[waits.id]?.due }) };
    }
    case "strands":
      return joinStanding(state, strand);
  }
}

/** The parent of tasks is shown the hand-out of its own work, or of a detached one when it has nothing else to do. */
function joinStanding(state: RunState, strand: Strand): Standing {
  const owners = [strand, ...besideOf(state, strand.id)];
  for (const owner of owners) {
    const handed = handedTasks(state, owner);
    if (handed !== undefined) return handed;
  }
  const [question] = openQuestions(state);
  if (question !== undefined) return { kind: "question", decision: question };
  const blocked = blockedBelow(state, strand.id);
  if (blocked !== undefined) return { kind: "blocked", ...blocked };
  return { kind: "joining", tasks: owners.flatMap((owner) => openTasks(state, owner.id)) };
}

/** Why nothing below the strand continues, where all of it is blocked: what continues first by itself. */
function blockedBelow(state: RunState, strand: string): Strand["blocked"] {
  const inner = Object.values(state.strands).filter(({ id, waits }) => isBelow(state, id, strand) && waits?.on !== "strands");
  if (inner.length === 0 || inner.some(({ status }) => status !== "blocked")) return undefined;
  const [first] = inner.flatMap(({ blocked }) => blocked ?? []).toSorted((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  return first;
}

/** Strands in which groups of tasks run beside the strand. Those of a task that is over run beside the main one, which waits for them. */
function besideOf({ strands }: RunState, strand: string): readonly Strand[] {
  const owner = (parent: string): string => (strands[parent] === undefined ? mainStrand : parent);
  return Object.values(strands).filter(({ parent, task }) => task === undefined && parent !== undefined && owner(parent) === strand);
}

function handedTasks(state: RunState, owner: Strand): Extract<Standing, { readonly kind: "action" }> | undefined {
  const frame = owner.frames.findLast((held) => held.kind === "work");
  const action = frame?.kind === "work" && frame.action !== undefined ? state.actions[frame.action] : undefined;
  return action === undefined ? undefined : { kind: "action", action, tasks: openTasks(state, owner.id) };
}

/** Groups of tasks that run beside the strand, each as the step that hands them out. */
export function tasksBeside(state: RunState, strand: string): readonly Extract<Standing, { readonly kind: "action" }>[] {
  return besideOf(state, strand).flatMap((owner) => handedTasks(state, owner) ?? []);
}

/** What the author tells who begins the task that a strand is, until its first report; undefined where that is the standard prompt. */
export function taskPrompt(state: RunState, strand: string): string | undefined {
  const held = state.strands[strand];
  if (held?.task === undefined || held.parent === undefined || held.last !== undefined) return undefined;
  const owner = state.strands[held.parent];
  return owner === undefined ? undefined : authorsPrompt(handedTasks(state, owner)?.action);
}

export function promptText(prompt: string): string {
  return `Prompt of this task: ${prompt}`;
}

/** What the author tells the sub-agents of a step with tasks; undefined where that is the standard prompt. */
export function authorsPrompt(action: Action | undefined): string | undefined {
  const prompt = action?.args["prompt"];
  return typeof prompt === "string" && prompt !== standardTaskPrompt ? prompt : undefined;
}

/** The task that a strand is, or is in, as it is called from outside; undefined for the run itself, and for what is over. */
export function taskAround(state: RunState, strand: string | undefined): string | undefined {
  const held = strand === undefined ? undefined : state.strands[strand];
  if (held === undefined) return undefined;
  return held.task === undefined ? taskAround(state, held.parent) : taskName(held);
}

/** The strand that goes through the items of a list; undefined when it has left them. */
export function strandAt(state: RunState, list: string): string | undefined {
  return Object.values(state.strands).find(({ frames }) => frames.some((frame) => frame.kind === "work" && frame.list === list))?.id;
}

function openTasks(state: RunState, parent: string): OpenTask[] {
  return Object.values(state.strands)
    .filter((strand) => strand.parent === parent && strand.task !== undefined)
    .map((strand) => ({
      task: taskName(strand),
      strand: strand.id,
      context: (strand.frames[0]?.locals?.["context"] ?? {}) as JsonObject,
      ...(strand.holder === undefined ? {} : { holder: strand.holder.name }),
    }));
}

export function openQuestions({ decisions }: Pick<RunState, "decisions">): readonly Decision[] {
  return Object.values(decisions).filter(({ status }) => status === "pending");
}

/** What became of a run or a task, after its name. */
export function becameText(status: string): string {
  return status === "failed" ? "has failed" : `is ${status}`;
}

/**
 * What follows the end of a task, for who did it: the text behind that end, and when the run, or the task around it, is asked again. Without `when` at once:
 * where the run shares out its work, everybody who asks gets what is open next.
 */
export function afterTask({ shared }: { readonly shared?: true }): { readonly text: string; readonly when?: string } {
  if (shared === true) return { text: "" };
  return { text: " You are done; report this to the agent that started you.", when: "if you do the tasks yourself, without sub-agents" };
}

/** What a report of something that was reported before comes to. `by` is who reported it, where that is another one. */
export function reportedBeforeText(name: string, by: string | undefined): string {
  return by === undefined
    ? `\`${name}\` was reported before; nothing was changed.`
    : `\`${name}\` was reported before by ${by}; this report was not stored.`;
}

/** The first whole second by which a time is over: who asks then need not ask again. */
export function timeOver(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString();
}

/** The text a person gives to the next conversation. */
export function resumeText(run: string, workflow: string): string {
  return `Resume the Waymark run ${run} (workflow ${workflow}): call workflow_resume with run_id "${run}", then do exactly what each reply says until the status is completed.`;
}

export function lastCheckpoint(program: Program, state: RunState): JsonObject {
  const mark = state.mark;
  if (mark !== undefined) return { step_id: mark.step, timestamp: new Date(mark.at).toISOString(), reason: mark.reason };
  return {
    step_id: state.strands["main"]?.frames.at(-1)?.block ?? program.main,
    timestamp: new Date(state.startedAt).toISOString(),
    reason: "every step is a checkpoint",
  };
}

/** Characters of a question that forms of clients show. */
const longestInForm = 4000;

/** Whether a form can show the whole of a question. One that it cannot is answered where all of it is shown: an answer allows what was seen. */
export function fitsForm(question: string): boolean {
  return visibleText(question).length <= longestInForm;
}

/** The line by which a person answers a question. A question that is asked again is named with its revision: the line means what was shown. */
export function decideCommand(run: string, { id, revision }: { readonly id: string; readonly revision: number }): string {
  return `waymark decide ${run} ${id}${revision === 1 ? "" : ` --revision ${revision}`}`;
}

/** What an agent does about a question that only a person may answer: word for word, and nothing beside it. */
export function askUserText(command: string): string {
  return `Ask your user to run \`${command}\` in a terminal of their own. Do not run it yourself.`;
}

/** `beta, process 4711`: tells holders of one name apart. undefined where the computer is not known. */
export function holderPlace({ computer, session }: Holder): string | undefined {
  const [, pid] = /^p(\d+)-/.exec(session) ?? [];
  return computer === undefined || pid === undefined ? computer : `${computer}, process ${pid}`;
}

/** What a list of runs shows without loading them: where each one is. */
export interface RunLine extends Done {
  /** The run's uuid. */
  readonly workflow_id?: string;
  readonly step?: string;
  readonly label?: string;
  readonly questions: number;
  readonly blocked?: string;
  /** When the first part that is blocked until a time can continue. */
  readonly blocked_until?: string;
  readonly holder?: string;
  /** Its computer and process, where they are known. */
  readonly holder_at?: string;
  readonly error?: string;
  /** What the person asked for, its end cut where it is very long. */
  readonly user_message?: string;
  /** Ids of the conversation and the codebase of the chat that started it. */
  readonly conversation?: string;
  readonly codebase?: string;
  readonly ended_at?: string;
}

/** It is written with every step of the run. */
const longestMessage = 4000;

/** What was asked for, by which chat, and when the run ended. */
function askedFor(state: RunState, program: Program): Pick<RunLine, "user_message" | "conversation" | "codebase" | "ended_at"> {
  const { chat } = state.options;
  const given = chat?.message ?? state.scopes[mainScope]?.inputs["user_message"];
  return defined({
    user_message: typeof given === "string" ? maskSecrets(markedCut(given, longestMessage), program, state) : undefined,
    conversation: chat?.conversation,
    codebase: chat?.codebase,
    ended_at: state.endedAt === undefined ? undefined : isoTime(state.endedAt),
  });
}

export function runLine(state: RunState, program: Program): RunLine {
  const main = state.strands["main"];
  const open = main?.waits?.on === "action" ? state.actions[main.waits.id] : undefined;
  const step = open?.step ?? nameOfBlock(program, main?.frames.at(-1)?.block);
  const label = main?.frames.map((held) => program.blocks[held.block]?.label?.text).findLast((text) => text !== undefined);
  const questions = Object.values(state.decisions).filter((decision) => decision.status === "pending").length;
  const stopped = state.status === "running" ? Object.values(state.strands).filter((strand) => strand.status === "blocked") : [];
  const blocked = stopped[0]?.blocked;
  const times = stopped.flatMap((strand) => strand.blocked?.until ?? []);
  return {
    questions,
    ...doneOf(state, program),
    ...(state.options.uuid === undefined ? {} : { workflow_id: state.options.uuid }),
    ...(step === undefined ? {} : { step }),
    ...(label === undefined ? {} : { label }),
    ...(blocked === undefined ? {} : { blocked: blocked.reason }),
    ...(times.length === 0 ? {} : { blocked_until: timeOver(Math.min(...times)) }),
    ...(main?.holder === undefined ? {} : { holder: main.holder.name, ...defined({ holder_at: holderPlace(main.holder) }) }),
    ...(state.error === undefined ? {} : { error: maskSecrets(state.error.message, program, state) }),
    ...askedFor(state, program),
  };
}
