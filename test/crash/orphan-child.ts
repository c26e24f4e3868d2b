import { writeSync } from "node:fs";
import { start } from "../../src/engine/index.ts";
import { composeEngine } from "./compose-engine.ts";
import { endlessWorkflows, orphanWorkflows } from "./orphan-workflows.ts";
import { driveToEnd } from "./scripted-agent.ts";

/** What one process of the test is to do, as JSON in its first argument. */
export interface OrphanTask {
  readonly base: string;
  readonly workflow: string;
  readonly leaseTtlMs: number;
}

/** Said when it begins to work on the run, and when the run has ended. */
export type OrphanLine = { readonly said: "handed" } | { readonly said: "end"; readonly status: string };

const task = JSON.parse(process.argv[2] ?? "{}") as OrphanTask;
const say = (line: OrphanLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const engine = await composeEngine({
  base: task.base,
  settings: { leaseTtlMs: task.leaseTtlMs, leaseBeatMs: Math.ceil(task.leaseTtlMs / 4), callWaitMs: 10_000 },
  logged: () => undefined,
});
const caller = engine.caller("main");
const [held] = await engine.context.store.listRuns({});
const found = [...orphanWorkflows, ...endlessWorkflows].find(({ name }) => name === task.workflow);
if (held === undefined && found !== undefined) await engine.define(found.name, found.yaml);
say({ said: "handed" });
const run = held?.id ?? (await start(engine.context, caller, { workflow: task.workflow, waitMs: 0 })).run;
const { state } = await driveToEnd(engine, caller, run, { did: () => undefined, acknowledged: () => undefined });
await engine.close();
say({ said: "end", status: state.status });
