import fc from "fast-check";
import { expect, test } from "vitest";
import { replay, type MemoryRun } from "../../test/support/memory-run.ts";
import { poke, RandomProgram, runOf, type Pick } from "../../test/support/random-program.ts";
import { apply, emptyState } from "./apply.ts";
import type { Event } from "./event.ts";
import type { RunState } from "./run-state.ts";
import type { Frame } from "./frame.ts";

// Where no policy tries anything again, only a retry does, and a retry continues at the step that failed.

/** Follows the journal by itself and knows which steps were acknowledged, by block, items and rounds. */
class Acknowledged {
  readonly #run: MemoryRun;
  readonly #paths = new Map<string, string>();
  readonly #open = new Map<string, string>();
  readonly #done = new Set<string>();
  #state: RunState = emptyState;
  #seen = 0;
  readonly repeated: string[] = [];

  constructor(run: MemoryRun) {
    this.#run = run;
  }

  follow(): void {
    for (const event of this.#run.events.slice(this.#seen)) {
      this.#look(event);
      this.#state = apply(this.#state, event);
    }
    this.#seen = this.#run.events.length;
  }

  #look(event: Event): void {
    if (event.type === "strand_opened" && event.parent !== undefined) {
      const own = event.item === undefined ? "" : ` ${event.item.list.split("#")[0] ?? ""}/${event.item.id}`;
      this.#paths.set(event.strand, `${this.#pathOf(event.parent)}${own}`);
    } else if (event.type === "effect_opened") this.#opened(event.effect);
    else if (event.type === "action_opened" && event.action.what !== "parallel_tasks") this.#opened(event.action);
    else if (event.type === "effect_closed" && event.how === "done") this.#done.add(this.#open.get(event.effect) ?? "");
    else if (event.type === "action_closed" && event.how === "reported") this.#done.add(this.#open.get(event.action) ?? "");
  }

  #opened({ id, block, strand }: { readonly id: string; readonly block: string; readonly strand: string }): void {
    const { frames = [] } = this.#state.strands[strand] ?? {};
    // Error steps begin with every failure.
    if (frames.some(({ kind }) => kind === "rescue") || this.#paths.get(strand)?.includes("error steps") === true) return;
    const key = `${block}${this.#pathOf(strand)}`;
    if (this.#done.has(key)) this.repeated.push(key);
    this.#open.set(id, key);
  }

  #pathOf(strand: string): string {
    const { frames = [] } = this.#state.strands[strand] ?? {};
    return [this.#paths.get(strand) ?? "", ...frames.map(pathIn)].join("");
  }
}

function pathIn(frame: Frame): string {
  if (frame.kind === "rescue") return " error steps";
  if (frame.kind === "repeat") return ` ${frame.block}*${frame.round}`;
  return frame.kind === "work" && frame.item !== undefined ? ` ${frame.block}/${frame.item.id}` : "";
}

test("after a retry no acknowledged step is handed out or performed again, in whatever task, loop or call it is", () => {
  let retried = 0;
  fc.assert(
    fc.property(fc.gen(), fc.boolean(), fc.integer({ min: 1, max: 3 }), (draw, serial, count) => {
      const pick: Pick = (...of) => of[draw(fc.nat, { max: of.length - 1 })] as (typeof of)[number];
      const run = runOf(new RandomProgram(pick, { tries: false }).program(), ["A", "B", "C"].slice(0, count));
      const steps = new Acknowledged(run);
      run.start({ serial });
      for (let step = 0; step < 45 && run.state.status !== "completed" && run.state.status !== "cancelled"; step += 1) {
        poke(run, pick, false);
        steps.follow();
        expect(steps.repeated).toEqual([]);
      }
      expect(replay(run.events)).toEqual(run.state);
      if (run.events.some(({ type }) => type === "reopened")) retried += 1;
    }),
    { numRuns: 150 },
  );
  expect(retried).toBeGreaterThan(50);
});
