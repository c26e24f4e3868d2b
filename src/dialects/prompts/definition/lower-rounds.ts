import type { BlockId, Expr, FilledExpr, Write } from "../../../program/index.ts";
import { condition, engineBlock, value } from "../../../source/index.ts";
import type { GraphNode, GraphRef, GraphText, LoopEnd, NodeWork } from "./graph-definition.ts";
import { askedPlace, environment, filledCommand, filledText, nodePlace, roundPlace, type TextScope } from "./graph-expressions.ts";
import { agentNode, firstSession, placeOf, setBlock, setNode, type GraphSheet } from "./node-blocks.ts";

type Of<K extends NodeWork["kind"]> = Extract<NodeWork, { readonly kind: K }>;

/** Rounds of one prompt, until it gives the signal, a command succeeds or a field is true. */
export function lowerLoop(node: GraphNode, does: Of<"loop">, sheet: GraphSheet): readonly BlockId[] {
  const { block, id } = node;
  // The first round begins fresh, and the others continue it unless each begins fresh.
  const session = value(does.freshContext ? null : `{{ iteration === 1 ? null : (${nodePlace(block)}?.session ?? null) }}`);
  const { until, prompt } = does;
  const own = inRounds(node, does, sheet);
  const task = { id: block, prompt, name: id, session, ...(until === undefined ? {} : { signal: until }) };
  return rounds(node, does, agentNode(node, task, withLast(node, own)), own);
}

/** What a person writes between the rounds is for the texts in them. */
function inRounds({ block }: GraphNode, { gate: asked }: LoopEnd, sheet: GraphSheet): GraphSheet {
  return asked === undefined ? sheet : { ...sheet, scope: { ...sheet.scope, asking: block } };
}

/** For texts that can name what the round before said. */
function withLast({ block }: GraphNode, sheet: GraphSheet): GraphSheet {
  return { ...sheet, scope: { ...sheet.scope, loop: block } };
}

/** Rounds of a graph of its own. Its output is that of its last node. */
export function lowerGroup(node: GraphNode, does: Of<"group">, sheet: GraphSheet): readonly BlockId[] {
  const { block } = node;
  const { put } = sheet;
  const { nodes, until, said } = does;
  const own = inRounds(node, does, sheet);
  const keys = { ...own.scope.keys, ...Object.fromEntries(nodes.map((each) => [each.id, each.block])) };
  const last = nodes.at(-1)?.block ?? "";
  // What the nodes said in the round before stays readable, and is not taken for what they say now.
  const fresh = nodes.flatMap((each): Write[] => [
    {
      path: { as: "path", of: `raw.previous[${JSON.stringify(each.block)}]` },
      op: "set",
      value: value(`{{ ${nodePlace(each.block)} ?? null }}`),
    },
    setNode(each.block, null),
  ]);
  const ended: Write[] =
    said === undefined ? [] : [setSession(block, value(`{{ ${firstSession(said.of, keys, said.round ? block : undefined)} }}`))];
  const round = [
    put(setBlock(`${block}$fresh`, [...ended, ...fresh])),
    sheet.lowerNodes(`${block}$nodes`, nodes, own),
    put({
      ...engineBlock(`${block}$last`, "prompts_last", {
        node: value(`{{ ${nodePlace(last)} ?? null }}`),
        ...(until === undefined ? {} : { signal: value(until) }),
      }),
      writes: [{ path: placeOf(block), op: "set" }],
    }),
  ];
  return rounds(node, does, round, { ...own, scope: { ...own.scope, keys } });
}

function setSession(block: string, session: Expr): Write {
  return { path: { as: "path", of: roundPlace(block) }, op: "set", value: session };
}

/** The rounds, what ends them, and the question between them. A round leaves whether it was the last one in `done`. */
function rounds(node: GraphNode, end: LoopEnd, round: readonly BlockId[], sheet: GraphSheet): readonly BlockId[] {
  const { block, does } = node;
  const { put } = sheet;
  const place = nodePlace(block);
  const { maxIterations, untilField } = end;
  // A group that is done again begins as it did at first: nothing was said in a round before.
  const inner = does.kind === "group" ? [...does.nodes.map((each) => setNode(each.block, null)), setSession(block, value(null))] : [];
  const last = withLast(node, sheet);
  const blocks = [...round, ...byField(block, untilField, sheet), ...byCommand(node, end, last), ...gate(node, end, last)];
  const all = put({
    id: `${block}$rounds`,
    kind: "repeat",
    max: maxIterations,
    onLimit: "fail",
    lacks: lacking(end),
    until: condition(`${place}?.done === true`),
    body: put({ id: `${block}$round`, kind: "seq", blocks }),
  });
  const unsaid: Write[] = end.gate === undefined ? [] : [{ path: { as: "path", of: askedPlace(block) }, op: "set", value: value("") }];
  const begun = put(setBlock(`${block}$begun`, [setNode(block, { status: "running" }), ...inner, ...unsaid]));
  const over = put(setBlock(`${block}$over`, [{ path: { as: "path", of: `${place}.status` }, op: "set", value: value("completed") }]));
  return [begun, all, over];
}

function lacking({ until, untilBash, untilField }: LoopEnd): string {
  const parts = [
    until === undefined ? [] : `\`${until}\``,
    untilField === undefined ? [] : `\`${untilField}\` being true`,
    untilBash === undefined ? [] : "success of `until_bash`",
  ];
  return parts.flat().join(" or ");
}

function doneWhen(block: string, code: string): Write {
  return {
    path: { as: "path", of: `${nodePlace(block)}.done` },
    op: "set",
    value: value(`{{ ${nodePlace(block)}?.done === true || ${code} }}`),
  };
}

function byField(block: string, field: string | undefined, { put }: GraphSheet): readonly BlockId[] {
  if (field === undefined) return [];
  return [put(setBlock(`${block}$field`, [doneWhen(block, `${nodePlace(block)}?.fields?.[${JSON.stringify(field)}] === "true"`)]))];
}

function byCommand({ block, id }: GraphNode, { untilBash }: LoopEnd, { put, scope }: GraphSheet): readonly BlockId[] {
  if (untilBash === undefined) return [];
  const args = { command: filledCommand(untilBash, scope), env: value({ ...environment(scope) }), check: value(true) };
  const name = value(`until_bash of ${id}`);
  return [put({ ...engineBlock(`${block}$until`, "prompts_shell", args), name, writes: [doneWhen(block, "result.done === true")] })];
}

/** Characters of what was said that are shown with a question: all of a short text, the beginning and the end of a long one. */
const shown = { all: 700, first: 250, last: 350 };

/** The message with what the round came to behind it, which the person judges; a message that names it has it already. */
function gateText({ block, does }: GraphNode, asked: GraphText, scope: TextScope): FilledExpr {
  const filled = filledText(asked, scope);
  const last = does.kind === "group" ? does.nodes.at(-1)?.id : undefined;
  const named = ({ written }: GraphRef): boolean => written === "LOOP_PREV_OUTPUT" || written === `${last}.output`;
  if (asked.refs.some(named)) return filled;
  const head = does.kind === "group" ? "The round ended with:" : "The agent said at the end:";
  const whole = `String(${nodePlace(block)}?.output ?? "").trim()`;
  const left = JSON.stringify(" characters left out; to read all: waymark transcript ");
  const middle = `"\\n... (" + (said.length - ${shown.first + shown.last}) + ${left} + run_id + ")\\n..."`;
  const cut = `said.length <= ${shown.all} ? said : said.slice(0, ${shown.first}) + ${middle} + said.slice(-${shown.last})`;
  const text = `((said) => said === "" ? "" : ${JSON.stringify(`\n${head}\n`)} + (${cut}))(${whole})`;
  const name = "LOOP_PREV_OUTPUT";
  return { ...filled, of: `${filled.of}\n$${name}`, with: { ...filled.with, [name]: value(`{{ ${text} }}`) } };
}

/** A person is asked after each round that does not end the loop. The first round's signal ends it only where the workflow says so. */
function gate(node: GraphNode, { gate: asked, signalCompletes }: LoopEnd, { put, scope }: GraphSheet): readonly BlockId[] {
  if (asked === undefined) return [];
  const { block, id } = node;
  const counts = signalCompletes === true ? "true" : "iteration > 1";
  const judged = put(
    setBlock(`${block}$counts`, [
      {
        path: { as: "path", of: `${nodePlace(block)}.done` },
        op: "set",
        value: value(`{{ ${nodePlace(block)}?.done === true && ${counts} }}`),
      },
    ]),
  );
  const question = put({
    id: `${block}$ask`,
    kind: "do",
    who: "person",
    what: "user_input",
    args: { prompt: gateText(node, asked, scope) },
    writes: ["raw.loop_input", askedPlace(block)].map((of) => ({ path: { as: "path", of }, op: "set" })),
    ask: { answerBy: "person", decision: id },
    name: value(id),
  });
  return [
    judged,
    put({ id: `${block}$gate`, kind: "choose", branches: [{ when: condition(`${nodePlace(block)}?.done !== true`), then: question }] }),
  ];
}
