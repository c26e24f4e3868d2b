import { comparisonSigns, type Comparison, type GraphCondition, type GraphRef } from "../graph-definition.ts";
import { fieldPattern, idPattern } from "./find-refs.ts";

export interface ConditionFault {
  /** Where reading stopped, as an offset into the text. */
  readonly offset: number;
  /** What had to be there. */
  readonly expected: string;
}

/** How conditions are written, for messages. */
export const conditionGrammar: string =
  "Write comparisons such as `$id.output.field == 'value'`, joined by `&&` and `||`, without parentheses. " +
  "A value is in single quotes, or a number, true or false.";

const space = /\s*/y;
const reference = new RegExp(`\\$(?:INPUTS\\.(${idPattern})|(${idPattern})\\.(${fieldPattern})(?:\\.(${fieldPattern}))?)`, "y");
const sign = new RegExp(comparisonSigns.join("|"), "y");
const literal = /'([^']*)'|(-?\d+(?:\.\d+)?|true|false)(?![\w.])/y;
const joint = /&&|\|\|/y;

/** Reads a condition. `&&` and `||` inside quotes are text. */
export function parseCondition(text: string): GraphCondition | ConditionFault {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    space.lastIndex = at;
    at += space.exec(text)?.[0].length ?? 0;
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found ?? undefined;
  };
  const fault = (expected: string, back = 0): ConditionFault => ({ offset: at - back, expected });
  const anyOf: Comparison[][] = [[]];
  for (;;) {
    const ref = take(reference);
    const named = ref === undefined ? undefined : readRef(ref);
    if (ref === undefined || named === undefined) return fault("a reference such as `$id.output`", ref?.[0].length);
    const found = take(sign)?.[0];
    const op = comparisonSigns.find((each) => each === found);
    if (op === undefined) return fault(`one of ${comparisonSigns.join(" ")}`);
    const value = take(literal);
    if (value === undefined) return fault("a value in single quotes, a number, true or false");
    anyOf.at(-1)!.push({ ref: named, op, literal: value[1] ?? value[2] ?? "" });
    const next = take(joint)?.[0];
    if (next === undefined) return at === text.length ? { text, anyOf } : fault("`&&`, `||` or the end");
    if (next === "||") anyOf.push([]);
  }
}

/** `$id.field` is short for `$id.output.field`. */
function readRef([found, input, node = "", first = "", second]: RegExpExecArray): GraphRef | undefined {
  const written = found.slice(1);
  if (input !== undefined) return { written, input };
  if (first !== "output") return second === undefined ? { written, node, field: first } : undefined;
  return { written, node, ...(second === undefined ? {} : { field: second }) };
}
