import type { RunState } from "../../kernel/index.ts";
import type { Shown } from "../../views/index.ts";
import { foldersOf } from "./apart-folder.ts";

/** A step of a strand that has a folder of its own says where that is, for an agent that is not there already. */
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
