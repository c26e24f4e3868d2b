import fc from "fast-check";
import { expect, test } from "vitest";
import { replay, type MemoryRun } from "../../test/support/memory-run.ts";
import { poke, RandomProgram, runOf, type Pick } from "../../test/support/random-program.ts";
import type { RunState, Strand } from "./run-state.ts";

/** Everything that is open belongs to a strand that is there, and every strand that waits has something to wait for. */
function looseEnds({ state: s, items }: MemoryRun): string[] {
  return [...(s.status === "running" ? looseNow(s) : looseAtEnd(s)), ...looseCounts(s, [...items.values()])];
}

function looseNow(s: RunState): string[] {
  const owned = [...Object.values(s.actions), ...Object.values(s.effects), ...Object.values(s.timers)];
  const gone = owned.filter(({ strand }) => s.strands[strand] === undefined).map(({ id }) => `${id} is open in a strand that is gone`);
  const asked = Object.values(s.decisions).filter(({ status }) => status === "pending");
  const unheard = asked.filter(({ id }) => !Object.values(s.strands).some(({ waits }) => waits?.on === "decision" && waits.id === id));
  const live = Object.values(s.strands).some(
    ({ status, waits }) => status === "blocked" || (status === "waiting" && waits?.on !== "strands"),
  );
  return [
    ...gone,
    ...unheard.map(({ id }) => `nobody waits for the answer to ${id}`),
    ...Object.values(s.actions).flatMap(({ id, strand }) => (isAwaited(s.strands[strand], id) ? [] : [`nobody waits for ${id}`])),
    ...Object.values(s.strands).flatMap((strand) => looseStrand(s, strand)),
    ...looseLimits(s),
    ...(live ? [] : ["nothing is left to do, but the run is not over"]),
  ];
}

function isAwaited(strand: Strand | undefined, action: string): boolean {
  if (strand?.waits?.on === "action" && strand.waits.id === action) return true;
  return strand?.frames.some((frame) => frame.kind === "work" && frame.action === action) === true;
}

function looseStrand(s: RunState, { id, status, waits, frames, scope }: Strand): string[] {
  const things = { action: s.actions, effect: s.effects, timer: s.timers, decision: s.decisions } as const;
  const thing = waits === undefined || waits.on === "strands" ? undefined : things[waits.on][waits.id];
  const missing = thing === undefined || ("status" in thing && thing.status !== "pending");
  const waitsInVain = status === "waiting" && waits !== undefined && waits.on !== "strands" && missing;
  const open = frames.flatMap((frame) => (frame.kind === "work" ? frame.open : []));
  const scopes = frames.flatMap((frame) => (frame.kind === "call" ? [frame.scope, frame.outer] : []));
  return [
    ...(waitsInVain ? [`${id} waits for ${waits.on} ${waits.id}, which is gone`] : []),
    ...open.filter((task) => s.strands[task] === undefined).map((task) => `${id} waits for the task ${task}, which is gone`),
    ...[scope, ...scopes].flatMap((held) => (held === undefined || s.scopes[held] !== undefined ? [] : [`${id} is in a gone scope`])),
  ];
}

/** Each block has one time limit at most, and none while its error steps are at work. */
function looseLimits(s: RunState): string[] {
  const limits = Object.values(s.timers).filter(({ why }) => why === "timeout");
  const places = limits.map(({ strand, depth = 0 }) => `${strand}/${depth}`);
  const twice = places.filter((place, index) => places.indexOf(place) !== index);
  const wrong = limits.filter(({ strand, depth = 0 }) => {
    const frames = s.strands[strand]?.frames ?? [];
    const rescued = frames.some((frame, at) => frame.kind === "rescue" && at > depth && frame.of <= depth);
    return depth >= frames.length || frames[depth]?.kind === "rescue" || rescued;
  });
  return [...twice.map((place) => `two limits at ${place}`), ...wrong.map(({ id }) => `${id} limits a block that is not at work`)];
}

function looseAtEnd({ actions, effects, timers, held, decisions }: RunState): string[] {
  const open = [...Object.keys(actions), ...Object.keys(effects), ...Object.keys(timers), ...Object.keys(held)];
  const asked = Object.values(decisions).filter(({ status }) => status === "pending");
  return [...open, ...asked.map(({ id }) => id)].map((id) => `${id} is open after the end`);
}

/** Counts agree with the rows. Rows of a list that has been closed are counted by the block they belong to. */
function looseCounts(s: RunState, rows: readonly { readonly list: string; readonly status: string }[]): string[] {
  const listOf = (list: string): string => (s.lists[list] === undefined ? (list.split("#")[0] ?? "") : list);
  return Object.entries(s.lists).flatMap(([list, { by, total }]) => {
    const own = rows.filter((row) => listOf(row.list) === list);
    const wrong = Object.entries(by).filter(([status, count]) => count !== own.filter((row) => row.status === status).length);
    const left = s.status === "completed" && by.pending + by.in_progress > 0 ? [`${list} is not done, but the run is`] : [];
    return [...wrong.map(([status]) => `${list} counts ${status} wrongly`), ...left, ...(total === own.length ? [] : [`${list} in all`])];
  });
}

test("whatever happens, nothing stays open without a strand, no strand waits in vain, and replay gives the same state", () => {
  fc.assert(
    fc.property(fc.gen(), fc.boolean(), fc.integer({ min: 1, max: 3 }), (draw, serial, count) => {
      const pick: Pick = (...of) => of[draw(fc.nat, { max: of.length - 1 })] as (typeof of)[number];
      const run = runOf(new RandomProgram(pick).program(), ["A", "B", "C"].slice(0, count));
      run.start({ serial });
      for (let step = 0; step < 45 && run.state.status !== "completed" && run.state.status !== "cancelled"; step += 1) {
        poke(run, pick);
        expect(looseEnds(run)).toEqual([]);
      }
      expect(replay(run.events)).toEqual(run.state);
    }),
    { numRuns: 100 },
  );
});
