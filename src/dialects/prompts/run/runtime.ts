import { textOf } from "../../../base/index.ts";
import { nothing, taskLeaf, type ActionLeaf, type EffectLeaf, type Runtime } from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { readSignal } from "../views/index.ts";
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
    return { outcome: { ok: true, value: { folder: `${folder}/${path}`, words: splitWords(textOf(effect.args["message"] ?? "")) } } };
  },
};

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
  leaves: { prompts_begin: begin, prompts_round: round },
  hides: new Set(["words"]),
  fixedState: { code: "PROMPTS_STATE_FIXED", why: "what a step did is reported, never written" },
};
