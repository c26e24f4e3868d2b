import { isList, isObject } from "../../../../base/index.ts";
import type { PlainExpr } from "../../../../program/index.ts";
import { didYouMean, entriesOf, membersOf, suggest, type SourceNode } from "../../../../source/index.ts";
import { declaresInputs } from "../declarations.ts";
import { findHoles } from "../template.ts";
import type { CheckContext, Scene } from "./check-context.ts";

/** What of a scene an expression can read. */
export type ExpressionScope = Pick<Scene, "locals">;

/** Syntax and names of one expression, or of every text leaf of a value. */
export function checkExpression(context: CheckContext, node: SourceNode | undefined, as: PlainExpr["as"], scope: ExpressionScope): void {
  if (node === undefined) return;
  if (as === "value" && isList(node.value)) for (const member of membersOf(node)) checkExpression(context, member, as, scope);
  else if (as === "value" && isObject(node.value)) for (const [, entry] of entriesOf(node)) checkExpression(context, entry, as, scope);
  else if (typeof node.value === "string") checkText(context, node, { as, of: node.value }, scope);
}

function checkText(context: CheckContext, node: SourceNode, expr: PlainExpr & { readonly of: string }, scope: ExpressionScope): void {
  checkInputNames(context, node, expr);
  if (context.checker === undefined || expr.of.trim() === "") return;
  const problems = context.checker.check(expr);
  for (const { message: problem, offset } of problems) {
    const message = `The expression cannot be read: ${problem}${/[.!?]$/.test(problem) ? "" : "."}`;
    context.complain(node, { code: "STEPS_EXPRESSION", message, fix: "Correct the expression at the place shown.", at: { offset } });
  }
  if (problems.length > 0 || scope.locals === undefined || context.names.open) return;
  const known = new Set([...context.names.flat, ...scope.locals]);
  for (const name of new Set(context.checker.names(expr))) {
    if (known.has(name)) continue;
    const offset = new RegExp(`(?<![\\w$.])${name.replace(/[$]/g, "\\$")}(?![\\w$])`).exec(expr.of)?.index ?? 0;
    const message = `Nothing defines \`${name}\`; it will be null here.`;
    const fix = didYouMean(name, known) ?? "Declare it under `state_schema` or `default_state`.";
    context.warn(node, { code: "STEPS_UNKNOWN_NAME", message, fix, at: { offset, length: name.length } });
  }
}

/** `inputs.x` is visible in the text itself, so it is checked without analysis. */
function checkInputNames(context: CheckContext, node: SourceNode, expr: PlainExpr & { readonly of: string }): void {
  const { workflow, resolved, warn } = context;
  if (workflow !== resolved.main && !declaresInputs(workflow)) return;
  const bare = expr.as === "js" || (expr.as === "condition" && findHoles(expr.of).length === 0);
  const codes = bare ? [{ start: -2, code: expr.of }] : findHoles(expr.of);
  for (const { start, code } of codes) {
    for (const match of code.matchAll(/(?<![\w$.])inputs\??\.([A-Za-z_$][\w$]*)/g)) {
      const name = match[1] ?? "";
      if (workflow.sections.inputs.has(name)) continue;
      const message = `The input \`${name}\` is not declared, so it is always null.`;
      const fix = suggest(name, workflow.sections.inputs.keys()) ?? `Declare \`${name}\` under \`inputs\`.`;
      warn(node, { code: "STEPS_UNDECLARED_INPUT", message, fix, at: { offset: start + 2 + match.index, length: match[0].length } });
    }
  }
}
