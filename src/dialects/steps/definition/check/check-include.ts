import { child, entriesOf, quoteList, suggest, textLeaves, type SourceNode } from "../../../../source/index.ts";
import { declaresInputs, declarationsOf } from "../declarations.ts";
import { hasHole } from "../template.ts";
import type { CheckContext } from "./check-context.ts";
import { problemWith } from "./check-inputs.ts";

/** Compares the inputs that an `include_workflow` step gives with those that the workflow declares. */
export function checkInclude(context: CheckContext, step: SourceNode): void {
  const callee = context.resolved.calleeOf(step);
  if (callee === undefined) return;
  const given = new Map(entriesOf(child(step, "inputs")));
  if (!declaresInputs(callee)) return checkUndeclared(context, callee.name, given);
  const { inputs } = declarationsOf(callee);
  for (const [name, node] of given) {
    const spec = inputs[name];
    if (spec === undefined) {
      if (callee.sections.inputs.has(name)) continue;
      const fix = suggest(name, callee.sections.inputs.keys()) ?? `Declare it under \`inputs\` of \`${callee.name}\`.`;
      context.complain(node, {
        code: "STEPS_INCLUDE_INPUT",
        message: `The workflow \`${callee.name}\` has no input \`${name}\`.`,
        fix,
        at: "key",
      });
      continue;
    }
    const problem = textLeaves(node).some((leaf) => hasHole(leaf.value))
      ? undefined
      : problemWith(node.value, spec, compiles(spec.validation?.pattern));
    if (problem !== undefined)
      context.complain(node, {
        code: "STEPS_INCLUDE_INPUT",
        message: `The input \`${name}\` of \`${callee.name}\` ${problem}.`,
        fix: "Give a value that fits.",
      });
  }
  const missing = Object.entries(inputs).filter(([name, spec]) => spec.required && spec.default === undefined && !given.has(name));
  if (missing.length === 0) return;
  const names = quoteList(
    missing.map(([name]) => name),
    "and",
  );
  context.complain(child(step, "inputs") ?? step, {
    code: "STEPS_INCLUDE_INPUT",
    message: `The workflow \`${callee.name}\` needs the input${missing.length > 1 ? "s" : ""} ${names}.`,
    fix: `Add ${missing.length > 1 ? "them" : "it"} under \`inputs\`.`,
  });
}

function checkUndeclared(context: CheckContext, name: string, given: ReadonlyMap<string, SourceNode>): void {
  const [first] = given.values();
  if (first === undefined) return;
  context.complain(first, {
    code: "STEPS_UNDECLARED_INPUT",
    severity: "warning",
    message: `The workflow \`${name}\` declares no inputs, so what it is given is not checked.`,
    fix: `Declare ${quoteList([...given.keys()], "and")} under \`inputs\` of \`${name}\`.`,
    at: "key",
  });
}

function compiles(pattern: string | undefined): boolean {
  try {
    return pattern !== undefined && new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}
