import type { RegexNode } from "./parse-regex.ts";

/** One step of a match: `next` is the index of the step behind it. */
export type Step =
  | { readonly kind: "set"; readonly has: (code: number) => boolean; readonly next: number }
  /** `first` is tried before `second`. */
  | { readonly kind: "fork"; readonly first: number; readonly second: number }
  | { readonly kind: "save"; readonly slot: number; readonly next: number }
  /** The slots are forgotten: a new round of a repetition begins. */
  | { readonly kind: "clear"; readonly slots: readonly number[]; readonly next: number }
  | { readonly kind: "edge"; readonly sign: "^" | "$" | "b" | "B"; readonly next: number }
  | { readonly kind: "look"; readonly program: SteadyProgram; readonly negative: boolean; readonly next: number }
  | { readonly kind: "end" };

export interface SteadyProgram {
  readonly steps: readonly Step[];
  readonly start: number;
  /** First slot of each named group: where it begins, and behind it where it ends. */
  readonly slots: ReadonlyMap<string, number>;
}

/** More steps are a repetition of repetitions, and would make each line slow. */
const mostSteps = 5000;

/** The steps of an expression; a text says why there are none. */
export function steadyProgram(root: RegexNode, groups: readonly string[]): SteadyProgram | string {
  const slots = new Map([...new Set(groups)].map((name, index) => [name, 2 * index]));
  try {
    return new Writer(slots).program(root);
  } catch (error) {
    if (error instanceof NotSteady) return error.message;
    throw error;
  }
}

class NotSteady extends Error {}

/** Writes steps from the last one to the first, so that each knows what follows it. */
class Writer {
  readonly #steps: Step[] = [];
  readonly #slots: ReadonlyMap<string, number>;
  readonly #sets = new Map<string, (code: number) => boolean>();

  constructor(slots: ReadonlyMap<string, number>) {
    this.#slots = slots;
  }

  program(root: RegexNode): SteadyProgram {
    const start = this.#node(root, this.#add({ kind: "end" }));
    return { steps: this.#steps, start, slots: this.#slots };
  }

  #add(step: Step): number {
    if (this.#steps.length >= mostSteps) throw new NotSteady("its repetitions are too many together");
    return this.#steps.push(step) - 1;
  }

  #node(node: RegexNode, next: number): number {
    const slots = (node.names ?? []).map((name) => this.#slots.get(name) ?? 0);
    const behind = slots.reduce((after, slot) => this.#add({ kind: "save", slot: slot + 1, next: after }), next);
    return slots.reduce((after, slot) => this.#add({ kind: "save", slot, next: after }), this.#part(node, behind));
  }

  #part(node: RegexNode, next: number): number {
    switch (node.kind) {
      case "set":
        return this.#add({ kind: "set", has: this.#setOf(node.source), next });
      case "sequence":
        return node.items.reduceRight((after, item) => this.#node(item, after), next);
      case "choice":
        return node.items.map((item) => this.#node(item, next)).reduceRight((second, first) => this.#add({ kind: "fork", first, second }));
      case "repeat":
        return this.#repeat(node, next);
      case "edge":
        return this.#add({ kind: "edge", sign: node.sign, next });
      case "look":
        if (node.behind) throw new NotSteady("it looks behind (`(?<=` or `(?<!`)");
        return this.#add({ kind: "look", program: new Writer(this.#slots).program(node.body), negative: node.negative, next });
      case "reference":
        throw new NotSteady("it refers back to a group");
    }
  }

  #repeat({ body, min, max, lazy }: Extract<RegexNode, { kind: "repeat" }>, next: number): number {
    const names = namesIn(body).flatMap((name) => this.#slots.get(name) ?? []);
    const round = (after: number): number => {
      const start = this.#node(body, after);
      return names.length === 0 ? start : this.#add({ kind: "clear", slots: names, next: start });
    };
    const fork = (first: number, second: number): Step =>
      lazy ? { kind: "fork", first: second, second: first } : { kind: "fork", first, second };
    let after = next;
    if (max === Infinity) {
      const loop = this.#add({ kind: "end" });
      this.#steps[loop] = fork(round(loop), next);
      after = loop;
    } else for (let times = min; times < max; times++) after = this.#add(fork(round(after), next));
    for (let times = 0; times < min; times++) after = round(after);
    return after;
  }

  /** Whether a set has a character is asked of the engine, once for each. */
  #setOf(source: string): (code: number) => boolean {
    const known = this.#sets.get(source);
    if (known !== undefined) return known;
    const regex = new RegExp(`^(?:${source})$`);
    const answers = new Int8Array(0x10000);
    const has = (code: number): boolean => {
      if (answers[code] === 0) answers[code] = regex.test(String.fromCharCode(code)) ? 1 : -1;
      return answers[code] === 1;
    };
    this.#sets.set(source, has);
    return has;
  }
}

function namesIn(node: RegexNode): readonly string[] {
  const inner = "items" in node ? node.items.flatMap(namesIn) : "body" in node ? namesIn(node.body) : [];
  return [...(node.names ?? []), ...inner];
}
