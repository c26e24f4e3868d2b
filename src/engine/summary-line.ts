import { type RunState } from "../kernel/index.ts";
import { itemCounts, maskSecrets } from "../views/index.ts";
import type { Program } from "../program/index.ts";

/** What a list of runs shows without loading them: JSON text of where the run stands. */
export interface RunLine {
  readonly step?: string;
  readonly label?: string;
  readonly questions: number;
  readonly blocked?: string;
  readonly done: number;
  readonly total: number;
  readonly holder?: string;
  readonly error?: string;
}

export function summaryLine(state: RunState, program: Program): string {
  return JSON.stringify(lineOf(state, program));
}

export function lineOf(state: RunState, program: Program): RunLine {
  const main = state.strands["main"];
  const frame = main?.frames.at(-1);
  const label = main?.frames.map((held) => program.blocks[held.block]?.label?.text).findLast((text) => text !== undefined);
  const questions = Object.values(state.decisions).filter((decision) => decision.status === "pending").length;
  const blocked =
    state.status === "running" ? Object.values(state.strands).find((strand) => strand.status === "blocked")?.blocked : undefined;
  const lists = itemCounts({ program, state });
  return {
    questions,
    done: lists.reduce((sum, list) => sum + list.by.completed + list.by.skipped + list.by.failed, 0),
    total: lists.reduce((sum, list) => sum + list.total, 0),
    ...(frame === undefined ? {} : { step: frame.block }),
    ...(label === undefined ? {} : { label }),
    ...(blocked === undefined ? {} : { blocked: blocked.reason }),
    ...(main?.holder === undefined ? {} : { holder: main.holder.name }),
    ...(state.error === undefined ? {} : { error: maskSecrets(state.error.message, program, state) }),
  };
}
