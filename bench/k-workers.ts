/**
 * Several workers of one runner on one store: how many files a second eight of them review, against one, with agents that take 200 ms for a
 * turn. The agents are in this process and report through the door, so that what is measured is what the workers share.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadDialectTools } from "../src/bin/dialect-parts.ts";
import { start } from "../src/engine/index.ts";
import { serveStrands } from "../src/http/index.ts";
import type { AgentProvider, Agents } from "../src/ports/index.ts";
import { driveRun } from "../src/runner/index.ts";
import { doorOf } from "../test/support/driven-run.ts";
import { openBenchEngine } from "./bench-engine.ts";
import { takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";

const turnMs = 200;
const several = 8;
/** About the same time for both. */
const files = { one: 30, eight: 240 } as const;
const plan = { rounds: 5, turns: 1, warmUp: 1 };

const { context, workspace, caller, close } = await openBenchEngine([]);
await mkdir(join(workspace, ".waymark/workflows"), { recursive: true });
for (const [name, count] of Object.entries(files)) {
  await mkdir(join(workspace, name));
  for (let at = 0; at < count; at += 1) await writeFile(join(workspace, name, `f${at}.txt`), `file ${at}\n`);
  await writeFile(
    join(workspace, `.waymark/workflows/${name}.workflow.yaml`),
    `type: ${name}
name: Review
description: One look at every file
version: "1.0.0"
file_patterns: ["${name}/*.txt"]
phases:
  - { id: inventory, name: Inventory, description: Lists the files. }
  - { id: review, name: Review, description: Every file. }
per_file_checklist:
  - { id: judge, type: validation, description: Judge it. }
`,
  );
}

for (const name of Object.keys(files)) {
  const { hash } = await context.catalog.load(name);
  await context.host.permissions.grant({ hash, workflow: name, workspace, runs: [], unattended: true });
}
const doors = await serveStrands({ context, version: "0", explainPlan: () => Promise.resolve({}), dialects: await loadDialectTools() });

let turns = 0;
const provider: AgentProvider = {
  id: "timed",
  async *run(turn) {
    turns += 1;
    const sessionId = `session-${turns}`;
    yield { type: "session", sessionId, resumed: "new" };
    await new Promise((done) => {
      setTimeout(done, turnMs);
    });
    const [, call = "{}"] = /(\{"run_id":"[^"]+","action_id":"[^"]+"\})/.exec(turn.prompt) ?? [];
    await doorOf(turn).call("workflow_progress", { ...(JSON.parse(call) as object), status: "completed", result: "read" });
    yield { type: "result", sessionId, stop: "end", text: "Done.", usage: {}, denied: [] };
  },
  close: () => Promise.resolve(),
};
const agents = {
  resolve: () => Promise.resolve({ name: "timed", account: "timed" }),
  open: () => Promise.resolve(provider),
} as unknown as Agents;

const never = new AbortController().signal;
let run = "";
const contestant = (workflow: keyof typeof files, workers: number) => ({
  before: async () => {
    run = (await start(context, caller, { workflow, held: false })).run;
  },
  turn: async () => {
    const end = await driveRun(
      { context, agents, doors },
      { run, agent: "timed", workers, permission: { level: "read" }, finish: never, cancel: never },
    );
    if (end.kind !== "completed") throw new Error(`The run ended otherwise: ${JSON.stringify(end)}`);
  },
});
const rounds = await takeTurns({ one: contestant("one", 1), eight: contestant("eight", several) }, plan);

const verdict = new Verdict();
const perFile = (name: keyof typeof files) => (round: Readonly<Record<string, number>>) => (round[name] ?? Number.NaN) / files[name];
verdict.title(`(k) ${several} workers in one runner, agents that take ${turnMs} ms a turn, files of a checklist`);
verdict.compare(rounds, {
  what: "a file that is reviewed",
  shown: { "reference: one worker": perFile("one"), [`ours: ${several} workers`]: perFile("eight") },
  ratio: (round) => perFile("one")(round) / perFile("eight")(round),
  ratioName: `files a second, ${several} workers / one`,
  least: 6,
});
verdict.finish();

await doors.close();
await close();
