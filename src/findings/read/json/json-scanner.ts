import { Damage, nothing, spotIn, type Spot } from "./damage.ts";
import { damagedText } from "./damaged-text.ts";
import type { Part, Wanted } from "./wanted.ts";
import { canBeginScalar, closingCode, closingOf, passValue, type ValueRun } from "./value-run.ts";

type Expecting = "value" | "first value" | "first key" | "key" | "colon" | "next" | "nothing";

interface Frame {
  readonly wanted: Wanted;
  readonly list: boolean;
  /** The path to it. */
  readonly path: string;
  key: string | undefined;
  index: number;
}

/** Deeper than any report of a tool, and not so deep that anything that reads it runs out of stack. */
const deepest = 500;
/** Characters of one value that is handed over: one result, one message. */
const longest = 64 * 1024 * 1024;
const longestScalar = 1000;

const scalarForm = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const spaces: ReadonlySet<string> = new Set(" \t\r\n");

/**
 * Reads a JSON document that comes in chunks, cut anywhere, and hands over the wanted parts one by one. It holds at most one of them, so memory
 * does not grow with the document, and time is proportional to its length. In what is passed over only brackets and quotes are looked at.
 */
export class JsonScanner {
  /** Every value is looked at by itself, to find the fault in a text that is known to have one. */
  readonly #checksAll: boolean;
  readonly #frames: Frame[] = [];
  #expecting: Expecting = "value";
  #wanted: Wanted | undefined;
  #run: ValueRun | undefined;
  #part: Part | undefined;
  #chunk = "";
  #at = 0;
  /** Characters before the chunk. */
  #before = 0;
  #line = 1;
  #lineStart = 0;
  /** Where in the chunk the next line begins that is not counted yet. */
  #nextLine = Infinity;

  constructor(wanted: Wanted | undefined, checksAll = false) {
    this.#wanted = wanted;
    this.#checksAll = checksAll;
  }

  /** The parts that end in this chunk. Throws Damage where the document is not JSON or has another shape than is wanted. */
  *feed(chunk: string): Generator<Part, void, undefined> {
    this.#chunk = chunk;
    this.#at = this.#before === 0 && chunk.startsWith("\uFEFF") ? 1 : 0;
    this.#nextLine = lineBehind(chunk, 0);
    while (this.#at < chunk.length) {
      if (this.#run === undefined) this.#step();
      else this.#pass(this.#run, this.#at);
      const part = this.#part;
      this.#part = undefined;
      if (part !== undefined) yield part;
    }
    this.#spot(chunk.length);
    this.#before += chunk.length;
    this.#chunk = "";
    this.#at = 0;
    this.#nextLine = Infinity;
  }

  /** Says that no chunk follows. */
  end(): void {
    const run = this.#run;
    if (run?.kind === "scalar" && this.#frames.length === 0) this.#finish(run);
    if (this.#run === undefined && this.#expecting === "nothing") return;
    const isBegun = run !== undefined || this.#frames.length > 0;
    throw new Damage(run === undefined ? this.#needed() : closingOf(run), this.#spot(0), isBegun ? "" : nothing);
  }

  /** What of the chunk is not read yet. */
  rest(): string {
    return this.#chunk.slice(this.#at);
  }

  #step(): void {
    const character = this.#chunk.charAt(this.#at);
    if (spaces.has(character)) {
      this.#at++;
      return;
    }
    switch (this.#expecting) {
      case "first value":
        return character === "]" ? this.#close() : this.#value(character);
      case "value":
        return this.#value(character);
      case "first key":
        return character === "}" ? this.#close() : this.#key(character);
      case "key":
        return this.#key(character);
      case "colon":
        if (character !== ":") this.#refuse();
        this.#at++;
        this.#expecting = "value";
        return;
      case "next":
        return this.#next(character);
      case "nothing":
        return this.#refuse();
    }
  }

  #next(character: string): void {
    const frame = this.#frames.at(-1)!;
    if (character === (frame.list ? "]" : "}")) return this.#close();
    if (character !== ",") this.#refuse();
    this.#at++;
    frame.index++;
    frame.key = undefined;
    this.#wanted = frame.wanted.items;
    this.#expecting = frame.list ? "value" : "key";
  }

  #key(character: string): void {
    if (character !== '"') this.#refuse();
    this.#begin("string", undefined, true);
  }

  #value(character: string): void {
    const wanted = this.#wanted;
    const container = character === "{" || character === "[";
    if (container && (this.#checksAll || (character === "{" ? wanted?.keys : wanted?.items) !== undefined)) {
      return this.#enter(wanted ?? {}, character === "[");
    }
    if (wanted?.keys !== undefined || wanted?.items !== undefined) {
      if (wanted.needed !== undefined || character !== "n")
        this.#refuse(wanted.needed ?? (wanted.keys === undefined ? "a list" : "an object"));
    }
    if (character === '"') return this.#begin("string", wanted);
    if (container) return this.#begin("container", wanted);
    if (!canBeginScalar(character)) this.#refuse();
    this.#begin("scalar", wanted);
  }

  #enter(wanted: Wanted, list: boolean): void {
    if (this.#frames.length >= deepest) this.#refuse("fewer levels of brackets");
    this.#tell(wanted.begins);
    this.#frames.push({ wanted, list, path: this.#path(), key: undefined, index: 0 });
    this.#wanted = wanted.items;
    this.#expecting = list ? "first value" : "first key";
    this.#at++;
  }

  #close(): void {
    const { wanted } = this.#frames.pop()!;
    this.#tell(wanted.ends);
    this.#at++;
    this.#expecting = this.#frames.length === 0 ? "nothing" : "next";
  }

  #tell(name: string | undefined): void {
    if (name !== undefined) this.#part = this.#partOf(name, undefined, this.#spot(this.#at));
  }

  #begin(kind: ValueRun["kind"], wanted: Wanted | undefined, key = false): void {
    const from = this.#at;
    const collects = key || kind === "scalar" || wanted?.take !== undefined || this.#checksAll;
    const open = kind === "container" ? [closingCode(this.#chunk.charCodeAt(from))] : [];
    const inString = kind === "string";
    this.#run = { wanted, key, kind, at: this.#spot(from), pieces: collects ? [] : undefined, size: 0, open, inString, escaped: false };
    if (kind !== "scalar") this.#at++;
    this.#pass(this.#run, from);
  }

  /** Continues to the end of the value, or of the chunk. */
  #pass(run: ValueRun, from: number): void {
    const { at, isEnded, expected } = passValue(this.#chunk, this.#at, run, deepest - this.#frames.length);
    this.#at = at;
    if (expected !== undefined) this.#refuse(expected);
    if (run.pieces !== undefined) {
      run.size += this.#at - from;
      run.pieces.push(this.#chunk.slice(from, this.#at));
      if (run.size > (run.kind === "scalar" ? longestScalar : longest)) throw new Damage("a shorter value", run.at, run.pieces[0]);
    }
    if (isEnded) this.#finish(run);
  }

  #finish(run: ValueRun): void {
    this.#run = undefined;
    this.#expecting = run.key ? "colon" : this.#frames.length === 0 ? "nothing" : "next";
    if (run.pieces === undefined) return;
    const text = run.pieces.join("");
    if (run.kind === "scalar" && !scalarForm.test(text)) throw new Damage("a value", run.at, text);
    if (run.key) this.#enterKey(String(parsed(text, run)));
    else if (run.wanted?.take !== undefined) this.#part = this.#partOf(run.wanted.take, parsed(text, run), run.at);
    else if (run.kind === "string") parsed(text, run);
  }

  #enterKey(key: string): void {
    const frame = this.#frames.at(-1)!;
    const { keys = {} } = frame.wanted;
    frame.key = key;
    this.#wanted = Object.hasOwn(keys, key) ? keys[key] : undefined;
  }

  #needed(): string {
    switch (this.#expecting) {
      case "value":
      case "first value":
        return (this.#frames.length === 0 ? this.#wanted?.needed : undefined) ?? "a value";
      case "first key":
      case "key":
        return "a name in double quotes";
      case "colon":
        return "`:`";
      case "next":
        return this.#frames.at(-1)!.list ? "`,` or `]`" : "`,` or `}`";
      case "nothing":
        return "the end of the text";
    }
  }

  #refuse(expected: string = this.#needed()): never {
    throw new Damage(expected, this.#spot(this.#at));
  }

  #partOf(name: string, value: unknown, at: Spot): Part {
    return { name, indexes: this.#frames.filter(({ list }) => list).map(({ index }) => index), value, at };
  }

  #path(): string {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return "";
    return frame.list ? `${frame.path}[${frame.index}]` : frame.key === undefined ? frame.path : `${frame.path}.${frame.key}`;
  }

  /** Where a character of the chunk is, and in which value. Places are asked for in their order, so each line is counted once. */
  #spot(at: number): Spot {
    while (this.#nextLine <= at) {
      this.#line++;
      this.#lineStart = this.#before + this.#nextLine;
      this.#nextLine = lineBehind(this.#chunk, this.#nextLine);
    }
    const offset = this.#before + at;
    return { offset, line: this.#line, column: offset - this.#lineStart + 1, path: this.#path() };
  }
}

function lineBehind(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? Infinity : at + 1;
}

function parsed(text: string, { kind, at }: ValueRun): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw kind === "container" ? damageInside(text, at) : damagedText(text, at);
  }
}

/** Scans a faulty object or list again, value by value. */
function damageInside(text: string, begin: Spot): Damage {
  const scanner = new JsonScanner(undefined, true);
  try {
    for (const part of scanner.feed(text)) void part;
    scanner.end();
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    const { offset, path } = error.at;
    return new Damage(error.expected, spotIn(text, begin, offset, `${begin.path}${path}`), text.slice(offset));
  }
  return new Damage("valid JSON", begin, text);
}
