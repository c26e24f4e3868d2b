import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Around } from "../../../test/crash/around.ts";
import type { ComposedEngine } from "../../../test/crash/compose-engine.ts";
import { AlwaysBench } from "../../../test/crash/engine-bench.ts";
import { doctor } from "./doctor.ts";
import { prune } from "./prune.ts";
import { journal } from "./journal.ts";
import { note } from "./note.ts";
import { end } from "./end.ts";
import { start } from "./start.ts";

let bench: AlwaysBench;
let engine: ComposedEngine;
beforeEach(async () => {
  bench = new AlwaysBench();
  engine = await bench.open();
});
afterEach(() => bench.close());

const bytesEach = 100_000;
const always = Number.MAX_SAFE_INTEGER;

/** Runs that ended, newest first, each with a value that is kept in a blob of its own; and one that is open. No blob is young. */
async function played(count: number): Promise<{ readonly ended: readonly string[]; readonly open: string }> {
  const { context, folder } = engine;
  await engine.define("prune:one", "name: prune:one\ninputs: { text: string }\nsteps: [{ id: a, type: user_message, message: x }]\n");
  const caller = engine.caller();
  const ended: string[] = [];
  for (let turn = 0; turn <= count; turn += 1) {
    const inputs = { text: String(turn).padStart(bytesEach - 2, "x") };
    ended.unshift((await start(context, caller, { workflow: "prune:one", inputs })).run);
    // A run that failed still takes notes.
    if (turn < count) await end(context, caller, { run: ended[0]!, status: "failed" });
  }
  const old = new Date(Date.now() - 7_200_000);
  for (const entry of readdirSync(join(folder, ".waymark/store/blobs"), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), old, old);
  return { ended: ended.slice(1), open: ended[0]! };
}

const left = async (): Promise<string[]> => (await engine.context.store.listRuns({})).map(({ id }) => id);

test("two that prune at once remove each run once, and what they tell adds up", async () => {
  const { ended, open } = await played(12);
  const other = await bench.open();
  const [one, two] = await Promise.all([prune(engine.context, always, false), prune(other.context, always, false)]);
  expect([...one.runs, ...two.runs].toSorted()).toEqual(ended.toSorted());
  expect([one.blobs + two.blobs, one.bytes + two.bytes]).toEqual([12, 12 * bytesEach]);
  expect(await left()).toEqual([open]);
  expect((await doctor(other.context)).problems).toEqual([]);
});

/** Lets everybody on once it was opened as often as it says. */
class Barrier {
  readonly passed: Promise<void>;
  #left: number;
  #open: () => void = () => undefined;

  constructor(times: number) {
    this.#left = times;
    this.passed = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#open();
  }
}

test("of two that found the same runs each removes those that it comes to first, and none that moved since", async () => {
  const { ended, open } = await played(7);
  const moving = ended[3]!;
  const found = new Barrier(2);
  const removed = new Map(ended.map((run) => [run, new Barrier(1)]));
  const outcomes: [turn: number, who: number, removed: unknown][] = [];
  /** The two take turns in being first, and between finding the runs and removing them one of these is written to. */
  const taking =
    (who: number): Around =>
    async (name, args, call) => {
      if (name === "listRuns") {
        const rows = await call();
        found.open();
        await found.passed;
        return rows;
      }
      const turn = ended.indexOf(String(args[0]));
      const barrier = removed.get(String(args[0]))!;
      if (turn % 2 !== who) await barrier.passed;
      else if (args[0] === moving) await note(engine.context, engine.caller(), { run: moving, text: "Keep this." });
      const outcome = await call();
      outcomes.push([turn, who, outcome]);
      barrier.open();
      return outcome;
    };
  const storeMethods = ["listRuns", "removeRun"];
  const pruning = [await bench.open({ storeMethods, store: taking(0) }), await bench.open({ storeMethods, store: taking(1) })];
  const [even, odd] = await Promise.all(pruning.map(({ context }) => prune(context, always, false)));

  const [a, b, c, , d, e, f] = ended;
  expect([even?.runs, odd?.runs]).toEqual([
    [a, c, d, f],
    [b, e],
  ]);
  expect(outcomes).toEqual(
    ended.flatMap((run, turn) => [
      [turn, turn % 2, run !== moving],
      [turn, 1 - (turn % 2), false],
    ]),
  );
  expect([even!.blobs + odd!.blobs, even!.bytes + odd!.bytes]).toEqual([6, 6 * bytesEach]);
  expect(await left()).toEqual([open, moving]);
  expect(JSON.stringify((await journal(engine.context, moving, 0, 100)).at(-1))).toContain("Keep this.");
  expect((await doctor(engine.context)).problems).toEqual([]);
});
