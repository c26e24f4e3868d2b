import { beginningOf, isList, isObject, jsonOrText, textOf, type Json } from "../../../base/index.ts";
import type { AgentSession } from "../../../kernel/index.ts";
import { nothing, taskLeaf, type ActionLeaf, type EffectLeaf } from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { readSignal } from "../views/index.ts";
import { declaredFields, gatheredResult, nodeResult, withoutLineEnd } from "./node-result.ts";

/** A prompt of a graph: a task whose answer other nodes name. Its session goes with it, for nodes that continue it. */
export const nodeTask: ActionLeaf<PromptsDefinition> = {
  ...taskLeaf,
  kind: "task",
  spoken: ({ signal }, text) => (signal === undefined ? text : readSignal(text, textOf(signal.of)).output),
  async show(at, open) {
    const shown = await taskLeaf.show(at, open);
    const { signal } = open.action.args;
    if (signal === undefined) return shown;
    const when = `When nothing is left to do, put \`<promise>${textOf(signal)}</promise>\` into the result; otherwise there is another round.`;
    return { ...shown, step: { ...shown.step, instructions: `${shown.step.instructions} ${when}` } };
  },
  turn: async (at, open) => {
    const { session, fork } = open.action.args;
    const wish = await taskLeaf.turn!(at, open);
    return { ...wish, ...(isObject(session) ? { session: session as unknown as AgentSession } : {}), ...(fork === true ? { fork } : {}) };
  },
  continues: ({ session, on_lost_context: onLost }) => {
    if (session?.of === null || onLost?.of === "fresh") return undefined;
    return onLost?.of === "replay" ? "replay" : "fail";
  },
  async take(at, action, report) {
    const taken = await taskLeaf.take?.(at, action, report);
    if (report.status === "failed" || (taken !== undefined && taken.outcome.ok !== true)) return taken;
    const given = taken?.outcome.ok === true ? taken.outcome.value : (report.result ?? "");
    const { signal, returns } = action.args;
    const read = signal !== undefined && typeof given === "string" ? readSignal(given, textOf(signal)) : undefined;
    const result = nodeResult(read?.output ?? withoutLineEnd(given), declaredFields(returns));
    const { agentSession: session } = report.caller;
    const value = {
      ...result,
      ...(read === undefined ? {} : { done: read.done }),
      ...(session === undefined ? {} : { session: { ...session } }),
    };
    return { ...taken, outcome: { ok: true, value } };
  },
};

/** What a round of a group came to: the output of its last node, and whether that gives the signal. */
export const lastNode: EffectLeaf<PromptsDefinition> = {
  runs: nothing,
  async perform({ effect }) {
    const { node, signal } = effect.args;
    const held = isObject(node) ? node : {};
    const read = signal === undefined ? undefined : readSignal(textOf(held["output"] ?? ""), textOf(signal));
    const { session: _own, reason: _why, ...rest } = held;
    const value = { ...rest, status: "running", output: read?.output ?? textOf(held["output"] ?? ""), done: read?.done === true };
    return { outcome: { ok: true, value } };
  },
};

/** The items that a node is done for, from a JSON list. */
export const listItems: EffectLeaf<PromptsDefinition> = {
  runs: nothing,
  async perform({ effect }) {
    const { text, of } = effect.args;
    const list: Json = jsonOrText(textOf(text).trim());
    if (isList(list)) return { outcome: { ok: true, value: list } };
    const message = `\`fan_out.items\` of \`${textOf(of)}\` is not a JSON list. It begins with: ${beginningOf(textOf(text), 120)}`;
    return { outcome: { ok: false, code: "PROMPTS_ITEMS", message, final: true } };
  },
};

export const gatherChildren: EffectLeaf<PromptsDefinition> = {
  runs: nothing,
  async perform({ effect }) {
    const { results, total } = effect.args;
    return { outcome: { ok: true, value: gatheredResult(isObject(results) ? results : {}, Number(total)) } };
  },
};
