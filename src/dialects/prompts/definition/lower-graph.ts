import { defined, type Json } from "../../../base/index.ts";
import type { BlockId, Expr } from "../../../program/index.ts";
import { condition, value } from "../../../source/index.ts";
import { ancestorsOf } from "./graph/order.ts";
import type { GraphNode, NodeWork } from "./graph-definition.ts";
import { conditionCode, filledCommand, filledText, namedBy, neededBy, reopenedPlace, ruleCode, ruleReason } from "./graph-expressions.ts";
import { lowerApproval } from "./lower-approval.ts";
import { lowerCall } from "./lower-call.ts";
import { blocksOf, lowerInclude, scopesOf } from "./lower-include.ts";
import { lowerGroup, lowerLoop } from "./lower-rounds.ts";
import { reopenedBy } from "./reopened-by.ts";
import { usualOf } from "./usual-of.ts";
import { agentNode, placeOf, setBlock, setNode, shellBlock, type GraphSheet } from "./node-blocks.ts";

/** Nodes as the items of one work: each is begun when all that it depends on is settled, and its body judges whether it runs. */
export function lowerNodes(id: BlockId, nodes: readonly GraphNode[], sheet: GraphSheet): BlockId {
  const scopes = scopesOf(nodes, sheet.scope);
  const reopening = new Set([...sheet.reopening, ...nodes.flatMap((node) => reopenedBy(node, nodes))]);
  const sheetOf = ({ block, within, usual }: GraphNode): GraphSheet => ({
    ...sheet,
    usual: within === undefined ? sheet.usual : usualOf(usual ?? {}),
    beside,
    reopening,
    reopenedBy: (node) => reopenedBy(node, nodes),
    scope: { ...scopes.get(within)!, ...(reopening.has(block) ? { rejection: `${reopenedPlace(block)} ?? ""` } : {}) },
  });
  const beside = blocksOf(nodes);
  const again = nodes.filter(({ alwaysRun }) => alwaysRun).map((node) => node.id);
  const above = ancestorsOf(nodes);
  const asking = nodes.filter(asks);
  return sheet.put({
    id,
    kind: "work",
    fill: value(nodes.map((node) => ({ id: node.id, after: waitsFor(node, again, above) }))),
    dependsOn: "after",
    unit: "node",
    mode: "strands",
    join: "all",
    onItemFailure: { retries: 0, then: "fail_at_end" },
    body: sheet.put({ id: `${id}$none`, kind: "seq", blocks: [] }),
    bodies: Object.fromEntries(nodes.map((node) => [node.id, lowerNode(node, sheetOf(node))])),
    ...(again.length === 0 ? {} : { again }),
    ...(asking.length === 0 ? {} : { parallel: atOnce + asking.length }),
  });
}

/**
 * What a node depends on, and the `always_run` nodes anywhere above it: those run again after a retry while what is in between stays done,
 * and a node may read what they say.
 */
function waitsFor({ id, dependsOn, within }: GraphNode, again: readonly string[], above: (id: string) => ReadonlySet<string>): Json[] {
  const all = above(id);
  return [...new Set([...dependsOn, ...(within === undefined ? [] : [within]), ...again.filter((each) => all.has(each))])];
}

/** Nodes that are at work at the same time. Those that may wait for a person have places of their own, so that they hold up no other. */
const atOnce = 10;

function asks({ does }: GraphNode): boolean {
  if (does.kind === "group") return does.gate !== undefined || does.nodes.some(asks);
  return does.kind === "approval" || (does.kind === "loop" && does.gate !== undefined);
}

/** Whether it runs, then what it does. What became of it is kept for the nodes that name it. */
function lowerNode(node: GraphNode, sheet: GraphSheet): BlockId {
  const { block, timeoutMs } = node;
  const blocks = [...judge(node, sheet), ...work(node, sheet)];
  const failed = { path: placeOf(block), op: "set" as const, value: value({ status: "failed", error: "{{ error.message }}" }) };
  const limit = node.does.kind === "shell" || node.does.kind === "script" ? undefined : timeoutMs;
  return sheet.put({
    id: `${block}$node`,
    kind: "seq",
    blocks,
    label: { kind: "node", text: node.id },
    rescue: { then: "body", writes: [failed], after: "fail" },
    ...defined({ timeoutMs: limit }),
  });
}

/** Nothing for a node that always runs. */
function judge(node: GraphNode, sheet: GraphSheet): readonly BlockId[] {
  const { block, when } = node;
  const { put } = sheet;
  const branches = rulesOf(node).flatMap(({ name, ...rule }) => {
    const against = ruleCode(rule);
    if (against === undefined) return [];
    return [{ when: condition(against), then: skip(`${block}$${name}`, `{{ ${ruleReason(rule)} }}`, node, sheet) }];
  });
  if (when !== undefined) {
    const code = conditionCode(when, sheet.scope);
    const off = skip(`${block}$off`, `its condition \`${when.text}\` does not hold`, node, sheet);
    const bad = put({ id: `${block}$unread`, kind: "leave", how: "fail", message: value(`{{ ${code} }}`) });
    branches.push({ when: condition(`(${code}) === false`), then: off }, { when: condition(`(${code}) !== true`), then: bad });
  }
  return branches.length === 0 ? [] : [put({ id: `${block}$when`, kind: "choose", branches })];
}

/** What is put in by an `include` runs only if that one did, whatever its own rule says. */
function rulesOf({ within, rule, dependsOn }: GraphNode): readonly (Pick<GraphNode, "rule" | "dependsOn"> & { readonly name: string })[] {
  const own = { name: "skip", rule, dependsOn };
  if (within === undefined || dependsOn.includes(within)) return [own];
  return [{ name: "outside", rule: "all_success", dependsOn: [within] }, own];
}

function skip(id: BlockId, reason: string, { block }: GraphNode, { put }: GraphSheet): BlockId {
  const kept = setBlock(`${id}$kept`, [setNode(block, { status: "skipped", output: "", reason })]);
  return put({ id, kind: "seq", blocks: [put(kept), put({ id: `${id}$leave`, kind: "leave", how: "skip", message: value(reason) })] });
}

function work(node: GraphNode, sheet: GraphSheet): readonly BlockId[] {
  const { does, block } = node;
  switch (does.kind) {
    case "prompt":
      return agentNode(node, { id: block, prompt: does.prompt, name: node.id }, sheet);
    case "shell":
      return [sheet.put(shellBlock(node, { command: filledCommand(does.command, sheet.scope) }, sheet))];
    case "script":
      return [sheet.put(shellBlock(node, scriptArgs(does, sheet), sheet))];
    case "loop":
      return lowerLoop(node, does, sheet);
    case "group":
      return lowerGroup(node, does, sheet);
    case "approval":
      return lowerApproval(node, does, sheet);
    case "cancel":
      return [sheet.put({ id: block, kind: "leave", how: "cancel", message: filledText(does.reason, sheet.scope) })];
    case "include":
      return lowerInclude(node, does, sheet);
    case "call":
      return lowerCall(node, does, sheet);
  }
}

/** What the code names goes along as values: where they are put is decided by how the code quotes there. */
function scriptArgs(does: Extract<NodeWork, { readonly kind: "script" }>, { scope }: GraphSheet): Readonly<Record<string, Expr>> {
  const { code, runtime, file, deps } = does;
  const named = Object.entries(namedBy(code, scope)).map(([name, expr]): [string, Json] => [name, expr.of]);
  return {
    command: value(code.text),
    script: value({ runtime, deps: [...deps], ...defined({ file }) }),
    ...(named.length === 0 ? {} : { values: value(Object.fromEntries(named)), needs: value({ ...neededBy(code) }) }),
  };
}
