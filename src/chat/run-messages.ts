import { own, textOf } from "../base/index.ts";
import { apply, emptyState, type Action, type Event, type EventOf, type Frame, type RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { handOutName, nameOfBlock, openQuestions, type LeafWords } from "../views/index.ts";
import { questionText, type Question } from "./question-text.ts";
import { stepOfLabel, stepsText, type ShownStep } from "./step-names.ts";

type OpenLeaf = Pick<Action, "strand" | "block" | "step" | "what" | "args">;

interface OpenState {
  readonly program: Program;
  readonly state: RunState;
}

/** What dialects call what they hand out, and what of it is only to be shown to the person. */
export interface RunWords extends LeafWords {
  says(run: OpenState, action: Action): string | undefined;
  /** What its agent says, without what is for the engine alone. */
  spoken(run: OpenState, action: Action, text: string): string;
  /** How a question is answered, where that is not by a message. `open`: all that the run asks by then. */
  how(run: string, question: Question, open: readonly Question[]): string | undefined;
}

/** Who answered by this surface was answered there. */
export const chatSurface = "chat";

/** What a chat says of a run, made from its journal alone. Records are given in their order, the first one first, with secrets masked. */
export class RunMessages {
  readonly #program: Program;
  readonly #words: RunWords;
  #state: RunState = emptyState;
  /** Blocks that were named and are not left, by strand and block. */
  readonly #named = new Set<string>();
  /** What each strand does, as it was named last, and what failed last. */
  readonly #doing = new Map<string, string>();
  #failed: string | undefined;
  #lastNamed = "";

  constructor(program: Program, words: RunWords) {
    this.#program = program;
    this.#words = words;
  }

  /** Questions that are open as of the last record. */
  get asked(): readonly Question[] {
    return openQuestions(this.#state);
  }

  get isOver(): boolean {
    return this.#state.status !== "running";
  }

  /** What the agent of an action said, as people see it. */
  spoken(action: string, text: string): string {
    const open = own(this.#state.actions, action);
    return open === undefined ? text : this.#words.spoken({ program: this.#program, state: this.#state }, open, text);
  }

  of(events: readonly Event[]): readonly string[] {
    const messages: string[] = [];
    for (const event of events) {
      if (event.type === "failed") this.#failed = this.#doing.get(event.strand) ?? this.#failed;
      if (event.type === "decision_closed") messages.push(...this.#closed(event));
      this.#state = apply(this.#state, event);
      messages.push(...this.#messagesOf(event));
    }
    return messages;
  }

  #messagesOf(event: Event): readonly string[] {
    switch (event.type) {
      case "started":
        return [startText(this.#program)];
      case "action_opened":
        return this.#handedOut(event.action);
      case "effect_opened":
        return this.#begins(event.effect);
      case "decision_opened":
        return [...this.#labels(event.decision.strand), this.questionText(event.decision)];
      case "left":
        this.#named.delete(keyOf(event.strand, event.block));
        return [];
      case "strand_ended":
        this.#forget(event.strand);
        return [];
      case "reopened":
        this.#failed = undefined;
        this.#lastNamed = "";
        return [`**Workflow resumed**: ${this.#program.name}`];
      case "ended":
        return [this.#ended(event)];
      default:
        return [];
    }
  }

  /** As it is shown. */
  questionText(question: Question): string {
    const { id: run } = this.#state;
    return questionText({ run, workflow: this.#program.name }, question, this.#words.how(run, question, this.asked));
  }

  #handedOut(action: Action): readonly string[] {
    const text = this.#words.says({ program: this.#program, state: this.#state }, action);
    return text === undefined ? this.#begins(action) : [...this.#labels(action.strand), ...(text === "" ? [] : [text])];
  }

  /** Labelled blocks around a leaf are named when the first thing in them begins: what is skipped is not. */
  #begins(leaf: OpenLeaf): readonly string[] {
    const labels = this.#labels(leaf.strand);
    const frames = this.#framesAround(leaf.strand);
    const isLabelled = frames.some(({ frame }) => this.#labelOf(frame) !== undefined);
    // What is done for each item of a list would be too much.
    const isItem = frames.some(({ frame }) => frame.kind === "work");
    const name = this.#nameOf(leaf);
    if (name !== undefined && !isLabelled) this.#doing.set(leaf.strand, name);
    return labels.length > 0 || isLabelled || isItem || name === undefined ? labels : [stepText({ kind: "step", name })];
  }

  #nameOf(leaf: OpenLeaf): string | undefined {
    const run = { program: this.#program, state: this.#state };
    const block = this.#program.blocks[leaf.block];
    if (block?.kind !== "do" || (block.who === "engine" && nameOfBlock(this.#program, leaf.block) === undefined)) return undefined;
    return handOutName(run, leaf, this.#words);
  }

  #labels(strand: string): readonly string[] {
    return this.#framesAround(strand).flatMap(({ frame, of }) => {
      const step = this.#labelOf(frame);
      const key = keyOf(of, frame.block);
      if (step === undefined) return [];
      this.#doing.set(strand, step.name);
      if (this.#named.has(key)) return [];
      this.#named.add(key);
      // A phase may have several parts, which are one for people.
      const text = stepText(step);
      const isSame = step.of === undefined && this.#lastNamed === text;
      this.#lastNamed = text;
      return isSame ? [] : [text];
    });
  }

  #labelOf({ block }: Frame): ShownStep | undefined {
    const label = this.#program.blocks[block]?.label;
    return label === undefined ? undefined : stepOfLabel(label);
  }

  /** Outermost first, of the strand and of those that it belongs to. */
  #framesAround(strand: string): readonly { readonly frame: Frame; readonly of: string }[] {
    const held = this.#state.strands[strand];
    if (held === undefined) return [];
    const around = held.parent === undefined ? [] : this.#framesAround(held.parent);
    return [...around, ...held.frames.map((frame) => ({ frame, of: strand }))];
  }

  #forget(strand: string): void {
    this.#doing.delete(strand);
    for (const key of this.#named) if (key.startsWith(keyOf(strand, ""))) this.#named.delete(key);
  }

  /** Who answered here knows it. */
  #closed({ decision, status, answer, by }: EventOf<"decision_closed">): readonly string[] {
    const held = this.#state.decisions[decision];
    if (held === undefined || by?.surface === chatSurface) return [];
    const how = answer === undefined ? status : `answered${by === undefined ? "" : ` by ${by.name}`}: ${textOf(answer)}`;
    return [`The question \`${held.step}\` is ${how}`];
  }

  #ended({ status, error }: EventOf<"ended">): string {
    const { name } = this.#program;
    if (status === "completed") return `**Workflow complete**: ${name}`;
    if (status === "cancelled") return `**Workflow cancelled**: ${name}${error === undefined ? "" : `\n\n${error.message}`}`;
    const where = this.#failed === undefined ? `: ${name}` : ` at step: ${this.#failed}`;
    return `**Workflow failed**${where}\n\nError: ${error?.message ?? "No reason was given."}`;
  }
}

function keyOf(strand: string, block: string): string {
  return `${strand}\n${block}`;
}

function startText(program: Program): string {
  const { name, parts, main } = program;
  const steps = stepsText(program);
  const description = parts[main]?.description.trim() ?? "";
  return [`**Starting workflow**: ${name}`, description, steps === "" ? "" : `Steps: ${steps}`].filter((part) => part !== "").join("\n\n");
}

/** `**Step 1/3**: plan`, or with the word of its dialect: `**Node**: review`. */
function stepText({ kind, name, of }: ShownStep): string {
  const word = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return `**${word}${of === undefined ? "" : ` ${of}`}**: ${name}`;
}
