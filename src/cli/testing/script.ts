import type { Json, JsonObject } from "../../base/index.ts";
import { differences, fitsText } from "./match-value.ts";
import type { ScriptedStep, WorkflowTest } from "./workflow-test.ts";

/** What the workflow hands out. */
export interface HandedOut {
  readonly run: string;
  readonly id: string;
  readonly step: string;
  readonly type: string;
  readonly task?: string;
  readonly definition: JsonObject;
  readonly instructions: string;
}

/** `relayed`: an answer that a person gave elsewhere. */
export type Reply = ({ readonly result: Json } | { readonly error: string }) & { readonly relayed?: boolean };

/** Steps that need no answer: they are acknowledged unless a test is strict about them. */
const silent = new Set(["user_message", "state_update"]);

/** The script of one test: gives the reply to each thing handed out and notes what is not as it should be. */
export class Script {
  readonly problems: string[] = [];
  /** Messages shown so far. */
  readonly messages: Json[] = [];
  readonly #test: WorkflowTest;
  #at = 0;

  constructor(test: WorkflowTest) {
    this.#test = test;
  }

  /** Whether the test itself says what comes of it; else its agent is asked, where it has one. */
  answersTo(handed: HandedOut): boolean {
    const next = this.#test.steps[this.#at];
    return (next !== undefined && isMeant(next, handed)) || this.#answerFor(handed) !== undefined || silent.has(handed.type);
  }

  #answerFor({ step }: HandedOut): Json | undefined {
    return Object.entries(this.#test.answers).find(([pattern]) => names(pattern, step))?.[1];
  }

  /** The reply, or undefined when the script has none; then the test stops. */
  replyTo(handed: HandedOut): Reply | undefined {
    if (handed.type === "user_message") this.messages.push(handed.definition["message"] ?? null);
    const next = this.#test.steps[this.#at];
    if (next !== undefined && isMeant(next, handed)) {
      this.#at++;
      const actual = { ...handed.definition, instructions: handed.instructions, type: handed.type };
      this.problems.push(...differences(next.expect ?? {}, actual, handed.step));
      return next.fail === undefined ? { result: next.answer ?? null } : { error: next.fail };
    }
    const known = this.#answerFor(handed);
    if (known !== undefined) return { result: known };
    if (silent.has(handed.type) && !this.#test.strict) return { result: null };
    if (next !== undefined || this.#test.status !== "running") this.problems.push(unexpected(handed, next));
    return undefined;
  }

  /** What is left of the script when the run has ended. */
  finish(): void {
    for (const step of this.#test.steps.slice(this.#at)) this.problems.push(`${nameOf(step)} was never handed out`);
  }
}

function isMeant(step: ScriptedStep, handed: HandedOut): boolean {
  if (step.step !== undefined && !names(step.step, handed.step)) return false;
  if (step.type !== undefined && step.type !== handed.type) return false;
  return step.task === undefined || step.task === handed.task;
}

/** A step inside others is handed out as `outer.inner`; its own id is enough to name it. */
function names(pattern: string, step: string): boolean {
  return fitsText(pattern, step) || (!pattern.includes(".") && fitsText(pattern, step.slice(step.lastIndexOf(".") + 1)));
}

function nameOf({ step, type = "", task }: ScriptedStep): string {
  return `${step === undefined ? `a step of type \`${type}\`` : `\`${step}\``}${ofTask(task)}`;
}

function unexpected({ step, type, task }: HandedOut, next: ScriptedStep | undefined): string {
  const instead = next === undefined ? "nothing more is scripted" : `${nameOf(next)} was expected`;
  return `\`${step}\` (${type})${ofTask(task)} was handed out, but ${instead}; give it an entry in \`steps\` or \`answers\``;
}

function ofTask(task: string | undefined): string {
  return task === undefined ? "" : ` of task \`${task}\``;
}
