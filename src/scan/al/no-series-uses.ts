import { own } from "../../base/index.ts";
import { edited, type TextEdit } from "../finder.ts";
import { readCall, sourceOf, type AlCall } from "./al-call.ts";
import type { AlRoutine } from "./al-symbols.ts";
import { Kind, endAt, isNameAt, isWord, kindAt, nameKey, startAt, type AlTokens } from "./al-tokens.ts";
import {
  cleared,
  consumes,
  decidedAtRunTime,
  manualForms,
  noSeriesForms,
  otherMethod,
  passedOn,
  peeks,
  type NoSeriesForm,
} from "./no-series-forms.ts";

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
