/** (j) What the runner adds to a turn of an agent that answers at once, against the same turns without the engine. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fakeProvider } from "../test/agents/run-turn.ts";
import { loadDialectTools } from "../src/bin/dialect-parts.ts";
import { openEngine } from "../src/bin/open-engine.ts";
import { start, type Caller } from "../src/engine/index.ts";
import { serveStrands } from "../src/http/index.ts";
import type { Agents, Store, Turn } from "../src/ports/index.ts";
import { driveRun } from "../src/runner/index.ts";
import { benchFolder } from "./bench-engine.ts";
import { countWrites } from "./count-writes.ts";
import { spreadOf, takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";

const steps = 20;
const plan = { rounds: 15, turns: 1, warmUp: 3 };

const base = await mkdtemp(join(benchFolder(), "driven-"));
const workspace = join(base, "work");
await mkdir(join(workspace, ".archon/workflows"), { recursive: true });
await mkdir(join(workspace, ".archon/steps"));
const names = Array.from({ length: steps }, (_, at) => `step-${at + 1}`);
const chain = names.map((name) => `  - { step: ${name}, clearContext: true }`).join("\n");
await writeFile(join(workspace, ".archon/workflows/chain.yaml"), `name: chain\ndescription: Plain prompts.\nsteps:\n${chain}\n`);
for (const name of names) await writeFile(join(workspace, `.archon/steps/${name}.md`), `Do ${name}.\n`);

const writes = new Map<string, number>();
const env = { ...process.env, HOME: join(base, "home"), XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
const replace = { host: <T>(host: T): T => host, store: (store: Store): Store => countWrites(store, writes) };
const engine = await openEngine({ workspace, env, replace, logs: false });
const { context } = engine;
const { hash } = await context.catalog.load("chain");
await context.host.permissions.grant({ hash, workflow: "chain", workspace, runs: [], unattended: true });
const doors = await serveStrands({ context, version: "0", explainPlan: () => Promise.resolve({}), dialects: await loadDialectTools() });
const command = [process.execPath, join(process.cwd(), "test/agents/fake-acp-agent.mjs")];
const provider = fakeProvider({ spec: { command }, workspace });
const warm = { id: provider.id, run: (turn: Turn) => provider.run(turn), close: () => Promise.resolve() };
const agents = {
  resolve: () => Promise.resolve({ name: "fake", account: "fake" }),
  open: () => Promise.resolve(warm),
} as unknown as Agents;
const permission = { level: "read" } as const;
const person: Caller = { holder: { kind: "agent", name: "bench", session: "bench" }, surface: "bench", leaseOwner: context.host.processId };

const never = new AbortController().signal;
let run = "";
let written = 0;
const mcp = [{ name: "waymark", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer none" } }];
const rounds = await takeTurns(
  {
    bare: {
      turn: async () => {
        for (const name of names) for await (const _ of provider.run({ prompt: `Do ${name}.`, cwd: workspace, permission, mcp }));
      },
    },
    driven: {
      before: async () => {
        run = (await start(context, person, { workflow: "chain", held: false })).run;
        writes.clear();
      },
      turn: async () => {
        const end = await driveRun({ context, agents, doors }, { run, agent: "fake", permission, finish: never, cancel: never });
        if (end.kind !== "completed") throw new Error(`The run ended otherwise: ${JSON.stringify(end)}`);
        written = [...writes.values()].reduce((sum, count) => sum + count, 0);
      },
    },
  },
  plan,
);

const verdict = new Verdict();
const perTurn = (name: string) => (round: Readonly<Record<string, number>>) => (round[name] ?? Number.NaN) / steps;
const added = (round: Readonly<Record<string, number>>): number => perTurn("driven")(round) - perTurn("bare")(round);
verdict.title(`(j) a driven turn, warm agent process, a chain of ${steps} prompts with fresh contexts`);
verdict.compare(rounds, {
  what: "a turn of an agent that answers at once",
  shown: {
    "reference: the turn alone, over ACP": perTurn("bare"),
    "ours: the turn, driven": perTurn("driven"),
    "what the runner adds": added,
  },
  ratio: (round) => perTurn("driven")(round) / perTurn("bare")(round),
  ratioName: "ours / reference",
});
verdict.count("milliseconds that the runner adds, median", Number(spreadOf(rounds.map(added)).median.toFixed(2)), 15);
verdict.note([...writes].map(([kind, count]) => `${kind} ${count}`).join(", "));
verdict.count("durable transactions for a step", Number((written / steps).toFixed(2)), 3);
verdict.finish();

await doors.close();
await provider.close();
await engine.close();
