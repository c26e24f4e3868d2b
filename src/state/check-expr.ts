import { isList, isObject, type Json } from "../base/index.ts";
import type { Expr } from "../program/index.ts";
import { analyse, offsetOf } from "./analyse.ts";
import { unquotable } from "./shell-words.ts";
import { bareScript, holeNames, isBad, isHole, parseTemplate, scriptNames, soleHole } from "./template.ts";

interface Problem {
  readonly message: string;
  readonly offset: number;
}

/** Syntax problems that can be seen without running anything; offsets count in the text. */
export function checkExpr(expr: Expr): readonly Problem[] {
  // Its own text holds no expression, so problems of what fills it have no offset in there.
  if (expr.as === "filled")
    return Object.values(expr.with).flatMap((each) => checkExpr(each).map((problem) => ({ ...problem, offset: 0 })));
  const bad = expr.as === "js" ? [] : texts(expr.of).flatMap(templateProblems);
  if (bad.length > 0) return bad;
  const script = scriptIn(expr);
  if (script !== undefined) return scriptProblems(script);
  return expr.as === "command" ? shellProblems(expr.of) : [];
}

/** The JavaScript that an expression is as a whole; undefined for templates. */
function scriptIn(expr: Expr): string | undefined {
  if (expr.as === "js") return expr.of;
  if (expr.as !== "condition" || soleHole(expr.of) !== undefined) return undefined;
  return expr.of.includes("{{") ? bareScript(expr.of) : expr.of;
}

function shellProblems(text: string): Problem[] {
  const parts = parseTemplate(text).map((part) =>
    typeof part === "string" ? part : { offset: part.offset, raw: isHole(part) && part.filters.some(({ name }) => name === "raw") },
  );
  return unquotable(parts).map(({ offset, problem }) => ({ message: problem, offset }));
}

function scriptProblems(js: string): Problem[] {
  const analysed = analyse(js);
  if (!("error" in analysed)) return [];
  return [{ message: analysed.error.message, offset: Math.min(js.length, offsetOf(js, analysed.error)) }];
}

function templateProblems(text: string): Problem[] {
  return parseTemplate(text)
    .filter(isBad)
    .map(({ problem, offset }) => ({ message: problem, offset }));
}

function texts(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(texts);
  return isObject(value) ? Object.values(value).flatMap(texts) : [];
}

/** Names an expression reads from outside. */
export function namesOf(expr: Expr): readonly string[] {
  if (expr.as === "filled") return [...new Set(Object.values(expr.with).flatMap(namesOf))];
  const script = scriptIn(expr);
  if (script === undefined) return [...new Set(texts(expr.of).flatMap(parseTemplate).filter(isHole).flatMap(holeNames))];
  const analysed = analyse(script);
  return "error" in analysed ? [] : scriptNames(analysed);
}
