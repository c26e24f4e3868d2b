/** (c) Computed fields: what is computed again, what is sent to the sandbox again, and what a large transformation costs. */
import { readState, start, updateState } from "../src/engine/index.ts";
import { loadSteps } from "../src/dialects/steps/definition/index.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { createEvaluator } from "../src/state/index.ts";
import { openBareInterpreter } from "./bare-interpreter.ts";
import { openBenchEngine } from "./bench-engine.ts";
import { takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";
import { fileNames } from "./workflows.ts";

const verdict = new Verdict();
await countComputations(verdict);
await countValuesSent(verdict);
await timeTransformation(verdict);
verdict.finish();

/** 900 fields read one of 100 keys each, and 100 more read the first field of each key: a key has 9 direct dependants and 1 behind. */
async function countComputations(verdict: Verdict): Promise<void> {
  const keys = 100;
  const direct = Array.from({ length: 900 }, (_, index) => `    f${index}: { from: raw.k${index % keys}, transform: "input + ${index}" }`);
  const behind = Array.from({ length: keys }, (_, index) => `    g${index}: { from: computed.f${index}, transform: "input * 2" }`);
  const raw = Array.from({ length: keys }, (_, index) => `k${index}: ${index}`).join(", ");
  const engine = await openBenchEngine([
    `name: "bench:fields"\ndescription: For measuring.\nversion: "1.0.0"\ndefault_state: { raw: { ${raw} } }\nstate_schema:\n  computed:\n${[...direct, ...behind].join("\n")}\nsteps:\n  - { id: wait_here, type: user_message, message: Hello }\n`,
  ]);
  const { context, caller } = engine;
  const { run } = await start(context, caller, { workflow: "bench:fields" });
  const before = (await readState(context, run)).state;
  const first = context.evaluator.stats().computations;
  await readState(context, run);
  const again = context.evaluator.stats().computations;
  await updateState(context, caller, { run, updates: [{ path: "raw.k7", value: 1_000 }] });
  const after = (await readState(context, run)).state;
  const changed = context.evaluator.stats().computations;
  const wrong = Object.keys(after).filter(
    (name) => /^[fg]\d+$/.test(name) && (before[name] !== after[name]) !== (Number(name.slice(1)) % keys === 7),
  );
  await engine.close();
  verdict.title("(c) computed fields");
  console.log("  1,000 fields over 100 keys; one key has 9 direct dependants and 1 behind them");
  verdict.exactly("fields computed at the first reading", first, 1_000);
  verdict.exactly("computed when nothing changed", again - first, 0);
  verdict.exactly("computed after one key changed", changed - again, 10);
  verdict.exactly("fields with a wrong value afterwards", wrong.length, 0);
}

/** A field that reads a large list and a small number: when the number changes, the list is not sent again. */
async function countValuesSent(verdict: Verdict): Promise<void> {
  const engine = await openBenchEngine([
    `name: "bench:large"\ndescription: For measuring.\nversion: "1.0.0"\ninputs: { files: { type: array, required: true } }
default_state: { raw: { list: "{{ inputs.files }}", at: 0 } }
state_schema:\n  computed:\n    one: { from: [raw.list, raw.at], transform: "input[0][input[1]]" }
steps:\n  - { id: wait_here, type: user_message, message: Hello }\n`,
  ]);
  const { context, caller } = engine;
  const files = fileNames(10_000);
  const { run } = await start(context, caller, { workflow: "bench:large", inputs: { files } });
  await readState(context, run, ["one"]);
  const before = context.sandbox.stats();
  const changes = 20;
  let wrong = 0;
  for (let at = 1; at <= changes; at += 1) {
    await updateState(context, caller, { run, updates: [{ path: "raw.at", value: at }] });
    const { state } = await readState(context, run, ["one"]);
    if (state["one"] !== files[at]) wrong += 1;
  }
  const after = context.sandbox.stats();
  await engine.close();
  console.log(
    `  a list of ${files.length} texts, ${JSON.stringify(files).length} characters, beside a number that changes ${changes} times`,
  );
  verdict.exactly("wrong results", wrong, 0);
  verdict.exactly("values sent again", after.valuesSent - before.valuesSent, 0);
  verdict.count("bytes sent in all", after.bytesSent - before.bytesSent, 1_000);
}

/** A transformation over 100,000 texts that are new each time. */
async function timeTransformation(verdict: Verdict): Promise<void> {
  const transform = "input.filter(name => !name.endsWith('7.ts')).map(name => name.toUpperCase())";
  const { program } = loadSteps({
    main: {
      name: "bench:transform",
      source: "project",
      path: "bench.yaml",
      text: `name: "bench:transform"\ndescription: For measuring.\nversion: "1.0.0"\ndefault_state: { raw: { list: [] } }\nstate_schema:\n  computed:\n    shouted: { from: raw.list, transform: "${transform}" }\nsteps:\n  - { id: a, type: user_message, message: Hello }\n`,
    },
    imports: {},
    workflows: {},
  });
  if (program === undefined) throw new Error("The workflow of the bench does not load.");
  const sandbox = createSandbox();
  const evaluator = createEvaluator({ runner: sandbox });
  const bare = await openBareInterpreter(transform);
  const list = fileNames(100_000);
  const fresh = (count: number): string[] => [...list.slice(0, -1), `src/last-${count}.ts`];
  const ours = async (count: number): Promise<unknown> => {
    const scope = { part: program.main, raw: { list: fresh(count) }, state: {}, inputs: {}, fixed: {}, version: count, calls: {} };
    const { shouted } = await evaluator.read(program, "bench", { run: scope }, "run", ["shouted"]);
    return shouted;
  };
  const reference = (count: number): Promise<unknown> => bare.run(fresh(count));
  const same = JSON.stringify(await ours(0)) === JSON.stringify(await reference(0));
  const rounds = await takeTurns({ reference: { turn: reference }, ours: { turn: ours } }, { rounds: 15, turns: 4, warmUp: 2 });
  await bare.close();
  await sandbox.close();
  verdict.exactly("results that differ from the reference's", same ? 0 : 1, 0);
  verdict.compare(rounds, {
    what: "a transformation over 100,000 texts, all new",
    shown: {
      "reference: bare engine in a worker": (round) => round["reference"] ?? Number.NaN,
      "ours: computed field": (round) => round["ours"] ?? Number.NaN,
    },
    ratio: (round) => (round["ours"] ?? Number.NaN) / (round["reference"] ?? Number.NaN),
    ratioName: "ours / reference",
    limit: 1.5,
  });
}
