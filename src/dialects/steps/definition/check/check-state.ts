import { hasType, isObject, nearest, own, splitPath } from "../../../../base/index.ts";
import {
  child,
  flagAt,
  has,
  quoteList,
  textAt,
  textLeaves,
  textsAt,
  typeWords,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { declaresInputs, declarationsOf } from "../declarations.ts";
import { findHoles, hasHole } from "../template.ts";
import { everywhereNames } from "../vocabulary.ts";
import { warnWithoutEffect, type CheckContext } from "./check-context.ts";
import { checkExpression } from "./check-expression.ts";

/** Defaults, declared fields and computed fields of a workflow. */
export function checkState(context: CheckContext): void {
  const { sections } = context.workflow;
  checkDefaults(context, sections.rawDefaults, sections.rawFields);
  checkDefaults(context, sections.stateDefaults, sections.stateFields);
  for (const [name, node] of sections.computed) if (isObject(node.value)) checkComputed(context, name, node);
  checkTakenNames(context);
  checkGraph(context);
}

function checkDefaults(context: CheckContext, defaults: ReadonlyMap<string, SourceNode>, fields: ReadonlyMap<string, SourceNode>): void {
  for (const [name, node] of defaults) {
    checkExpression(context, node, "value", { locals: [] });
    const type = fields.get(name)?.value;
    const open = node.value === null || (typeof node.value === "string" && hasHole(node.value));
    const word = typeWords.find((each) => each === type);
    if (word === undefined || open || hasType(node.value, word)) continue;
    const message = `\`${name}\` is declared as \`${word}\`, but starts with another type of value.`;
    context.warn(node, { code: "STEPS_DEFAULT_TYPE", message, fix: "Change the default or the declaration." });
  }
}

function checkComputed(context: CheckContext, name: string, node: SourceNode): void {
  if (flagAt(node, "static") === true) return checkStatic(context, name, node);
  if (has(node, "value")) {
    const message = `\`value\` of the computed field \`${name}\` counts only with \`static: true\`.`;
    const fix = "Add `static: true`, or use `from` and `transform`.";
    context.complain(child(node, "value")!, { code: "STEPS_CONFLICTING_KEYS", message, fix, at: "key" });
  }
  for (const key of ["from", "transform"]) {
    if (!has(node, key) && !has(node, "value")) {
      const message = `The computed field \`${name}\` needs \`${key}\`.`;
      context.complain(node, { code: "STEPS_MISSING_KEY", message, fix: `Add \`${key}:\`.` });
    }
  }
  const paths = textsAt(node, "from");
  for (const path of paths) checkFrom(context, name, path);
  checkExpression(context, child(node, "transform"), "js", { locals: ["input"] });
  checkOutcome(context, node);
}

function checkStatic(context: CheckContext, name: string, node: SourceNode): void {
  for (const key of ["from", "transform"]) {
    const held = child(node, key);
    if (held !== undefined) {
      const message = `The static field \`${name}\` is evaluated once, from \`value\`; it cannot have \`${key}\`.`;
      context.complain(held, { code: "STEPS_CONFLICTING_KEYS", message, fix: `Remove \`${key}\` or \`static\`.`, at: "key" });
    }
  }
  const value = child(node, "value");
  if (value === undefined)
    context.complain(node, { code: "STEPS_MISSING_KEY", message: `The static field \`${name}\` needs \`value\`.`, fix: "Add `value:`." });
  checkExpression(context, value, "value", { locals: [] });
  for (const leaf of textLeaves(value)) {
    if (!findHoles(leaf.value).some((hole) => /(?<!\|)\|(?!\|)\s*\w+\s*$/.test(hole.code))) continue;
    const message = `The static field \`${name}\` uses a filter, which only steps can do.`;
    context.complain(leaf, { code: "STEPS_BAD_VALUE", message, fix: "Write the same in JavaScript." });
  }
  checkOutcome(context, node);
}

function checkOutcome(context: CheckContext, node: SourceNode): void {
  checkExpression(context, child(node, "validate"), "js", { locals: ["input", "output"] });
  const policy = textAt(node, "on_error") ?? "use_fallback";
  if (policy === "use_fallback") return;
  const fix = "Remove it, or use `on_error: use_fallback`.";
  warnWithoutEffect(context, child(node, "fallback"), `with \`on_error: ${policy}\``, fix);
}

function checkFrom(context: CheckContext, field: string, node: TextNode): void {
  const path = node.value.trim();
  const [tier = "", name] = splitPath(path) ?? [];
  const refuse = (message: string, fix: string): void => context.complain(node, { code: "STEPS_UNKNOWN_FROM", message, fix });
  const { names, workflow } = context;
  const known = own(
    { raw: names.raw, state: names.state, computed: names.computed, inputs: new Set(workflow.sections.inputs.keys()) },
    tier,
  );
  if (known === undefined) {
    const found = (["raw", "state", "computed"] as const).find((each) => names[each].has(tier));
    const fix = found === undefined ? "Paths start with `raw.`, `state.`, `computed.` or `inputs.`." : `Did you mean \`${found}.${path}\`?`;
    return refuse(`The computed field \`${field}\` is made from \`${path}\`, which is not a full path.`, fix);
  }
  if (name === undefined)
    return refuse(
      `The computed field \`${field}\` is made from \`${path}\`, which does not name a field.`,
      `Name a field: \`${tier}.<name>\`.`,
    );
  const open = tier === "inputs" ? workflow !== context.resolved.main && !declaresInputs(workflow) : tier !== "computed" && names.open;
  if (known.has(name) || open) return;
  const close = nearest(name, known).map((each) => `${tier}.${each}`);
  refuse(
    `The computed field \`${field}\` is made from \`${path}\`, which is neither declared nor written by any step.`,
    close.length > 0
      ? `Did you mean ${quoteList(close, "or")}?`
      : `Declare it under \`${tier === "inputs" ? "inputs" : `state_schema.${tier}`}\`.`,
  );
}

/** Names that expressions use for something else would be hidden by it. */
function checkTakenNames(context: CheckContext): void {
  const { rawDefaults, rawFields, stateDefaults, stateFields, computed } = context.workflow.sections;
  for (const [name, node] of [rawDefaults, rawFields, stateDefaults, stateFields, computed].flatMap((section) => [...section])) {
    if (everywhereNames.includes(name)) {
      const message = `The field \`${name}\` has the name of something that every expression can read, so \`${name}\` alone is ambiguous.`;
      context.warn(node, { code: "STEPS_NAME_COLLISION", message, fix: "Choose another name for the field.", at: "key" });
    }
  }
}

function checkGraph(context: CheckContext): void {
  const { checker, workflow, complain } = context;
  if (checker === undefined) return;
  const declared = declarationsOf(workflow);
  for (const cycle of checker.cycles(declared)) {
    const node = workflow.sections.computed.get(cycle[0] ?? "");
    const chain = cycle.length > 1 && cycle[0] === cycle.at(-1) ? cycle : [...cycle, cycle[0] ?? ""];
    if (node !== undefined) {
      const message = `Computed fields depend on each other in a circle: ${chain.join(" → ")}.`;
      complain(node, { code: "STEPS_COMPUTED_CYCLE", message, fix: "Make one of them from other fields.", at: "key" });
    }
  }
  for (const name of checker.collisions(declared)) {
    const { computed, rawFields, rawDefaults, stateFields, stateDefaults } = workflow.sections;
    const node = [computed, rawFields, rawDefaults, stateFields, stateDefaults].find((section) => section.has(name))?.get(name);
    if (node === undefined) continue;
    const message = `\`${name}\` is in more than one tier; readers see computed before raw and raw before state.`;
    context.warn(node, { code: "STEPS_NAME_COLLISION", message, fix: "Use different names.", at: "key" });
  }
}
