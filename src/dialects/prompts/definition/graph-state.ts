import type { JsonObject } from "../../../base/index.ts";
import type { Expr, Write } from "../../../program/index.ts";
import { value } from "../../../source/index.ts";
import type { GraphNode } from "./graph-definition.ts";
import { nodePlace } from "./graph-expressions.ts";
import { graphTexts } from "./graph/graph-texts.ts";
import { stateFolder, type PromptsDefinition } from "./prompts-definition.ts";

/** What runs of a graph begin with. */
export function graphState(nodes: readonly GraphNode[]): JsonObject {
  return callsApart(nodes) ? { ...usualState, apart: {} } : usualState;
}

const usualState: JsonObject = {
  nodes: {},
  previous: {},
  sessions: {},
  answers: {},
  rejections: {},
  fan: {},
  fanned: {},
  rejection: "",
  reopened: {},
  loop_input: "",
  loop_inputs: {},
  state_dir: "",
  base_branch: "",
  docs_dir: "",
  returned: null,
};

function callsApart(nodes: readonly GraphNode[]): boolean {
  return nodes.some(({ does }) => (does.kind === "call" ? does.apart === true : does.kind === "group" && callsApart(does.nodes)));
}

/** Where the first effect of a graph leaves what it found. */
export const graphPlaces: readonly Write[] = ["state_dir", "base_branch", "docs_dir"].map((name) => ({
  path: { as: "path", of: `raw.${name}` },
  op: "set",
  value: value(`{{ result.${name} }}`),
}));

/** What the first effect of a graph looks for. */
export function graphWishes({ name }: PromptsDefinition, nodes: readonly GraphNode[]): Readonly<Record<string, Expr>> {
  return {
    state: value(`${stateFolder}/${name}`),
    branch: value(namesVariable(nodes, "BASE_BRANCH")),
    ...(hasScript(nodes) ? { bun: value(true) } : {}),
  };
}

/** Whether one is for `bun`, which may be missing. */
function hasScript(nodes: readonly GraphNode[]): boolean {
  return nodes.some(({ does }) => (does.kind === "script" ? does.runtime === "bun" : does.kind === "group" && hasScript(does.nodes)));
}

function namesVariable(nodes: readonly GraphNode[], name: string): boolean {
  return graphTexts(nodes).some(({ refs }) => refs.some((ref) => "variable" in ref && ref.variable === name));
}

/** The output of the workflow: that of the node it names, else of the last node that nothing depends on and that was done. */
export function returned({ returns }: PromptsDefinition, nodes: readonly GraphNode[]): Write {
  const needed = new Set(nodes.flatMap(({ dependsOn }) => dependsOn));
  const last = nodes.filter(({ id }) => (returns === undefined ? !needed.has(id) : id === returns)).toReversed();
  const code = last.reduceRight(
    (rest, { block }) => `(${nodePlace(block)}?.status === "completed" ? ${nodePlace(block)} : ${rest})`,
    "null",
  );
  return { path: { as: "path", of: "raw.returned" }, op: "set", value: value(`{{ ${code} }}`) };
}
