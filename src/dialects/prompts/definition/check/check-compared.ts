import { isList, isObject, textOf } from "../../../../base/index.ts";
import {
  child,
  descend,
  didYouMean,
  has,
  membersOf,
  quoteList,
  textAt,
  type Complaint,
  type SourceNode,
} from "../../../../source/index.ts";
import type { Comparison } from "../graph-definition.ts";

/** A comparison with what the node that it names never has there. The empty text is what a field has that was left out. */
export function comparedProblem({ ref, op, literal }: Comparison, producer: SourceNode | undefined): Complaint | undefined {
  if (!("node" in ref) || ref.field === undefined || producer === undefined || literal === "" || !["==", "!="].includes(op))
    return undefined;
  const values = possibleValues(producer, ref.field);
  if (values === undefined || values.includes(literal)) return undefined;
  const never = op === "==" ? "is never so" : "is always so";
  const meant = didYouMean(literal, values);
  return {
    code: "PROMPTS_NEVER_EQUAL",
    // A slip of the pen is certain.
    ...(meant === undefined ? { severity: "warning" as const } : {}),
    message: `\`$${ref.written} ${op} '${literal}'\` ${never}: \`${ref.field}\` of \`${ref.node}\` is ${quoteList(values, "or")}.`,
    fix: meant ?? "Compare with one of these, or add the value where the node declares them.",
  };
}

/** Undefined where it can be anything. */
function possibleValues(node: SourceNode, field: string): readonly string[] | undefined {
  if (has(node, "fan_out")) return undefined;
  const decisions = child(child(node, "approval"), "decisions");
  if (decisions !== undefined) return field === "decision" ? membersOf(decisions).flatMap((each) => textAt(each, "id") ?? []) : undefined;
  const schema = descend(node, ["output_format", "properties", field])?.value;
  if (!isObject(schema)) return undefined;
  const { type, enum: listed } = schema;
  if (isList(listed)) return listed.map((each) => (typeof each === "string" ? each : textOf(each)));
  return type === "boolean" ? ["true", "false"] : undefined;
}
