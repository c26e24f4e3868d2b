import { shortenAtWord, type Json } from "../base/index.ts";
import { apply, mainStrand, type Event, type EventOf, type RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { nameOfBlock } from "./authors-name.ts";
import { itemAround } from "./item-around.ts";
import { handOutName, type LeafWords, type OpenLeaf } from "./hand-out-name.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { taskAround } from "./standing.ts";

interface Named {
  readonly block: string;
  readonly step: string;
  readonly name: string;
  /** Its end has a line. */
  readonly isShown: boolean;
}

/** The command that says whether a task is done is a block of its own. */
const check = "$check";

/** What is over in a run, a line each, from a moment on: events are given in their order, the masked ones of a record at once. */
export class RunLines {
  readonly #program: Program;
  readonly #words: LeafWords;
  #state: RunState;
  /** What was opened last in each strand and has a name. */
  readonly #last = new Map<string, Named>();
  /** What was reported last on each row of a list: it is done when the row is, or when something else is handed out for the row. */
  readonly #reported = new Map<string, { readonly block: string; readonly name: string }>();
  /** Why each strand failed last. */
  readonly #why = new Map<string, string>();

  constructor({ program, state }: { readonly program: Program; readonly state: RunState }, words: LeafWords) {
    this.#program = program;
    this.#words = words;
    this.#state = state;
    const masked = <T extends OpenLeaf>(leaf: T): T => maskSecrets(leaf as unknown as Json, program, state) as unknown as T;
    for (const leaf of Object.values(state.effects)) this.#begun(masked(leaf));
    for (const leaf of Object.values(state.actions)) this.#opened(masked(leaf));
  }

  of(events: readonly Event[]): readonly string[] {
    const lines: string[] = [];
    const failures: string[] = [];
    for (const [at, event] of events.entries()) {
      if (event.type === "failed") lines.push(...this.#failed(event, failures, events.slice(at + 1)));
      else lines.push(...this.#lineOf(event), ...this.#told(event));
      this.#state = apply(this.#state, event);
    }
    return lines;
  }

  #lineOf(event: Event): readonly string[] {
    switch (event.type) {
      case "action_opened":
        return this.#opened(event.action);
      case "effect_opened":
        return this.#begun(event.effect);
      case "left":
        return event.leaf === true ? this.#left(event) : [];
      case "item_moved":
        return this.#moved(event);
      case "strand_ended":
        this.#last.delete(event.strand);
        this.#why.delete(event.strand);
        return [];
      case "decision_closed": {
        const answer = event.answer === undefined ? "" : `: ${inOneLine(JSON.stringify(event.answer))}`;
        return [`✓ Question ${event.decision} is ${event.status}${answer}`];
      }
      default:
        return [];
    }
  }

  #told(event: Event): readonly string[] {
    const told = this.#words.told?.({ program: this.#program, state: this.#state }, event) ?? [];
    return told.map((text) => `! ${inOneLine(text)}`);
  }

  #opened(leaf: OpenLeaf): readonly string[] {
    const run = { program: this.#program, state: this.#state };
    const name = this.#ofItem(handOutName(run, leaf, this.#words, taskAround(run.state, leaf.strand)), leaf.strand);
    this.#last.set(leaf.strand, { block: leaf.block, step: leaf.step, name, isShown: true });
    const row = this.#rowOf(leaf.strand) ?? "";
    const before = this.#reported.get(row);
    if (before === undefined) return [];
    this.#reported.delete(row);
    return [before.block === leaf.block ? `✗ ${name} is not done, trying again` : `✓ ${before.name}`];
  }

  #begun(leaf: OpenLeaf): readonly string[] {
    const { strand, block, step } = leaf;
    const task = block.endsWith(check) ? block.slice(0, -check.length) : undefined;
    const before = this.#last.get(strand);
    const own = nameOfBlock(this.#program, task ?? block);
    const checked = before?.block === task ? before?.name : undefined;
    const name = checked ?? this.#words.called({ program: this.#program, state: this.#state }, leaf) ?? own;
    if (name !== undefined)
      this.#last.set(strand, { block, step, name: this.#ofItem(name, strand), isShown: (checked ?? own) !== undefined });
    return [];
  }

  /** What is done for an item of a list is named with it. */
  #ofItem(name: string, strand: string): string {
    return `${this.#withoutItem(name, strand)}${this.#itemMark(strand)}`;
  }

  #withoutItem(name: string, strand: string): string {
    const mark = this.#itemMark(strand);
    return name.endsWith(mark) ? name.slice(0, name.length - mark.length) : name;
  }

  #itemMark(strand: string): string {
    const item = itemAround({ program: this.#program, state: this.#state }, strand);
    return item === undefined ? "" : ` (${maskSecrets(item, this.#program, this.#state)})`;
  }

  /** A block that was not begun under a name. */
  #nameOf(block: string, strand: string): string | undefined {
    const name = nameOfBlock(this.#program, block);
    return name === undefined ? undefined : this.#ofItem(name, strand);
  }

  #left({ strand, block, how }: EventOf<"left">): readonly string[] {
    const last = this.#last.get(strand);
    const known = last?.block === block ? last : undefined;
    const name = known === undefined ? this.#nameOf(block, strand) : known.isShown ? known.name : undefined;
    // How it failed is an event of its own.
    if (name === undefined || how === "failed") return [];
    if (how === "skipped") return [`- ${name} (skipped)`];
    if (this.#program.blocks[`${block}${check}`] !== undefined) return [];
    const row = known === undefined ? undefined : this.#rowOf(strand);
    if (row === undefined) return [`✓ ${name}`];
    this.#reported.set(row, { block, name });
    return [];
  }

  /** The row of a declared list that the strand works on. */
  #rowOf(strand: string): string | undefined {
    const { frames = [] } = this.#state.strands[strand] ?? {};
    const frame = frames.findLast(({ kind }) => kind === "work" || kind === "call");
    if (frame?.kind !== "work" || frame.item === undefined) return undefined;
    const block = this.#program.blocks[frame.block];
    return block?.kind === "work" && block.list !== undefined ? rowKey(frame.item) : undefined;
  }

  #moved({ move }: EventOf<"item_moved">): readonly string[] {
    const row = rowKey(move);
    const { name } = this.#reported.get(row) ?? {};
    if (name === undefined || move.to === "in_progress") return [];
    this.#reported.delete(row);
    return move.to === "completed" ? [`✓ ${name}`] : move.to === "skipped" ? [`- ${name} (skipped)`] : [];
  }

  /** A line for each try that failed; what fails only because of that has none. `then`: what follows in the same record. */
  #failed({ strand, block, error }: EventOf<"failed">, failures: string[], then: readonly Event[]): readonly string[] {
    const kind = this.#program.blocks[block]?.kind;
    const last = this.#last.get(strand);
    const before = kind === "leave" ? this.#why.get(strand) : undefined;
    const follows = [...failures, ...(before === undefined ? [] : [before])].some((why) => error.message.includes(why));
    failures.push(error.message);
    this.#why.set(strand, error.message);
    if (follows) return [];
    const known = last?.block === block ? last.name : (this.#nameOf(block, strand) ?? (kind === "leave" ? last?.name : undefined));
    const name = known ?? taskAround(this.#state, strand);
    // Ids of rows are for the engine.
    const why = inOneLine(
      last === undefined ? error.message : error.message.replaceAll(`\`${last.step}\``, `\`${this.#withoutItem(last.name, strand)}\``),
    );
    const whole = then.some(isEnd) ? "The run" : undefined;
    return [name === undefined && whole === undefined ? `✗ ${why}` : `✗ ${name ?? whole} ${this.#becomes(strand, then)}: ${why}`];
  }

  #becomes(strand: string, then: readonly Event[]): string {
    const { item, frames = [] } = this.#state.strands[strand] ?? {};
    const taken = [item, ...frames.map((frame) => (frame.kind === "work" ? frame.item : undefined))];
    const rows = new Set(taken.flatMap((each) => (each === undefined ? [] : [rowKey(each)])));
    if (then.some(({ type }) => type === "ended")) return "failed";
    if (then.some((event) => isTriedAgain(event, rows))) return "failed, trying again";
    return then.some(({ type }) => type === "blocked") ? "is blocked" : "failed";
  }
}

function rowKey({ list, id }: { readonly list: string; readonly id: string }): string {
  return `${list}\n${id}`;
}

/** `rows`: what the strand that failed works on. Others are open again because they were stopped. */
function isTriedAgain(event: Event, rows: ReadonlySet<string>): boolean {
  if (event.type === "entered") return (event.frame.tries ?? 0) > 0;
  if (event.type === "moved") return typeof event.patch["tries"] === "number";
  return event.type === "item_moved" && event.move.to === "pending" && rows.has(rowKey(event.move));
}

/** Whether the run does not continue by itself. */
function isEnd(event: Event): boolean {
  return (event.type === "ended" && event.status === "failed") || (event.type === "blocked" && event.strand === mainStrand);
}

export function inOneLine(text: string): string {
  return shortenAtWord(text.replaceAll(/\s+/g, " ").trim(), 200);
}
