import { own } from "../../base/index.ts";
import { edited, type TextEdit } from "../finder.ts";
import { readCall, sourceOf, type AlCall } from "./al-call.ts";
import type { AlRoutine } from "./al-symbols.ts";
import { Kind, endAt, isNameAt, isWord, kindAt, nameKey, startAt, type AlTokens } from "./al-tokens.ts";

/** One place where a variable of the old type is used. */
export interface NoSeriesUse {
  /** Token of the variable, or of `this` before it. */
  readonly first: number;
  readonly last: number;
  readonly form: NoSeriesForm;
  readonly routine: AlRoutine | undefined;
  /** Absent when the call cannot be rewritten by edits alone. */
  readonly edits?: readonly TextEdit[];
  readonly suggestion?: string;
  /** Why a certain form is not certain here. */
  readonly doubt?: string;
}

/** Reads what is done with the variable at token `at`. */
export function readUse(tokens: AlTokens, at: number, routine: AlRoutine | undefined): NoSeriesUse {
  const first = kindAt(tokens, at - 1) === Kind.DOT ? at - 2 : at;
  if (isCleared(tokens, first, at)) return { first, last: at, form: cleared, routine, edits: [] };
  if (kindAt(tokens, at + 1) !== Kind.DOT || !isNameAt(tokens, at + 2)) return { first, last: at, form: passedOn, routine };
  const method = at + 2;
  if (kindAt(tokens, method + 1) !== Kind.PAREN_OPEN) {
    const form = formOf(tokens, method, undefined);
    return { first, last: method, form, routine, ...(form.level === "certain" ? { doubt: "The call has no brackets." } : {}) };
  }
  const call = readCall(tokens, method + 1);
  const form = formOf(tokens, method, call);
  const where = { first, last: call.last, form, routine };
  if (call.close < 0) return { ...where, doubt: "The brackets of the call do not balance." };
  if (call.directives) return { ...where, doubt: "A directive is inside the call." };
  const name = tokens.text.slice(startAt(tokens, first), endAt(tokens, at));
  const args = call.args.map((arg) => sourceOf(tokens, arg));
  const suggestion = form.suggest?.(name, args);
  if (form.becomes === undefined) return { ...where, ...(suggestion === undefined ? {} : { suggestion }) };
  return { ...where, ...rewrite(tokens, first, call, form.becomes) };
}

function isCleared(tokens: AlTokens, first: number, at: number): boolean {
  return kindAt(tokens, at + 1) === Kind.PAREN_CLOSE && kindAt(tokens, first - 1) === Kind.PAREN_OPEN && isWord(tokens, first - 2, "clear");
}

function formOf(tokens: AlTokens, method: number, call: AlCall | undefined): NoSeriesForm {
  const name = nameKey(tokens, method);
  const count = call?.args.length ?? 0;
  if (name === "getnextno" && call !== undefined && count === 3) {
    const [only = -1, ...more] = call.args[2] ?? [];
    if (more.length > 0) return decidedAtRunTime;
    return isWord(tokens, only, "true") ? consumes : isWord(tokens, only, "false") ? peeks : decidedAtRunTime;
  }
  return own(manualForms, name) ?? own(noSeriesForms, `${name}/${count}`) ?? otherMethod;
}

function rewrite(
  tokens: AlTokens,
  first: number,
  call: AlCall,
  becomes: NonNullable<NoSeriesForm["becomes"]>,
): Pick<NoSeriesUse, "edits" | "suggestion" | "doubt"> {
  const method = call.open - 1;
  const edits: TextEdit[] = [];
  if (nameKey(tokens, method) !== becomes.method.toLowerCase()) {
    edits.push({ start: startAt(tokens, method), end: endAt(tokens, method), text: becomes.method });
  }
  if (call.args.some((arg) => arg.length === 0)) return { doubt: "An argument is missing." };
  if (call.args.length > becomes.keeps) {
    const start = endAt(tokens, call.args[becomes.keeps - 1]?.at(-1) ?? -1);
    const end = endAt(tokens, call.args.at(-1)?.at(-1) ?? -1);
    if (!/^\s*,\s*(?:true|false)$/i.test(tokens.text.slice(start, end)))
      return { doubt: "There is a comment where the argument would be removed." };
    edits.push({ start, end, text: "" });
  }
  return { edits, suggestion: edited(tokens.text, startAt(tokens, first), endAt(tokens, call.last), edits) };
}

/** Headings of the conversion guide. */
export const noSeriesSections = {
  direct: "Direct replacements",
  peek: "Peeking and batches",
  initialise: "Initialising a number",
  manual: "Manual numbers",
  related: "Related series and lookup",
  events: "Events without replacement",
} as const;

/** What becomes of a call on the old codeunit. */
interface NoSeriesForm {
  readonly type: string;
  /** `certain`: the rewrite keeps the meaning; `review`: `suggest` says what it may become; `manual`: it must be thought about. */
  readonly level: "certain" | "review" | "manual";
  readonly section: (typeof noSeriesSections)[keyof typeof noSeriesSections];
  readonly action: string;
  readonly why?: string;
  /** Name of the new method and how many of the first arguments it keeps. */
  readonly becomes?: { readonly method: string; readonly keeps: number };
  /** The new statements from the name of the variable and the texts of the arguments. */
  readonly suggest?: (variable: string, args: readonly string[]) => string;
}

const { direct, peek, initialise, manual, related } = noSeriesSections;

const certain = (
  type: string,
  section: NoSeriesForm["section"],
  action: string,
  becomes: NonNullable<NoSeriesForm["becomes"]>,
): NoSeriesForm => ({ type, level: "certain", section, action, becomes });

const consumes = certain("get_next_no", direct, "Leave the third argument out: the new method always uses the number up.", {
  method: "GetNextNo",
  keeps: 2,
});

const peeks = certain(
  "peek_next_no",
  peek,
  "Call PeekNextNo, or use codeunit `No. Series - Batch` when several numbers are taken before they are saved.",
  { method: "PeekNextNo", keeps: 2 },
);

const decidedAtRunTime: NoSeriesForm = {
  type: "get_next_no_expression",
  level: "manual",
  section: peek,
  action: "Call GetNextNo where the value is true and PeekNextNo where it is false.",
  why: "Whether the number is used up is decided when the code runs; the new method reads its third argument as `hide errors`.",
};

/** By lower-case name of the method and number of arguments. `GetNextNo` depends on its third argument. */
const noSeriesForms: Readonly<Record<string, NoSeriesForm>> = {
  "trygetnextno/2": {
    type: "try_get_next_no",
    level: "review",
    section: peek,
    action: "Call PeekNextNo; decide what happens when no number can be had.",
    why: "The old method returns an empty number where PeekNextNo raises an error.",
    becomes: { method: "PeekNextNo", keeps: 2 },
  },
  "testmanual/1": certain("test_manual", manual, "The call stays as it is.", { method: "TestManual", keeps: 1 }),
  "testmanualwithdocumentno/2": certain("test_manual_with_document_no", manual, "Call TestManual with the document number.", {
    method: "TestManual",
    keeps: 2,
  }),
  "manualnoallowed/1": certain("manual_no_allowed", manual, "Call IsManual.", { method: "IsManual", keeps: 1 }),
  "initseries/5": {
    type: "init_series",
    level: "review",
    section: initialise,
    action: "Choose the series, then get the number: three statements replace the call.",
    why: "Three statements replace the call, and a number that is already filled in must be tested by hand.",
    suggest: (variable, [preset = "", old = "", date = "", number = "", series = ""]) =>
      `${series} := ${preset}; if ${variable}.AreRelated(${preset}, ${old}) then ${series} := ${old}; ${number} := ${variable}.GetNextNo(${series}, ${date})`,
  },
  "setdefaultseries/2": {
    type: "set_default_series",
    level: "review",
    section: initialise,
    action: "Take the series over if it is automatic.",
    why: "A condition and an assignment replace the call.",
    suggest: (variable, [target = "", series = ""]) => `if ${variable}.IsAutomatic(${series}) then ${target} := ${series}`,
  },
  "selectseries/3": {
    type: "select_series",
    level: "review",
    section: related,
    action: "Call LookupRelatedNoSeries, then GetNextNo where the choice is used.",
    why: "The old codeunit remembers the choice for SetSeries; the new one does not.",
    becomes: { method: "LookupRelatedNoSeries", keeps: 3 },
  },
  "lookupseries/2": {
    type: "lookup_series",
    level: "review",
    section: related,
    action: "Call LookupRelatedNoSeries, then GetNextNo where the choice is used.",
    why: "The old codeunit remembers the choice for SetSeries; the new one does not.",
    suggest: (variable, [preset = "", target = ""]) => `${variable}.LookupRelatedNoSeries(${preset}, ${target}, ${target})`,
  },
  "setseries/1": {
    type: "set_series",
    level: "review",
    section: related,
    action: "Get the number with GetNextNo from the series that LookupRelatedNoSeries returned.",
    why: "The series comes from an earlier call on the same variable.",
  },
  "testseries/2": {
    type: "test_series",
    level: "review",
    section: related,
    action: "Call TestAreRelated.",
    why: "The new method also demands that the series gives numbers automatically.",
    becomes: { method: "TestAreRelated", keeps: 2 },
  },
  "savenoseries/0": {
    type: "save_no_series",
    level: "review",
    section: peek,
    action: "Use codeunit `No. Series - Batch` for all numbers of this variable and call SaveState.",
    why: "The numbers taken before belong to the same batch.",
  },
  "setnoserieslinefilter/3": {
    type: "set_no_series_line_filter",
    level: "review",
    section: related,
    action: "Call GetNoSeriesLine, which finds the line instead of setting filters.",
    why: "The new method finds the line; what follows must not look for it again.",
    suggest: (variable, [line = "", series = "", date = ""]) => `${variable}.GetNoSeriesLine(${line}, ${series}, ${date}, true)`,
  },
  "findnoseriesline/3": {
    type: "find_no_series_line",
    level: "review",
    section: related,
    action: "Call GetNoSeriesLine.",
    why: "The new method also looks at whether the line is open and at the order of dates.",
    suggest: (variable, [line = "", series = "", date = ""]) => `${variable}.GetNoSeriesLine(${line}, ${series}, ${date}, true)`,
  },
};

const runsItself: NoSeriesForm = {
  type: "run_parameters",
  level: "manual",
  section: peek,
  action: "Call PeekNextNo, or GetNextNo with `true` as third argument where errors are to be hidden.",
  why: "The codeunit was run by itself to catch errors; the new one cannot be run.",
};
const choosesAll: NoSeriesForm = {
  type: "do_get_next_no",
  level: "manual",
  section: peek,
  action: "Choose GetNextNo or PeekNextNo, and whether errors are hidden.",
  why: "Its arguments decide both whether the number is used up and whether errors are hidden.",
};

/** Methods that need thought whatever their arguments are, by lower-case name. */
const manualForms: Readonly<Record<string, NoSeriesForm>> = {
  dogetnextno: choosesAll,
  getnextno3: choosesAll,
  getnextno1: runsItself,
  getnextno2: runsItself,
  setparametersbeforerun: runsItself,
  getnextnoafterrun: runsItself,
  run: runsItself,
  filterseries: {
    type: "filter_series",
    level: "manual",
    section: related,
    action: "Redesign it: the new codeunits offer no filter on related series.",
    why: "There is no replacement.",
  },
};

export const otherMethod: NoSeriesForm = {
  type: "other_method",
  level: "manual",
  section: direct,
  action: "Find the method of codeunit `No. Series` or `No. Series - Batch` that does the same.",
  why: "No replacement is known for this method with these arguments.",
};

const passedOn: NoSeriesForm = {
  type: "passed_on",
  level: "manual",
  section: direct,
  action: "Change the other side as well.",
  why: "The variable is passed on or used as a whole; its type is also fixed elsewhere.",
};

/** `Clear(X)` stays as it is. */
const cleared: NoSeriesForm = {
  type: "clear",
  level: "certain",
  section: direct,
  action: "The call stays as it is.",
};
