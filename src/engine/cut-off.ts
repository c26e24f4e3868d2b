import type { EngineContext } from "./context.ts";
import { effectKey } from "./perform-effects.ts";
import type { RunHandle } from "./run-cache.ts";

/** What this process performs of a run, which closing the engine cuts off, and what its policy makes of it then. */
export interface CutOff {
  readonly step: string;
  readonly then: "retry" | "continue" | "ask" | "fail";
}

export function cutOff({ effects }: Pick<EngineContext, "effects">, { id: run, state, program }: RunHandle): readonly CutOff[] {
  return Object.values(state.effects)
    .filter((effect) => effects.running.has(effectKey(run, effect.id)))
    .map(({ step, block: id }) => {
      const block = program.blocks[id];
      return { step, then: block?.kind === "do" ? (block.whenLost ?? "retry") : "retry" };
    });
}
