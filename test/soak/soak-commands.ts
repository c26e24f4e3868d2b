import type { Json, JsonObject } from "../../src/base/index.ts";
import {
  answer,
  checkpoint,
  debugInfo,
  dependencies,
  doctor,
  end,
  exportRun,
  journal,
  next,
  note,
  progress,
  readState,
  report,
  resume,
  retry,
  runs,
  setLimits,
  start,
  status,
  stepHistory,
  testTransformation,
  traceTransformations,
  updateState,
  type Caller,
  type EngineContext,
  type ReportRequest,
  type StateUpdate,
} from "../../src/engine/index.ts";
import { hostileText, hostileValue } from "./hostile-values.ts";
import { answered } from "./listed-codes.ts";
import { Random } from "./random.ts";
import { Known, openSoakWorld, workflowNames } from "./soak-world.ts";
import { casesPerWorld } from "./soak-tools.ts";
import type { Share } from "./soak-yaml.ts";
import type { Tally } from "./tally.ts";

/** Who calls, with what; every command gets its own odd values. */
interface Turn {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly random: Random;
  readonly known: Known;
  readonly run: string;
}

/** What commands that move a run answer. */
interface Told {
  readonly run?: string;
  readonly standing?: { readonly action?: { readonly id: string }; readonly decision?: { readonly id: string } };
  readonly position?: Told;
}

const json = (random: Random, depth = 3): Json => hostileValue(random, depth) as Json;
const id = ({ random, known }: Turn): string => (random.chance(0.8) ? random.pick(known.ids) : hostileText(random));
const some = (random: Random, value: JsonObject): JsonObject => (random.chance(0.5) ? value : {});

const commands: Readonly<Record<string, (turn: Turn) => Promise<unknown>>> = {
  start: ({ context, caller, random }) =>
    start(context, caller, {
      workflow: random.chance(0.9) ? random.pick(workflowNames) : hostileText(random),
      serial: random.chance(0.2),
      ...some(random, { inputs: json(random) as JsonObject, budget: { steps: random.below(8) } }),
    }),
  next: (turn) =>
    next(turn.context, turn.caller, { run: turn.run, takeOver: turn.random.chance(0.3), ...some(turn.random, { task: id(turn) }) }),
  progress: (turn) => progress(turn.context, turn.caller, reportOf(turn)),
  report: (turn) => report(turn.context, turn.caller, reportOf(turn)),
  answer: (turn) =>
    answer(turn.context, turn.caller, {
      run: turn.run,
      decision: id(turn),
      answer: json(turn.random),
      relayed: turn.random.chance(0.5),
      ...some(turn.random, { revision: turn.random.below(3) }),
    }),
  updateState: ({ context, caller, random, run }) =>
    updateState(context, caller, {
      run,
      updates: random.times(
        3,
        () =>
          ({
            path: random.pick(["raw.count", "raw.seen", "raw.text", hostileText(random)]),
            operation: random.pick(["set", "append", "increment", "merge"]),
            value: json(random, 2),
          }) as StateUpdate,
      ),
      ...some(random, { expectedVersion: random.below(5), key: `k${random.below(5)}` }),
    }),
  readState: ({ context, random, run }) =>
    readState(context, run, random.chance(0.5) ? undefined : random.times(3, () => hostileText(random))),
  end: ({ context, caller, random, run }) =>
    end(context, caller, {
      run,
      status: random.pick(["completed", "failed", "cancelled"]),
      ...some(random, { reason: hostileText(random) }),
    }),
  retry: ({ context, caller, random, run }) =>
    retry(context, caller, { run, resetCounts: random.chance(0.5), fromStart: random.chance(0.3) }),
  resume: (turn) => resume(turn.context, turn.caller, { run: turn.run, ...some(turn.random, { task: id(turn) }) }),
  note: (turn) =>
    note(turn.context, turn.caller, { run: turn.run, text: hostileText(turn.random), ...some(turn.random, { target: id(turn) }) }),
  checkpoint: (turn) =>
    checkpoint(turn.context, turn.caller, { run: turn.run, reason: hostileText(turn.random), ...some(turn.random, { step: id(turn) }) }),
  setLimits: ({ context, caller, random, run }) => setLimits(context, caller, { run, budget: { steps: random.below(50) + 1 } }),
  status: ({ context, run }) => status(context, run),
  runs: ({ context, random }) => runs(context, some(random, { limit: random.below(5), workflow: hostileText(random) })),
  journal: ({ context, random, run }) => journal(context, run, random.below(20), random.below(20)),
  stepHistory: ({ context, run }) => stepHistory(context, run, 50),
  exportRun: ({ context, run }) => exportRun(context, run),
  dependencies: (turn) => dependencies(turn.context, turn.run, turn.random.chance(0.5) ? "twice" : hostileText(turn.random)),
  debugInfo: ({ context, run }) => debugInfo(context, run),
  trace: ({ context, random, run }) => traceTransformations(context, run, random.chance(0.5) ? "twice" : hostileText(random)),
  transform: ({ context, random }) => testTransformation(context, hostileText(random), json(random)),
};
const names = [...Object.keys(commands), "start", "next", "progress", "progress", "progress", "progress", "updateState"];

/** Gives the engine commands in any order, from two callers, and looks afterwards whether every journal still holds. */
export async function soakCommands({ seed, from, cases }: Share, tally: Tally): Promise<void> {
  for (let first = from - (from % casesPerWorld); first < from + cases; first += casesPerWorld) {
    const engine = await openSoakWorld();
    const known = new Known();
    const random = new Random(seed, "commands", first);
    const other: Caller = { ...engine.caller, holder: { kind: "agent", name: "other", session: "other" } };
    for (let index = first; index < Math.min(first + casesPerWorld, from + cases); index += 1) {
      const name = random.pick(names);
      const turn: Turn = {
        context: engine.context,
        caller: random.chance(0.85) ? engine.caller : other,
        random,
        known,
        run: random.chance(0.95) ? (known.runs[random.below(known.runs.length)] ?? "wf-none") : hostileText(random),
      };
      await tally.case(index, async () => {
        const command = commands[name];
        const code = await answered(async () => {
          const told = (await command?.(turn)) as Told | undefined;
          const place = told?.position ?? told;
          known.learn({
            run_id: place?.run,
            action_id: place?.standing?.action?.id ?? place?.standing?.decision?.id,
            standing: place?.standing,
          });
        });
        return `${name}: ${code}`;
      });
    }
    for (const { run, problem } of (await doctor(engine.context)).problems)
      tally.fail(`After the cases from ${first} on, run ${run ?? "?"}: ${problem}`);
    await engine.close();
  }
}

function reportOf(turn: Turn): ReportRequest {
  const { random, run, known } = turn;
  const pair = known.open[random.below(known.open.length)];
  if (pair !== undefined && random.chance(0.6))
    return {
      ...pair,
      ...(random.chance(0.7) ? { result: random.chance(0.5) ? "abc" : json(random) } : {}),
      ...(random.chance(0.1) ? { status: "failed" } : {}),
    };
  return {
    run,
    ...(random.chance(0.3) ? { action: id(turn) } : {}),
    ...(random.chance(0.2) ? { step: id(turn) } : {}),
    ...(random.chance(0.2) ? { task: id(turn) } : {}),
    ...(random.chance(0.2) ? { status: random.pick(["success", "failed"]) } : {}),
    ...(random.chance(0.6) ? { result: json(random) } : {}),
    ...(random.chance(0.1) ? { error: hostileText(random) } : {}),
  };
}
