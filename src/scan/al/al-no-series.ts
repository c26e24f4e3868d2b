import { defined } from "../../base/index.ts";
import type { Finder, Found, TextEdit } from "../finder.ts";
import { branchesAt, exclude } from "./al-branches.ts";
import { readCall } from "./al-call.ts";
import type { AlType, AlVariable } from "./al-declarations.ts";
import { AlSymbols, type AlObject, type AlRoutine } from "./al-symbols.ts";
import { Kind, endAt, isNameAt, isWord, kindAt, nameKey, plainName, startAt, textAt, tokenAt, type AlTokens } from "./al-tokens.ts";
import { readAlTokens } from "./lex-al.ts";
import { convertedElsewhere } from "./no-series-branches.ts";
import { noSeriesSections, otherMethod, readUse, type NoSeriesUse } from "./no-series-uses.ts";

const oldName = "noseriesmanagement";
const oldNumber = "396";
const newName = '"No. Series"';

/** Finds declarations and calls of the old number series codeunit, by declared type. A declaration and its uses change together. */
export const alNoSeries: Finder = {
  id: "al-no-series",
  needles: [oldName, oldNumber],
  find: (source) => (/noseriesmanagement|(?<!\d)396(?!\d)/i.test(source.text) ? findNoSeries(readAlTokens(source.text)) : []),
};

export function findNoSeries(tokens: AlTokens): readonly Found[] {
  const symbols = new AlSymbols(tokens);
  const declarations = symbols.objects.flatMap((object) => declarationsOf(symbols, object));
  const found = [
    ...declarations.flatMap((declaration) => describe(symbols, declaration)),
    ...references(symbols, new Set(declarations.map(({ type }) => type.subjectLast))),
  ];
  const tokenOf = ({ start }: Found): number => tokenAt(tokens, start);
  const converted = convertedElsewhere(symbols, found.map(tokenOf));
  return found.map((one) => (converted.has(tokenOf(one)) ? { ...one, nothing: otherBranch } : one)).sort((a, b) => a.start - b.start);
}

const otherBranch = "The other branch of its `#if` uses the new codeunit already.";

/** `A, B: Codeunit NoSeriesManagement` */
interface Declaration {
  readonly object: AlObject;
  readonly routine: AlRoutine | undefined;
  readonly variables: readonly AlVariable[];
  readonly type: AlType;
}

function declarationsOf(symbols: AlSymbols, object: AlObject): readonly Declaration[] {
  const lists = [
    { routine: undefined, variables: object.globals },
    ...object.routines.map((routine) => ({ routine, variables: routine.variables })),
  ];
  return lists.flatMap(({ routine, variables }) => {
    const types = new Set(variables.map(({ type }) => type).filter((type) => isOldType(symbols.tokens, type)));
    return [...types].map((type) => ({ object, routine, type, variables: variables.filter((variable) => variable.type === type) }));
  });
}

function isOldType(tokens: AlTokens, type: AlType): boolean {
  return type.keyword === "codeunit" && type.subjectLast >= 0 && isOldCodeunit(tokens, type.subjectLast);
}

function isOldCodeunit(tokens: AlTokens, at: number): boolean {
  return kindAt(tokens, at) === Kind.NUMBER ? textAt(tokens, at) === oldNumber : isNameAt(tokens, at) && nameKey(tokens, at) === oldName;
}

function describe(symbols: AlSymbols, declaration: Declaration): readonly Found[] {
  const { tokens } = symbols;
  const { type, variables } = declaration;
  const uses = variables.flatMap((variable) => usesOf(symbols, declaration, variable));
  const name = variables[0]?.name ?? -1;
  const reason = whyNot(symbols, declaration, uses);
  const edit: TextEdit = { start: startAt(tokens, type.subjectLast), end: endAt(tokens, type.subjectLast), text: newName };
  const start = startAt(tokens, name);
  const passed = variables.some(({ scope }) => scope === "parameter");
  const needs = passed || type.array ? ("manual" as const) : ("review" as const);
  return [
    defined({
      type: "declaration",
      auto: reason === undefined,
      needs: reason === undefined ? undefined : needs,
      why: reason,
      edits: reason === undefined ? [edit] : undefined,
      together: String(start),
      start,
      end: endAt(tokens, type.subjectLast),
      action: "Declare the variable as codeunit `No. Series`, together with every call on it.",
      suggestion: `${tokens.text.slice(start, edit.start)}${newName}`,
      section: noSeriesSections.direct,
      procedure: procedureOf(tokens, declaration.routine),
    }),
    ...uses.filter(({ form }) => form.type !== "clear").map((use) => describeUse(tokens, use, reason, name)),
  ];
}

/** `reason`: why the declaration and its uses need a person; without one the use changes together with the declaration. */
function describeUse(tokens: AlTokens, use: NoSeriesUse, reason: string | undefined, declared: number): Found {
  const { form } = use;
  const level =
    reason === undefined
      ? { auto: true, edits: use.edits ?? [] }
      : {
          auto: false,
          needs: form.level === "manual" ? ("manual" as const) : ("review" as const),
          why: form.level === "certain" ? (use.doubt ?? reason) : (form.why ?? reason),
        };
  const together = ` It is changed together with the declaration of \`${plainName(tokens, declared)}\` in line ${lineOf(tokens, declared)}.`;
  return defined({
    type: form.type,
    ...level,
    together: String(startAt(tokens, declared)),
    start: startAt(tokens, use.first),
    end: endAt(tokens, use.last),
    action: reason === undefined ? `${form.action}${together}` : form.action,
    suggestion: use.suggestion,
    procedure: procedureOf(tokens, use.routine),
    section: form.section,
  });
}

function procedureOf(tokens: AlTokens, routine: AlRoutine | undefined): string | undefined {
  return routine === undefined ? undefined : plainName(tokens, routine.name);
}

/** All places in the scope of a variable where its name means it. */
function usesOf(symbols: AlSymbols, { object, routine }: Declaration, variable: AlVariable): readonly NoSeriesUse[] {
  const { tokens } = symbols;
  const key = nameKey(tokens, variable.name);
  const from = routine?.first ?? object.first;
  const to = endOf(symbols, object, routine);
  const declared = branchesAt(tokens, variable.name);
  const uses: NoSeriesUse[] = [];
  for (let at = from; at < to; at += 1) {
    if (at === variable.name || !isNameAt(tokens, at) || nameKey(tokens, at) !== key) continue;
    const place = symbols.placeOf(at);
    const before = kindAt(tokens, at - 1);
    const own = before === Kind.DOT && isWord(tokens, at - 2, "this") && kindAt(tokens, at - 3) !== Kind.DOT;
    if (before === Kind.DOUBLE_COLON || (before === Kind.DOT && !own)) continue;
    // `Codeunit NoSeriesManagement` names the codeunit, also where a variable has that name.
    const meant = own ? symbols.globals(place.object, key) : symbols.variables(place, key);
    if (!meant.includes(variable) || meant.some(({ name }) => name === at) || isWord(tokens, at - 1, "codeunit")) continue;
    if (exclude(declared, branchesAt(tokens, at))) continue;
    const use = readUse(tokens, at, place.routine);
    // The same name with the new type in another branch: its methods are not those of the old one.
    if (use.form !== otherMethod || !meant.some(({ type }) => !isOldType(tokens, type))) uses.push(use);
  }
  return uses;
}

function endOf(symbols: AlSymbols, object: AlObject, routine: AlRoutine | undefined): number {
  const { objects, tokens } = symbols;
  const end = objects[objects.indexOf(object) + 1]?.first ?? tokens.count;
  return routine === undefined ? end : (object.routines[object.routines.indexOf(routine) + 1]?.first ?? end);
}

/** Why the declaration and its uses cannot be changed without a person; undefined when they can. */
function whyNot(symbols: AlSymbols, declaration: Declaration, uses: readonly NoSeriesUse[]): string | undefined {
  const { tokens } = symbols;
  const { variables, type, routine, object } = declaration;
  if (type.array) return "It is an array.";
  if (variables.some(({ scope }) => scope === "parameter"))
    return "It is a parameter: callers of the procedure pass a variable of the old type.";
  if (variables.some(({ scope }) => scope === "protected")) return "It is protected: extensions of the object may use it.";
  if (variables.length < (variables[0]?.names ?? 0)) return "One of its names is declared twice.";
  const twice = variables.find((variable) => symbols.variables({ object, routine }, nameKey(tokens, variable.name)).length > 1);
  if (twice !== undefined) return `\`${plainName(tokens, twice.name)}\` is declared more than once.`;
  if (branchesAt(tokens, variables[0]?.name ?? -1).length > 0) return "The declaration is in a branch of `#if`.";
  for (const use of uses) {
    const conditional = branchesAt(tokens, use.first).length > 0 ? "it is in a branch of `#if`." : undefined;
    const problem = (use.form.level === "certain" ? use.doubt : (use.form.why ?? use.form.action)) ?? conditional;
    if (problem !== undefined) return `Line ${lineOf(tokens, use.first)} must be looked at: ${problem}`;
  }
  return whyNotPeek(symbols, declaration, uses);
}

/** The old codeunit remembers the last number it peeked at: only a single peek by a fresh variable is the same in the new one. */
function whyNotPeek(symbols: AlSymbols, declaration: Declaration, uses: readonly NoSeriesUse[]): string | undefined {
  const taking = uses.filter(({ form }) => form.type === "peek_next_no" || form.type === "get_next_no" || form.type === "clear");
  const peeking = taking.filter(({ form }) => form.type === "peek_next_no");
  if (peeking.length === 0) return undefined;
  const { routine, object } = declaration;
  const rest = "several peeks at one series give several numbers, which codeunit `No. Series - Batch` does too.";
  if (routine === undefined) return `It is global and peeks at numbers: ${rest}`;
  if (taking.length > 1) return `It takes more than one number: ${rest}`;
  const loops = ["repeat", "while", "for", "foreach"];
  for (let at = routine.first; at < endOf(symbols, object, routine); at += 1) {
    if (loops.some((word) => isWord(symbols.tokens, at, word))) return `The procedure has a loop: ${rest}`;
  }
  return undefined;
}

function lineOf(tokens: AlTokens, at: number): number {
  return tokens.text.slice(0, startAt(tokens, at)).split(/\r\n|\r|\n/).length;
}

/** Places that name the old codeunit itself: event subscribers, `Codeunit::X`, `Codeunit.Run(396)`, permissions. */
function references(symbols: AlSymbols, declared: ReadonlySet<number>): readonly Found[] {
  const { tokens } = symbols;
  const found: Found[] = [];
  for (let at = 0; at < tokens.count; at += 1) {
    if (declared.has(at) || !isOldCodeunit(tokens, at)) continue;
    const subscriber = subscriberAt(tokens, at);
    const first = subscriber?.first ?? referenceStart(tokens, at);
    if (first === undefined) continue;
    const procedure = subscriber === undefined ? procedureOf(tokens, symbols.placeOf(at).routine) : undefined;
    const form = subscriber === undefined ? reference : subscription;
    const end = endAt(tokens, subscriber?.last ?? at);
    found.push({ ...form, auto: false, needs: "manual", start: startAt(tokens, first), end, ...defined({ procedure }) });
  }
  return found;
}

const subscription = {
  type: "event_subscriber",
  action: "Redesign it: look for an event of the new codeunits that is raised at the right time.",
  why: "The events of the old codeunit have no replacement.",
  section: noSeriesSections.events,
} as const;
const reference = {
  type: "codeunit_reference",
  action: "Refer to codeunit `No. Series`, or take the reference away.",
  why: "It names the old codeunit; what is done with it cannot be seen here.",
  section: noSeriesSections.direct,
} as const;

/** The attribute `EventSubscriber(ObjectType::Codeunit, <token>, ...)` around a token. */
function subscriberAt(tokens: AlTokens, at: number): { first: number; last: number } | undefined {
  for (let open = at; open > at - 16 && open > 1; open -= 1) {
    if (
      kindAt(tokens, open) !== Kind.PAREN_OPEN ||
      !isWord(tokens, open - 1, "eventsubscriber") ||
      kindAt(tokens, open - 2) !== Kind.BRACKET_OPEN
    )
      continue;
    const call = readCall(tokens, open);
    const [kind = [], publisher = []] = call.args;
    return publisher.includes(at) && isWord(tokens, kind.at(-1) ?? -1, "codeunit") ? { first: open - 1, last: call.last } : undefined;
  }
  return undefined;
}

function referenceStart(tokens: AlTokens, at: number): number | undefined {
  let first = at;
  while (kindAt(tokens, first - 1) === Kind.DOT && isNameAt(tokens, first - 2)) first -= 2;
  if (kindAt(tokens, first - 1) === Kind.DOUBLE_COLON && isWord(tokens, first - 2, "codeunit")) return first - 2;
  if (isWord(tokens, first - 1, "codeunit") && kindAt(tokens, at + 1) !== Kind.BRACE_OPEN && !isNameAt(tokens, at + 1)) return first - 1;
  const run = kindAt(tokens, at - 1) === Kind.PAREN_OPEN && isWord(tokens, at - 2, "run") && isWord(tokens, at - 4, "codeunit");
  const ends = kindAt(tokens, at + 1) === Kind.COMMA || kindAt(tokens, at + 1) === Kind.PAREN_CLOSE;
  return run && ends && kindAt(tokens, at) === Kind.NUMBER ? at - 4 : undefined;
}
