import { parseRegex, type RegexNode } from "./parse-regex.ts";
import { steadyProgram, type Step, type SteadyProgram } from "./steady-program.ts";

/** The text of each named group of the first match, undefined where a group took no part; undefined without a match. */
export type SteadyRegex = (text: string) => Readonly<Record<string, string | undefined>> | undefined;

/** Characters of a text that are looked at; with a look ahead, which may read the rest at each place, fewer. */
const longest = 20_000;
const longestWithLook = 2000;

/**
 * An expression whose time is proportional to the text's length times its own, whatever the text is: no step is tried twice at one place. It finds
 * what the engine's expression without flags finds in the beginning of the text. What would need more than that is refused, with the reason:
 * references to groups, looks behind. Throws SyntaxError for what is not an expression.
 */
export function steadyRegex(source: string): SteadyRegex | string {
  new RegExp(source);
  const { root, groups } = parseRegex(source, "");
  const program = steadyProgram(root, groups);
  if (typeof program === "string") return program;
  const most = program.steps.some(({ kind }) => kind === "look") ? longestWithLook : longest;
  const isAnchored = beginsAtStart(root);
  const tried = new Tried();
  return (text) => {
    const read = text.length > most ? text.slice(0, most) : text;
    tried.begin(program, read);
    const last = isAnchored ? 0 : read.length;
    for (let start = 0; start <= last; start++) {
      const found = matchAt(program, read, start, tried);
      if (found !== undefined) return groupsOf(program, read, found);
    }
    return undefined;
  };
}

/** Whether each way through it begins with `^`. */
function beginsAtStart(node: RegexNode): boolean {
  if (node.kind === "sequence") return node.items[0] !== undefined && beginsAtStart(node.items[0]);
  if (node.kind === "choice") return node.items.every(beginsAtStart);
  return node.kind === "edge" && node.sign === "^";
}

/** Which step was tried at which place, over all starts: what failed once fails again. */
class Tried {
  #bits = new Uint32Array(64);
  #width = 0;

  begin({ steps }: SteadyProgram, text: string): this {
    this.#width = text.length + 1;
    const words = Math.ceil((steps.length * this.#width) / 32);
    if (words > this.#bits.length) this.#bits = new Uint32Array(2 * words);
    else this.#bits.fill(0, 0, words);
    return this;
  }

  /** Whether it is the first time. */
  add(step: number, at: number): boolean {
    const bit = step * this.#width + at;
    const mask = 1 << (bit & 31);
    const word = this.#bits[bit >>> 5]!;
    if ((word & mask) !== 0) return false;
    this.#bits[bit >>> 5] = word | mask;
    return true;
  }
}

type Slots = (number | undefined)[];

/**
 * Ways that are still to be tried, the last one first, as pairs: a step and a place; or, with a negative number, a slot and what it held before,
 * once the ways behind it have failed (-1 for nothing).
 */
type Jobs = number[];

function matchAt(program: SteadyProgram, text: string, start: number, tried: Tried): Slots | undefined {
  const slots: Slots = [];
  const jobs: Jobs = [program.start, start];
  while (jobs.length > 0) {
    const at = jobs.pop()!;
    const step = jobs.pop()!;
    if (step < 0) slots[-1 - step] = at < 0 ? undefined : at;
    else if (follow(program, text, { step, at }, { slots, jobs, tried })) return slots;
  }
  return undefined;
}

interface Walk {
  readonly slots: Slots;
  readonly jobs: Jobs;
  readonly tried: Tried;
}

/** Continues from step to step until one fails, or the end is there. */
function follow({ steps }: SteadyProgram, text: string, from: { readonly step: number; readonly at: number }, walk: Walk): boolean {
  let { step, at } = from;
  while (walk.tried.add(step, at)) {
    const now = steps[step]!;
    if (now.kind === "end") return true;
    if (now.kind === "set") {
      if (at >= text.length || !now.has(text.charCodeAt(at))) return false;
      at++;
    } else if (now.kind === "fork") walk.jobs.push(now.second, at);
    else if (now.kind === "edge" ? !isEdge(now.sign, text, at) : now.kind === "look" && !looks(now, text, at, walk)) return false;
    else if (now.kind === "save") keep(walk, now.slot, at);
    else if (now.kind === "clear") for (const slot of now.slots) keep(walk, slot, undefined);
    step = now.kind === "fork" ? now.first : now.next;
  }
  return false;
}

function keep({ slots, jobs }: Walk, slot: number, value: number | undefined): void {
  jobs.push(-1 - slot, slots[slot] ?? -1);
  slots[slot] = value;
}

/** Groups of a look ahead that holds keep what they found. */
function looks({ program, negative }: Extract<Step, { kind: "look" }>, text: string, at: number, walk: Walk): boolean {
  const found = matchAt(program, text, at, new Tried().begin(program, text));
  if (!negative) found?.forEach((value, slot) => keep(walk, slot, value));
  return (found !== undefined) !== negative;
}

function isEdge(sign: Extract<Step, { kind: "edge" }>["sign"], text: string, at: number): boolean {
  if (sign === "^") return at === 0;
  if (sign === "$") return at === text.length;
  return (isWord(text, at - 1) !== isWord(text, at)) === (sign === "b");
}

function isWord(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at));
}

function groupsOf({ slots }: SteadyProgram, text: string, found: Slots): Record<string, string | undefined> {
  const groups: Record<string, string | undefined> = Object.create(null) as Record<string, string | undefined>;
  for (const [name, slot] of slots) {
    const [from, to] = [found[slot], found[slot + 1]];
    groups[name] = from === undefined || to === undefined ? undefined : text.slice(from, to);
  }
  return groups;
}
