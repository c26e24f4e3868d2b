import { canonicalJson, hasType, isList, type Json } from "../../../../base/index.ts";
import { declarationsOf, declaresInputs } from "../declarations.ts";
import type { InputSpec } from "../../../../program/index.ts";
import { child, entriesOf, isText, kindOf, quoteList, suggest, textLeaves, type SourceNode } from "../../../../source/index.ts";
import type { CheckContext } from "./check-context.ts";
import { hasHole } from "../template.ts";

/** Declared inputs: patterns compile, limits make sense, defaults fit their own declaration. */
export function checkInputs(context: CheckContext): void {
  const { inputs } = declarationsOf(context.workflow);
  for (const [name, node] of context.workflow.sections.inputs) {
    const spec = inputs[name];
    if (spec === undefined) continue;
    const validation = child(node, "validation");
    checkPattern(context, child(validation, "pattern"));
    const { min, max } = spec.validation ?? {};
    if (min !== undefined && max !== undefined && min > max) {
      const message = `The input \`${name}\` has a \`min\` of ${min} above its \`max\` of ${max}.`;
      context.complain(child(validation, "min") ?? node, { code: "STEPS_BAD_VALUE", message, fix: "Exchange the two." });
    }
    const fallback = child(node, "default");
    const problem = spec.default === undefined ? undefined : problemWith(spec.default, spec);
    if (fallback !== undefined && problem !== undefined) {
      const message = `The default of the input \`${name}\` ${problem}.`;
      context.complain(fallback, { code: "STEPS_DEFAULT_TYPE", message, fix: "Change the default or the declaration." });
    }
  }
}

/** Complains of a pattern that does not compile. */
export function checkPattern(context: CheckContext, node: SourceNode | undefined): void {
  const reason = isText(node) ? patternProblem(node.value) : undefined;
  if (node === undefined || reason === undefined) return;
  const message = `The pattern is not a regular expression: ${reason}.`;
  context.complain(node, { code: "STEPS_BAD_PATTERN", message, fix: "Correct it; in double quotes every backslash is written twice." });
}

function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "it cannot be compiled";
  }
}

/** Why a value does not fit a declared input, as the end of a sentence. */
function problemWith(value: Json, spec: InputSpec): string | undefined {
  const said = typeof value === "object" ? kindOf(value) : `\`${JSON.stringify(value)}\``;
  if (!hasType(value, spec.type)) return `is ${said}, but the type is \`${spec.type}\``;
  const { pattern, enum: allowed, min, max } = spec.validation ?? {};
  const usable = pattern !== undefined && patternProblem(pattern) === undefined;
  if (usable && typeof value === "string" && !new RegExp(pattern).test(value)) return `does not match its pattern \`${pattern}\``;
  if (allowed !== undefined && !allowed.some((each) => canonicalJson(each) === canonicalJson(value)))
    return "is not among the values of its `enum`";
  const size = typeof value === "number" ? value : typeof value === "string" || isList(value) ? value.length : undefined;
  if (size !== undefined && min !== undefined && size < min) return `is below its \`min\` of ${min}`;
  if (size !== undefined && max !== undefined && size > max) return `is above its \`max\` of ${max}`;
  return undefined;
}

/** Compares the inputs that an `include_workflow` step gives with those that the workflow declares. */
export function checkInclude(context: CheckContext, step: SourceNode): void {
  const callee = context.resolved.calleeOf(step);
  if (callee === undefined) return;
  const given = new Map(entriesOf(child(step, "inputs")));
  const [first] = given.values();
  if (!declaresInputs(callee) && first !== undefined) {
    const message = `The workflow \`${callee.name}\` declares no inputs, so what it is given is not checked.`;
    const fix = `Declare ${quoteList([...given.keys()], "and")} under \`inputs\` of \`${callee.name}\`.`;
    context.warn(first, { code: "STEPS_UNDECLARED_INPUT", message, fix, at: "key" });
  }
  if (!declaresInputs(callee)) return;
  const { inputs } = declarationsOf(callee);
  for (const [name, node] of given) {
    const spec = inputs[name];
    if (spec === undefined) {
      if (callee.sections.inputs.has(name)) continue;
      const fix = suggest(name, callee.sections.inputs.keys()) ?? `Declare it under \`inputs\` of \`${callee.name}\`.`;
      const message = `The workflow \`${callee.name}\` has no input \`${name}\`.`;
      context.complain(node, { code: "STEPS_INCLUDE_INPUT", message, fix, at: "key" });
      continue;
    }
    const problem = textLeaves(node).some((leaf) => hasHole(leaf.value)) ? undefined : problemWith(node.value, spec);
    if (problem !== undefined) {
      const message = `The input \`${name}\` of \`${callee.name}\` ${problem}.`;
      context.complain(node, { code: "STEPS_INCLUDE_INPUT", message, fix: "Give a value that fits." });
    }
  }
  const missing = Object.entries(inputs).filter(([name, spec]) => spec.required && spec.default === undefined && !given.has(name));
  if (missing.length === 0) return;
  const names = quoteList(
    missing.map(([name]) => name),
    "and",
  );
  const message = `The workflow \`${callee.name}\` needs the input${missing.length > 1 ? "s" : ""} ${names}.`;
  const fix = `Add ${missing.length > 1 ? "them" : "it"} under \`inputs\`.`;
  context.complain(child(step, "inputs") ?? step, { code: "STEPS_INCLUDE_INPUT", message, fix });
}
