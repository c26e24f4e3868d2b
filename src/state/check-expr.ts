import { isList, isObject, type Json } from "../base/index.ts";
import type { Expr } from "../program/index.ts";
import { analyse } from "./analyse.ts";
import { bareScript } from "./run-script.ts";
import { unquotable } from "./shell-words.ts";
import { holeNames, isBad, isHole, parseTemplate, scriptNames, soleHole } from "./template.ts";

/** Syntax problems that can be seen without running anything; offsets count in the text. */
export function checkExpr(expr: Expr): readonly { readonly message: string; readonly offset: number }[] {
  if (expr.as === "js") return scriptProblems(expr.of);
  if (expr.as === "condition") {
    const bad = templateProblems(expr.of);
    if (bad.length > 0 || soleHole(expr.of) !== undefined) return bad;
    return scriptProblems(expr.of.includes("{{") ? bareScript(expr.of) : expr.of);
  }
  const bad = texts(expr.of).flatMap(templateProblems);
  return expr.as === "command" && bad.length === 0 ? shellProblems(expr.of) : bad;
}

function shellProblems(text: string): { readonly message: string; readonly offset: number }[] {
  const parts = parseTemplate(text).map((part) =>
    typeof part === "string" ? part : { offset: part.offset, raw: isHole(part) && part.filters.some(({ name }) => name === "raw") },
  );
  return unquotable(parts).map(({ offset, problem }) => ({ message: problem, offset }));
}

function scriptProblems(js: string): { readonly message: string; readonly offset: number }[] {
  const analysed = analyse(js);
  if (!("error" in analysed)) return [];
  const { message, line, column } = analysed.error;
  const before = js
    .split("\n")
    .slice(0, line - 1)
    .join("\n");
  return [{ message, offset: Math.min(js.length, before.length + (line > 1 ? 1 : 0) + column - 1) }];
}

function templateProblems(text: string): { readonly message: string; readonly offset: number }[] {
  return parseTemplate(text)
    .filter(isBad)
    .map((part) => ({ message: part.problem, offset: part.offset }));
}

function texts(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(texts);
  return isObject(value) ? Object.values(value).flatMap(texts) : [];
}

/** Names an expression reads from outside. */
export function namesOf(expr: Expr): readonly string[] {
  const found = new Set<string>();
  const scripts: string[] = [];
  if (expr.as === "js") scripts.push(expr.of);
  else if (expr.as === "condition" && soleHole(expr.of) === undefined) scripts.push(expr.of.includes("{{") ? bareScript(expr.of) : expr.of);
  else
    for (const text of texts(expr.of))
      for (const part of parseTemplate(text)) if (isHole(part)) for (const name of holeNames(part)) found.add(name);
  for (const js of scripts) {
    const analysed = analyse(js);
    if (!("error" in analysed)) for (const name of scriptNames(analysed)) found.add(name);
  }
  return [...found];
}
