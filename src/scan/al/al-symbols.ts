import { firstIndex } from "../first-index.ts";
import { Kind, endAt, isNameAt, isWord, kindAt, nameKey, startAt, textAt, type AlDirective, type AlTokens } from "./al-tokens.ts";
import { readHeader, readVariables, type AlVariable } from "./al-declarations.ts";

/** A procedure, trigger or event, from its keyword to the next one or to the end of its object. Indexes are those of tokens. */
export interface AlRoutine {
  readonly kind: "procedure" | "trigger" | "event";
  /** Token of its name; for `trigger Source::Name`, of the last part. */
  readonly name: number;
  readonly first: number;
  /** Parameters, named return value and local variables. */
  readonly variables: AlVariable[];
  /** Lower-case keyword of the type it returns; empty when it returns nothing. */
  readonly returns: string;
}

export interface AlObject {
  /** Lower-case keyword, or empty for what is outside any object. */
  readonly keyword: string;
  readonly first: number;
  readonly globals: AlVariable[];
  readonly routines: AlRoutine[];
  /** It says `Subtype = Test`. */
  test: boolean;
}

export interface AlPlace {
  readonly object: AlObject;
  readonly routine: AlRoutine | undefined;
}

/**
 * Objects of a file with what they declare, both branches of every `#if` read. Blocks are never counted: a routine ends where the next
 * one begins, and at `#else` and `#elif` the reader goes back to where it was at their `#if`.
 */
export class AlSymbols {
  readonly tokens: AlTokens;
  readonly objects: readonly AlObject[];
  readonly #index = new WeakMap<readonly AlVariable[], ReadonlyMap<string, readonly AlVariable[]>>();
  readonly #routines = new WeakMap<AlObject, ReadonlyMap<string, readonly AlRoutine[]>>();
  readonly #elements = new WeakMap<AlObject, ReadonlySet<string>>();

  constructor(tokens: AlTokens) {
    this.tokens = tokens;
    this.objects = new Reader(tokens).read();
  }

  /** The reader always opens with what is outside any object, so that every token has a place. */
  placeOf(token: number): AlPlace {
    const object = lastBefore(this.objects, token) as AlObject;
    return { object, routine: lastBefore(object.routines, token) };
  }

  /** Variables of this name at a place: those of the routine, else of the object. Several where branches of `#if` differ. */
  variables(place: AlPlace, key: string): readonly AlVariable[] {
    const local = place.routine === undefined ? [] : this.#named(place.routine.variables, key);
    return local.length > 0 ? local : this.#named(place.object.globals, key);
  }

  globals(object: AlObject, key: string): readonly AlVariable[] {
    return this.#named(object.globals, key);
  }

  /** Procedures and events of the object with this name. Triggers cannot be called. */
  procedures(object: AlObject, key: string): readonly AlRoutine[] {
    const callable = (): AlRoutine[] => object.routines.filter((routine) => routine.kind !== "trigger");
    return remembered(this.#routines, object, () => byName(this.tokens, callable())).get(key) ?? [];
  }

  /** Whether the object or the routine declares anything of this name. */
  declares(place: AlPlace, key: string): boolean {
    return (
      this.variables(place, key).length > 0 || this.procedures(place.object, key).length > 0 || this.#elementsOf(place.object).has(key)
    );
  }

  #elementsOf(object: AlObject): ReadonlySet<string> {
    return remembered(this.#elements, object, () => {
      const next = this.objects[this.objects.indexOf(object) + 1];
      return elementNames(this.tokens, object, next?.first ?? this.tokens.count);
    });
  }

  #named(list: readonly AlVariable[], key: string): readonly AlVariable[] {
    return remembered(this.#index, list, () => byName(this.tokens, list)).get(key) ?? [];
  }
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make()));
  return value;
}

function byName<T extends { readonly name: number }>(tokens: AlTokens, list: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const map = new Map<string, T[]>();
  for (const item of list) {
    const key = nameKey(tokens, item.name);
    const same = map.get(key);
    if (same === undefined) map.set(key, [item]);
    else same.push(item);
  }
  return map;
}

function lastBefore<T extends { readonly first: number }>(list: readonly T[], token: number): T | undefined {
  return list[firstIndex(list.length, (index) => (list[index] as T).first > token) - 1];
}

/** What `#else` goes back to. */
interface Mark {
  readonly depth: number;
  readonly routine: AlRoutine | undefined;
  readonly inHeader: boolean;
}

class Reader {
  readonly #tokens: AlTokens;
  readonly #objects: AlObject[] = [];
  readonly #marks: Mark[] = [];
  #object: AlObject;
  #routine: AlRoutine | undefined;
  /** Between the head of a routine and its first `begin`. */
  #inHeader = false;
  #depth = 0;
  /** Those that make branches, and the next of them. */
  readonly #directives: readonly AlDirective[];
  #directive = 0;
  #mark = 0;

  constructor(tokens: AlTokens) {
    this.#tokens = tokens;
    this.#directives = tokens.directives.filter(({ word }) => word !== "other");
    this.#object = this.#open("", 0);
  }

  read(): readonly AlObject[] {
    const { count, kinds } = this.#tokens;
    let halt = this.#passDirectives(0);
    for (let at = 0; at < count;) {
      if (at >= halt) halt = this.#passDirectives(at);
      const kind = kinds[at];
      if (kind === Kind.NAME) at = this.#word(at);
      else {
        if (kind === Kind.BRACE_OPEN) this.#depth += 1;
        else if (kind === Kind.BRACE_CLOSE && this.#depth > 0) this.#depth -= 1;
        at += 1;
      }
      // Outside of any block every name may be the keyword of an object.
      if (this.#depth > 0) at = Math.max(at, Math.min(this.#nextMark(at), halt));
    }
    return this.#objects;
  }

  #nextMark(from: number): number {
    const { marks, count } = this.#tokens;
    while (this.#mark < marks.length && (marks[this.#mark] as number) < from) this.#mark += 1;
    return marks[this.#mark] ?? count;
  }

  #open(keyword: string, first: number): AlObject {
    const object: AlObject = { keyword, first, globals: [], routines: [], test: false };
    this.#objects.push(object);
    return object;
  }

  /** Takes note of all that come before a token. Returns the first token that has another one before it. */
  #passDirectives(at: number): number {
    for (; this.#directive < this.#directives.length; this.#directive += 1) {
      const { word, before } = this.#directives[this.#directive] as AlDirective;
      if (before > at) return before;
      if (word === "if") this.#marks.push({ depth: this.#depth, routine: this.#routine, inHeader: this.#inHeader });
      else if (word === "endif") this.#marks.pop();
      else this.#goBack(this.#marks.at(-1));
    }
    return Infinity;
  }

  #goBack(mark: Mark | undefined): void {
    if (mark === undefined) return;
    this.#depth = mark.depth;
    // A routine that began in the other branch has ended; one that was open continues.
    if (mark.routine !== undefined && mark.routine === this.#routine) this.#inHeader = mark.inHeader;
  }

  /** Returns the token to continue with. */
  #word(at: number): number {
    const tokens = this.#tokens;
    const length = (tokens.ends[at] as number) - (tokens.starts[at] as number);
    if (length === 3 && isWord(tokens, at, "var")) return this.#variables(at);
    if (length === 5 && isWord(tokens, at, "begin")) this.#inHeader = false;
    else if (length === 9 && isWord(tokens, at, "procedure")) return this.#openRoutine("procedure", at);
    else if (length === 7 && isWord(tokens, at, "trigger")) return this.#openRoutine("trigger", at);
    else if (length === 5 && this.#object.keyword === "controladdin" && isWord(tokens, at, "event")) return this.#openRoutine("event", at);
    else if (length === 7 && isWord(tokens, at, "subtype")) {
      if (kindAt(tokens, at + 1) === Kind.EQUALS && isWord(tokens, at + 2, "test")) this.#object.test = true;
    } else {
      const keyword = objectKeywordAt(tokens, at, this.#depth);
      if (keyword !== undefined) {
        this.#object = this.#open(keyword, at);
        this.#routine = undefined;
        this.#inHeader = false;
        this.#depth = 0;
      }
    }
    return at + 1;
  }

  #openRoutine(kind: AlRoutine["kind"], at: number): number {
    const tokens = this.#tokens;
    const before = kindAt(tokens, at - 1);
    const header = before === Kind.DOT || before === Kind.DOUBLE_COLON ? undefined : readHeader(tokens, at + 1);
    if (header === undefined) return at + 1;
    this.#routine = { kind, name: header.name, first: at, variables: header.variables, returns: header.returns };
    this.#object.routines.push(this.#routine);
    this.#inHeader = true;
    return header.next;
  }

  #variables(at: number): number {
    const before = kindAt(this.#tokens, at - 1);
    if (before === Kind.DOT || before === Kind.DOUBLE_COLON) return at + 1;
    const shared = isWord(this.#tokens, at - 1, "protected");
    const local = this.#inHeader && this.#routine !== undefined;
    const scope = local ? "local" : shared ? "protected" : "global";
    return readVariables(this.#tokens, at + 1, scope, local ? (this.#routine as AlRoutine).variables : this.#object.globals);
  }
}

/** Objects whose elements their own code can name. */
const haveElements = new Set(["table", "tableextension", "report", "reportextension", "xmlport", "query"]);

/** Words before the bracket of an element that has a name alone, or its name first. */
const namesFirst = ["dataitem", "tableelement", "textelement", "fieldelement", "textattribute", "fieldattribute"];

/**
 * Names of the fields, data items and elements of an object that ends before a token: its code can use them like variables. What only
 * looks like one is taken too: a name too many leaves a call to a person, no more.
 */
function elementNames(tokens: AlTokens, object: AlObject, end: number): ReadonlySet<string> {
  const names = new Set<string>();
  if (!haveElements.has(object.keyword)) return names;
  for (let at = object.first; at < end; at += 1) {
    if (isNameAt(tokens, at) && isElement(tokens, at)) names.add(nameKey(tokens, at));
  }
  return names;
}

function isElement(tokens: AlTokens, at: number): boolean {
  const before = kindAt(tokens, at - 1);
  const after = kindAt(tokens, at + 1);
  if (after === Kind.SEMICOLON) return before === Kind.SEMICOLON || before === Kind.PAREN_OPEN;
  return after === Kind.PAREN_CLOSE && before === Kind.PAREN_OPEN && namesFirst.some((word) => isWord(tokens, at - 2, word));
}

const titles =
  "Codeunit Page PageExtension PageCustomization Table TableExtension Report ReportExtension Query XmlPort Enum EnumExtension Interface " +
  "PermissionSet PermissionSetExtension Profile ProfileExtension ControlAddIn Entitlement DotNet";

/** How the type of an object is shown, by the keyword that declares it. */
export const objectTitles: ReadonlyMap<string, string> = new Map(titles.split(" ").map((title) => [title.toLowerCase(), title]));

/**
 * The lower-case keyword when an object is declared at this token. `depth` is the number of braces that seem open; a numbered object is
 * also recognised where it is wrong, because branches of `#if` may open a brace twice.
 */
export function objectKeywordAt(tokens: AlTokens, at: number, depth: number): string | undefined {
  const next = kindAt(tokens, at + 1);
  const numbered = next === Kind.NUMBER;
  if (endAt(tokens, at) - startAt(tokens, at) < 4 || !(numbered || (depth === 0 && (next === Kind.BRACE_OPEN || isNameAt(tokens, at + 1)))))
    return undefined;
  const before = kindAt(tokens, at - 1);
  if (depth > 0 && before !== Kind.BRACE_CLOSE && before !== Kind.SEMICOLON) return undefined;
  const keyword = tokens.foldCase ? textAt(tokens, at).toLowerCase() : textAt(tokens, at);
  if (!objectTitles.has(keyword)) return undefined;
  if (next === Kind.BRACE_OPEN) return keyword === "dotnet" ? keyword : undefined;
  const name = numbered ? at + 2 : at + 1;
  return isNameAt(tokens, name) && opensSoon(tokens, name + 1) ? keyword : undefined;
}

/** The brace comes after `extends X`, `customizes X` or `implements A, B` at most. */
function opensSoon(tokens: AlTokens, from: number): boolean {
  const kind = kindAt(tokens, from);
  return kind === Kind.BRACE_OPEN || kind === 0 || ["extends", "customizes", "implements"].some((word) => isWord(tokens, from, word));
}
