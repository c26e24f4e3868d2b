import type { BlockId, DoBlock, Expr, Rescue, WorkBlock } from "../../../program/index.ts";
import { condition, engineBlock, value } from "../../../source/index.ts";
import { callInputs, type Call } from "./call-inputs.ts";
import type { GraphNode } from "./graph-definition.ts";
import { filledText } from "./graph-expressions.ts";

import { placeOf, setBlock, setNode, taskBlock, type GraphSheet } from "./node-blocks.ts";

/** Where in the state the items of a node are, what came of each, and what became of its commit. */
interface Places {
  readonly items: string;
  readonly results: string;
  readonly records: string;
}

const tries: Rescue = { retry: { times: 2, delayMs: 200, factor: 4, capMs: 1000 }, then: "fail" };

/** More than bring an item in; the effect says how often one is given back. */
const mostTries = 1000;

/**
 * A workflow that is called in a worktree of its own, once or for each item of a list. The calls come first, as many at once as may be; then
 * their commits are brought into the folder of the run one by one, in the order of the items. One that does not fit is put on top of the
 * newest result in another worktree, and an agent resolves it there.
 */
export function lowerApart(node: GraphNode, does: Call, sheet: GraphSheet): readonly BlockId[] {
  const { block, id } = node;
  const { put, scope } = sheet;
  const key = JSON.stringify(block);
  const places = { items: `raw.fan[${key}]`, results: `raw.fanned[${key}]`, records: `raw.apart[${key}]` };
  const { items, results, records } = places;
  const fresh = [results, records].map((of) => ({ path: { as: "path", of }, op: "set", value: value({}) }) as const);
  const list = { path: { as: "path", of: items }, op: "set" } as const;
  const { fanOut: fan } = does;
  if (fan === undefined) {
    const begun = put(setBlock(`${block}$items`, [{ ...list, value: value([does.workflow]) }, ...fresh]));
    const returned = { path: placeOf(block), op: "merge", value: value(`{{ ${results}[0] ?? {} }}`) } as const;
    const kept = put(setBlock(`${block}$kept`, [setNode(block, { status: "completed", output: "" }), returned]));
    return [begun, ...work(node, does, { places, sheet }), kept];
  }
  const listed = put({
    ...engineBlock(`${block}$items`, "prompts_items", { text: filledText(fan.items, scope), of: value(id) }),
    writes: [{ ...list, value: value("{{ result }}") }, ...fresh],
  });
  const all = put({ id: `${block}$all`, kind: "seq", blocks: work(node, does, { places, sheet }) });
  const some = put({ id: `${block}$some`, kind: "choose", branches: [{ when: condition(`${items}.length > 0`), then: all }] });
  const gathered = put({
    ...engineBlock(`${block}$gathered`, "prompts_gathered", { results: value(`{{ ${results} }}`), total: value(`{{ ${items}.length }}`) }),
    writes: [{ path: placeOf(block), op: "set" }],
  });
  return [listed, some, gathered];
}

interface Apart {
  readonly places: Places;
  readonly sheet: GraphSheet;
}

function work(node: GraphNode, does: Call, apart: Apart): readonly BlockId[] {
  const { block } = node;
  const { put } = apart.sheet;
  const { items } = apart.places;
  const { maxParallel = 1, join = "all_success" } = does.fanOut ?? {};
  const over: Omit<WorkBlock, "id" | "body" | "mode"> = {
    kind: "work",
    fill: value(`{{ ${items} }}`),
    join: "all",
    unit: does.fanOut === undefined ? "call" : "item",
    onItemFailure: { retries: 0, then: join === "all_success" ? "fail_at_end" : "continue" },
  };
  return [
    put(gitBlock(node, "rest", {})),
    put({ ...over, id: `${block}$each`, mode: "strands", parallel: maxParallel, body: calledApart(node, does, apart) }),
    put({ ...over, id: `${block}$brought`, mode: "each", body: broughtIn(node, does, apart) }),
    put(gitBlock(node, "clear", {})),
  ];
}

function gitBlock({ block, id }: GraphNode, part: string, more: Readonly<Record<string, Expr>>, what = `prompts_${part}`): DoBlock {
  return { ...engineBlock(`${block}$${part}`, what, { node: value(id), block: value(block), ...more }), rescue: tries };
}

/** Makes the worktree; `$apart` is where everything in the strand works, and what it calls. */
function opened(node: GraphNode, part: string, more: Readonly<Record<string, Expr>>): DoBlock {
  const args = { index: value("{{ index }}"), state: value("{{ raw.state_dir }}"), ...more };
  return { ...gitBlock(node, part, args, "prompts_apart"), as: "$apart" };
}

/** What the strand changed becomes a commit of its worktree. */
function kept(node: GraphNode, part: string, records: string): DoBlock {
  const more = { item: value("{{ item }}"), index: value("{{ index }}"), apart: value("{{ $apart }}"), record: recordIn(records) };
  return { ...gitBlock(node, part, more, "prompts_keep"), writes: [{ path: entryOf(records), op: "set" }] };
}

function entryOf(of: string): Expr {
  return { as: "path", of: `${of}.{{ index }}` };
}

function recordIn(records: string): Expr {
  return value(`{{ ${records}[index] ?? null }}`);
}

/** What it gave is kept: a retry may only have to bring it in. */
function failing(results: string): Rescue {
  const failed = value(`{{ ({ ...${results}[index], error: error.message }) }}`);
  return { then: "body", writes: [{ path: entryOf(results), op: "set", value: failed }], after: "fail" };
}

function calledApart(node: GraphNode, does: Call, { places: { results, records }, sheet }: Apart): BlockId {
  const { block } = node;
  const { put } = sheet;
  const returned = put(
    setBlock(`${block}$returned`, [{ path: entryOf(results), op: "set", value: value("{{ returned ?? { output: '' } }}") }]),
  );
  const inputs = Object.fromEntries(Object.entries(callInputs(does, sheet)).map(([name, expr]) => [name, movedPlaces(expr)]));
  const call = put({ id: block, kind: "call", part: does.workflow, inputs, as: block, onComplete: returned });
  const blocks = [put(opened(node, "open", {})), call, put(kept(node, "keep", records))];
  return put({ id: `${block}$strand`, kind: "seq", blocks, rescue: failing(results) });
}

/** The folders of the run as the strand has them: what is called there can read and write them. */
function movedPlaces(expr: Expr): Expr {
  if (expr.as !== "filled") return expr;
  const moved = { ARTIFACTS_DIR: value("{{ $apart.artifacts }}"), STATE_DIR: value("{{ $apart.state }}") };
  const named = Object.entries(moved).filter(([name]) => expr.with[name] !== undefined);
  return named.length === 0 ? expr : { ...expr, with: { ...expr.with, ...Object.fromEntries(named) } };
}

function broughtIn(node: GraphNode, does: Call, { places: { results, records }, sheet }: Apart): BlockId {
  const { block } = node;
  const { put } = sheet;
  const settled = `(({ error, ...given }) => result.error === null ? given : { error: result.error })(${results}[index] ?? {})`;
  const bring = put({
    ...gitBlock(node, "bring", {
      item: value("{{ item }}"),
      index: value("{{ index }}"),
      alone: value(does.fanOut === undefined),
      failed: value(`{{ ${records}[index] === undefined ? ${results}[index]?.error ?? "It was not done." : null }}`),
      record: recordIn(records),
    }),
    writes: [
      { path: entryOf(records), op: "set", value: value("{{ result.record }}") },
      { path: entryOf(results), op: "set", value: value(`{{ ${settled} }}`) },
    ],
  });
  const again = put(opened(node, "again", { record: recordIn(records) }));
  const resolve = put(resolving(node, records, sheet));
  const resolved = put(kept(node, "resolved", records));
  // Whatever failed in it, it is in conflict as before.
  const strand = put({ id: `${block}$conflict`, kind: "seq", blocks: [again, resolve, resolved], rescue: { then: "continue" } });
  const isIn = `${records}[index].brought === true`;
  const clash = put({ id: `${block}$clash`, kind: "choose", branches: [{ when: condition(`!(${isIn})`), then: strand }] });
  return put({
    id: `${block}$tries`,
    kind: "repeat",
    max: mostTries,
    onLimit: "fail",
    until: condition(isIn),
    body: put({ id: `${block}$try`, kind: "seq", blocks: [bring, clash] }),
    rescue: failing(results),
  });
}

const conflictPrompt = [
  "What was done for `$ITEM` does not fit onto what was brought in before it. This folder has the newest result with that work, the commit $COMMIT, put on top of it:",
  "in $FILES both sides are between conflict markers, first what is there, then what was done for `$ITEM`.",
  "Edit these files so that both hold, and remove all markers. One without markers is not a text, or was removed on one side: leave it as it must be.",
  "Change nothing else, and commit nothing.",
].join(" ");

function resolving(node: GraphNode, records: string, sheet: GraphSheet): DoBlock {
  const task = taskBlock(node, { id: `${node.block}$resolve`, prompt: { text: "", refs: [] }, name: `${node.id}-conflict` }, sheet);
  const filled = {
    ITEM: value('{{ typeof item === "string" ? item : JSON.stringify(item) }}'),
    COMMIT: value(`{{ ${records}[index].commit }}`),
    FILES: value(`{{ ${records}[index].conflict.files.join(", ") }}`),
  };
  return { ...task, args: { ...task.args, prompt: { as: "filled", of: conflictPrompt, with: filled } } };
}
