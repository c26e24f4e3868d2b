import { defined, isObject, type Json } from "../../../base/index.ts";
import type { ComputedField, InputSpec, Part } from "../../../program/index.ts";
import type { Workflow } from "./resolve.ts";
import { child, flagAt, has, readInput, textAt, textsAt, typeWords, type SourceNode } from "../../../source/index.ts";
import { textAsCode } from "./template.ts";
import { computedErrorPolicies, defaults } from "./vocabulary.ts";

export type Declarations = Pick<
  Part,
  "name" | "dialect" | "description" | "version" | "inputs" | "config" | "defaults" | "fields" | "computed"
>;

/** The declarations of a workflow. Malformed ones are left out, so that checks can look at the rest. */
export function declarationsOf(workflow: Workflow): Declarations {
  const { root, sections } = workflow;
  return {
    name: workflow.name,
    dialect: "steps",
    description: textAt(root, "description") ?? "",
    version: textAt(root, "version") ?? defaults.version,
    inputs: collect(sections.inputs, readInput),
    config: collect(sections.config, (node) => node.value),
    defaults: { raw: collect(sections.rawDefaults, (node) => node.value), state: collect(sections.stateDefaults, (node) => node.value) },
    fields: { raw: collect(sections.rawFields, typeWord), state: collect(sections.stateFields, typeWord) },
    computed: [...sections.computed].flatMap(([name, node]) => lowerComputed(name, node) ?? []),
  };
}

function collect<T>(section: ReadonlyMap<string, SourceNode>, lower: (node: SourceNode) => T | undefined): Record<string, T> {
  return defined(Object.fromEntries([...section].map(([name, node]) => [name, lower(node)])));
}

function typeWord(node: SourceNode): InputSpec["type"] | undefined {
  return typeWords.find((word) => word === node.value);
}

function lowerComputed(name: string, node: SourceNode): ComputedField | undefined {
  if (!isObject(node.value)) return undefined;
  const onError = computedErrorPolicies.find((word) => word === textAt(node, "on_error")) ?? "use_fallback";
  const rest = { onError, fallback: child(node, "fallback")?.value ?? null, ...defined({ validate: textAt(node, "validate") }) };
  if (flagAt(node, "static") === true)
    return { name, from: [], single: false, transform: codeOf(child(node, "value")?.value ?? null), ...rest, fixed: true };
  const from = textsAt(node, "from").map((path) => path.value.trim());
  const transform = textAt(node, "transform");
  if (from.length === 0 || transform === undefined) return undefined;
  return { name, from, single: typeof child(node, "from")?.value === "string", transform, ...rest };
}

/** JavaScript that gives a value whose texts may hold templates; static fields are evaluated like transforms. */
function codeOf(value: Json): string {
  if (typeof value === "string") return textAsCode(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(codeOf).join(", ")}]`;
  if (isObject(value))
    return `({ ${Object.entries(value)
      .map(([key, held]) => `${JSON.stringify(key)}: ${codeOf(held)}`)
      .join(", ")} })`;
  return JSON.stringify(value);
}

/** Names a workflow declares in each tier. */
export function declaredNames(workflow: Workflow): { raw: Set<string>; state: Set<string>; computed: Set<string> } {
  const { sections } = workflow;
  return {
    raw: new Set([...sections.rawDefaults.keys(), ...sections.rawFields.keys()]),
    state: new Set([...sections.stateDefaults.keys(), ...sections.stateFields.keys()]),
    computed: new Set(sections.computed.keys()),
  };
}

/** Whether a workflow says what it takes; one that does not takes anything. */
export function declaresInputs(workflow: Workflow): boolean {
  return has(workflow.root, "inputs") || workflow.sections.inputs.size > 0;
}
