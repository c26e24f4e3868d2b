/** (a) What one report-and-next costs, against a bare transaction of the same bytes and a bare call of the sandbox. */
import { onKnownRun, progress, start } from "../src/engine/index.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { openBareTransaction, recordBytes } from "./bare-transaction.ts";
import { openBenchEngine } from "./bench-engine.ts";
import { takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";
import { bareCondition, conditionSequence, fileNames, plainItems, plainSequence } from "./workflows.ts";

const plan = { rounds: 15, turns: 120, warmUp: 600 };
const steps = plan.rounds * plan.turns + plan.warmUp + 10;

const engine = await openBenchEngine([
  plainSequence(steps),
  conditionSequence("operators", steps),
  conditionSequence("regex", steps),
  plainItems,
]);
const { context, caller } = engine;
const sandbox = createSandbox();

const begin = async (workflow: string, inputs: Record<string, string[]> = {}): Promise<string> =>
  (await start(context, caller, { workflow, inputs })).run;
const step = (run: string) => () => onKnownRun(context, (engine) => progress(engine, caller, { run }));
const sequence = await begin("bench:sequence");
const operators = await begin("bench:operators");
const regex = await begin("bench:regex");
const beside = await begin("bench:sequence");
const items = await begin("bench:items", { files: fileNames(steps) });

const head = (await context.store.readRun(sequence))?.head ?? 0;
await step(sequence)();
const records = await context.store.readRecords(sequence, head, 10);
const bytes = recordBytes(records);
const bare = openBareTransaction(engine.storeFolder, bytes);

const rounds = await takeTurns(
  {
    bare: { turn: bare.write },
    plain: { turn: step(sequence) },
    operators: { turn: step(operators) },
    regex: { turn: step(regex) },
    sandbox: { turn: () => sandbox.evaluate({ space: "bare", ...bareCondition }) },
    // A step calls the sandbox when its thread has slept for as long as a step takes; calls one after another find it awake.
    rested: {
      turn: async () => {
        await step(beside)();
        await sandbox.evaluate({ space: "bare", ...bareCondition });
      },
    },
    item: { turn: step(items) },
  },
  plan,
);

const verdict = new Verdict();
const of = (name: string) => (round: Readonly<Record<string, number>>) => round[name] ?? Number.NaN;
verdict.title("(a) one report-and-next, WAL, synchronous=FULL");
verdict.compare(rounds, {
  what: `a plain step against a bare transaction of its ${bytes} bytes in ${records.length} record`,
  shown: { "reference: bare transaction": of("bare"), "ours: step of a sequence": of("plain") },
  ratio: (round) => of("plain")(round) / of("bare")(round),
  ratioName: "ours / reference",
  limit: 2.5,
});
const rested = (round: Readonly<Record<string, number>>): number => of("rested")(round) - of("plain")(round);
for (const [kind, what] of [
  ["regex", "what one JavaScript condition adds that needs the interpreter, against a bare call of the sandbox after a plain step"],
  ["operators", "what one JavaScript condition of operators alone adds, against a bare call of the sandbox after a plain step"],
] as const) {
  verdict.compare(rounds, {
    what,
    shown: {
      "bare sandbox calls, one after another": of("sandbox"),
      "reference: bare sandbox call after a step": rested,
      "step without the condition": of("plain"),
      "step with the condition": of(kind),
    },
    ratio: (round) => (of(kind)(round) - of("plain")(round)) / rested(round),
    ratioName: "added / reference",
    limit: 1.3,
  });
}
verdict.compare(rounds, {
  what: "the same step in a foreach, which also moves two items",
  shown: { "reference: bare transaction": of("bare"), "ours: step of a foreach": of("item") },
  ratio: (round) => of("item")(round) / of("bare")(round),
  ratioName: "ours / reference",
});
verdict.finish();

bare.close();
await sandbox.close();
await engine.close();
