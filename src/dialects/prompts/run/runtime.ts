import { textOf, type JsonObject } from "../../../base/index.ts";
import type { Effect } from "../../../kernel/index.ts";
import {
  nothing,
  taskLeaf,
  type ActionLeaf,
  type EffectLeaf,
  type EngineContext,
  type Performed,
  type Runtime,
} from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { readSignal } from "../views/index.ts";
import { apartLeaves } from "./apart/apart-leaves.ts";
import { requireApart } from "./apart/require-apart.ts";
import { baseBranch } from "./base-branch.ts";
import { requirePrograms, runsNodeInstead } from "./graph-programs.ts";
import { gatherChildren, lastNode, listItems, nodeTask } from "./node-leaves.ts";
import { shellNode } from "./shell-node.ts";
import { splitWords } from "./split-words.ts";

/** Makes the folder for artifacts before the first step, and splits the message into the words that prompts can name. */
const begin: EffectLeaf<PromptsDefinition> = {
  runs: nothing,
  async perform({ engine, effect, folder }) {
    const path = textOf(effect.args["folder"]);
    const made = await engine.workspace.makeFolder(folder, path).catch(() => false);
    if (!made) {
      const message = `The folder ${folder}/${path} for the artifacts of this run cannot be made.`;
      return { outcome: { ok: false, code: "PROMPTS_FOLDER", message } };
    }
    const begun = { folder: `${folder}/${path}`, words: splitWords(textOf(effect.args["message"] ?? "")) };
    return effect.args["state"] === undefined ? { outcome: { ok: true, value: begun } } : beginGraph(engine, effect, folder, begun);
  },
};

const nodeInstead = {
  code: "PROMPTS_NODE_INSTEAD",
  message: "`bun` is not installed, so scripts for it are run by Node. What only `bun` has fails there.",
};

/** The other places that nodes of a graph can name. A graph that names the base branch needs one. */
async function beginGraph(engine: EngineContext, effect: Effect, folder: string, begun: JsonObject): Promise<Performed> {
  const state = textOf(effect.args["state"]);
  const made = await engine.workspace.makeFolder(folder, state).catch(() => false);
  if (!made)
    return {
      outcome: { ok: false, code: "PROMPTS_FOLDER", message: `The folder ${folder}/${state} for what the workflow keeps cannot be made.` },
    };
  const branch = effect.args["branch"] === true ? await baseBranch(engine) : "";
  if (branch === undefined) {
    const message =
      "This workflow names `$BASE_BRANCH`, and git does not say which branch that is here: there is neither a remote's default branch nor a `main` or `master`.";
    return { outcome: { ok: false, code: "PROMPTS_NO_BRANCH", message } };
  }
  const warnings = effect.args["bun"] === true && (await runsNodeInstead(engine)) ? [nodeInstead] : [];
  return {
    warnings,
    outcome: { ok: true, value: { ...begun, state_dir: `${folder}/${state}`, base_branch: branch, docs_dir: `${folder}/docs` } },
  };
}

/** One round of a loop: a task whose answer may hold the signal that ends the loop. */
const round: ActionLeaf<PromptsDefinition> = {
  ...taskLeaf,
  kind: "task",
  async show(at, open) {
    const shown = await taskLeaf.show(at, open);
    const signal = textOf(open.action.args["signal"]);
    const when = `When nothing is left to do, put \`<promise>${signal}</promise>\` into the result; otherwise there is another round.`;
    return { ...shown, step: { ...shown.step, instructions: `${shown.step.instructions} ${when}` } };
  },
  spoken: ({ signal }, text) => readSignal(text, textOf(signal?.of ?? "")).output,
  async take(at, action, report) {
    const taken = await taskLeaf.take?.(at, action, report);
    if (taken !== undefined || report.status === "failed") return taken;
    const answer = typeof report.result === "string" ? report.result : JSON.stringify(report.result ?? "");
    return { outcome: { ok: true, value: { ...readSignal(answer, textOf(action.args["signal"])) } } };
  },
};

export const promptsRuntime: Runtime<PromptsDefinition> = {
  decode: ({ prompts }) => prompts as unknown as PromptsDefinition,
  leaves: {
    prompts_begin: begin,
    prompts_round: round,
    prompts_node: nodeTask,
    prompts_shell: shellNode,
    prompts_last: lastNode,
    prompts_items: listItems,
    prompts_gathered: gatherChildren,
    ...apartLeaves,
  },
  check: async (definition, engine, beginning) => {
    requireApart(definition, beginning);
    await requirePrograms(definition, engine);
  },
  hides: new Set(["words", "fan", "fanned", "apart", "previous"]),
  fixedState: { code: "PROMPTS_STATE_FIXED", why: "what a step did is reported, never written" },
};
