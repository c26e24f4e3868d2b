import type { BlockId, Expr } from "../../../program/index.ts";
import { condition, engineBlock, value } from "../../../source/index.ts";
import type { GraphNode } from "./graph-definition.ts";
import { filledText } from "./graph-expressions.ts";
import { callInputs, type Call } from "./call-inputs.ts";
import { lowerApart } from "./lower-apart.ts";
import { placeOf, setBlock, setNode, type GraphSheet } from "./node-blocks.ts";

/** A workflow of any dialect, in a scope of its own in the same run; once, or once for each item of a list. */
export function lowerCall(node: GraphNode, does: Call, sheet: GraphSheet): readonly BlockId[] {
  const { block } = node;
  const { put } = sheet;
  if (does.apart === true) return lowerApart(node, does, sheet);
  if (does.fanOut !== undefined) return fanOut(node, does, does.fanOut, sheet);
  const kept = put(
    setBlock(`${block}$kept`, [
      setNode(block, { status: "completed", output: "" }),
      { path: placeOf(block), op: "merge", value: value("{{ returned ?? {} }}") },
    ]),
  );
  return [put({ id: block, kind: "call", part: does.workflow, inputs: callInputs(does, sheet), as: block, onComplete: kept })];
}

/** What came of each item is kept by its place, and put together when all are settled. */
function fanOut(node: GraphNode, does: Call, fan: NonNullable<Call["fanOut"]>, sheet: GraphSheet): readonly BlockId[] {
  const { block, id } = node;
  const { put, scope } = sheet;
  const items = `raw.fan[${JSON.stringify(block)}]`;
  const results = `raw.fanned[${JSON.stringify(block)}]`;
  const result: Expr = { as: "path", of: `${results}.{{ index }}` };
  const listed = put({
    ...engineBlock(`${block}$items`, "prompts_items", { text: filledText(fan.items, scope), of: value(id) }),
    writes: [
      { path: { as: "path", of: items }, op: "set", value: value("{{ result }}") },
      { path: { as: "path", of: results }, op: "set", value: value({}) },
    ],
  });
  const kept = put(setBlock(`${block}$kept`, [{ path: result, op: "set", value: value("{{ returned ?? { output: '' } }}") }]));
  const call = put({
    id: block,
    kind: "call",
    part: does.workflow,
    inputs: callInputs(does, sheet),
    as: block,
    onComplete: kept,
    rescue: { then: "body", writes: [{ path: result, op: "set", value: value({ error: "{{ error.message }}" }) }], after: "fail" },
  });
  const each = put({
    id: `${block}$each`,
    kind: "work",
    fill: value(`{{ ${items} }}`),
    mode: "strands",
    parallel: fan.maxParallel,
    join: "all",
    unit: "item",
    onItemFailure: { retries: 0, then: fan.join === "all_success" ? "fail_at_end" : "continue" },
    body: call,
  });
  const some = put({ id: `${block}$some`, kind: "choose", branches: [{ when: condition(`${items}.length > 0`), then: each }] });
  const gathered = put({
    ...engineBlock(`${block}$gathered`, "prompts_gathered", { results: value(`{{ ${results} }}`), total: value(`{{ ${items}.length }}`) }),
    writes: [{ path: placeOf(block), op: "set" }],
  });
  return [listed, some, gathered];
}
