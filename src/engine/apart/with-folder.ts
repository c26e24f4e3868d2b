import type { RunState } from "../../kernel/index.ts";
import type { Shown } from "../../views/index.ts";
import { foldersOf } from "./apart-folder.ts";

/** Who comes from outside is told where a strand works that has a folder of its own, where its step does not say so itself. */
export function withFolder(shown: Shown, state: RunState, strand: string): Shown {
  const [, ...apart] = foldersOf(state, strand);
  const folder = apart.at(-1);
  const { step } = shown;
  if (folder === undefined || step.definition["folder"] !== undefined) return shown;
  return {
    ...shown,
    step: { ...step, instructions: `Work in ${folder} and nowhere else: paths are relative to it. ${step.instructions}` },
  };
}
