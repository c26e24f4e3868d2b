import { parseRegex } from "./parse-regex.ts";
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
  return (text) => {
    const read = text.slice(0, most);
    const tried = new Tried(program, read);
    for (let start = 0; start <= read.length; start++) {
      const found = matchAt(program, read, start, tried);
      if (found !== undefined) return groupsOf(program, read, found);
    }
    return undefined;
  };
}

/** Which step was tried at which place, over all starts: what failed once fails again. */
class Tried {
  readonly #bits: Uint32Array;
  readonly #width: number;

  constructor({ steps }: SteadyProgram, text: string) {
    this.#width = text.length + 1;
    this.#bits = new Uint32Array(Math.ceil((steps.length * this.#width) / 32));
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

/** A way that is still to be tried; or, with a slot, what it held before, once the ways behind it have failed. */
type Job = { readonly step: number; readonly at: number } | { readonly slot: number; readonly held: number | undefined };

type Slots = (number | undefined)[];

function matchAt(program: SteadyProgram, text: string, start: number, tried: Tried): Slots | undefined {
  const slots: Slots = [];
  const jobs: Job[] = [{ step: program.start, at: start }];
  for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
    if ("slot" in job) slots[job.slot] = job.held;
    else if (follow(program, text, job, { slots, jobs, tried })) return slots;
  }
  return undefined;
}

interface Walk {
  readonly slots: Slots;
  readonly jobs: Job[];
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
    } else if (now.kind === "fork") walk.jobs.push({ step: now.second, at });
    else if (now.kind === "edge" ? !isEdge(now.sign, text, at) : now.kind === "look" && !looks(now, text, at, walk)) return false;
    else if (now.kind === "save") keep(walk, now.slot, at);
    else if (now.kind === "clear") for (const slot of now.slots) keep(walk, slot, undefined);
    step = now.kind === "fork" ? now.first : now.next;
  }
  return false;
}

function keep({ slots, jobs }: Walk, slot: number, value: number | undefined): void {
  jobs.push({ slot, held: slots[slot] });
  slots[slot] = value;
}

/** Groups of a look ahead that holds keep what they found. */
function looks({ program, negative }: Extract<Step, { kind: "look" }>, text: string, at: number, walk: Walk): boolean {
  const found = matchAt(program, text, at, new Tried(program, text));
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
