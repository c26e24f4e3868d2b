/** (d) From the start of the process to the answer of `tools/list`, with a run of 100,000 items in the workspace's store. */
import { join } from "node:path";
import { start } from "../src/engine/index.ts";
import { openBenchEngine } from "./bench-engine.ts";
import { takeTurns } from "./rounds.ts";
import { askForTools } from "./stdio-client.ts";
import { Verdict } from "./verdict.ts";
import { fileNames, plainItems } from "./workflows.ts";

const product = join(process.cwd(), "dist", "waymark.js");
const minimal = join(import.meta.dirname, "minimal-server.mjs");

const { context, caller, workspace, env, close } = await openBenchEngine([plainItems]);
await start(context, caller, { workflow: "bench:items", inputs: { files: fileNames(100_000) } });
await close();

const place = { cwd: workspace, env };
const found = { reference: 0, ours: 0 };
const rounds = await takeTurns(
  {
    reference: { turn: async () => (found.reference = await askForTools([minimal], place)) },
    ours: { turn: async () => (found.ours = await askForTools([product, "mcp"], place)) },
  },
  { rounds: 15, turns: 2, warmUp: 2 },
);

const verdict = new Verdict();
verdict.title("(d) spawn to the answer of tools/list, a run of 100000 items in the store");
verdict.exactly("tools of the reference", found.reference, 1);
verdict.exactly("tools of waymark mcp", found.ours, 14);
verdict.compare(rounds, {
  what: "node dist/waymark.js mcp against a minimal server of the same SDK",
  shown: {
    "reference: minimal server": (round) => round["reference"] ?? Number.NaN,
    "ours: waymark mcp": (round) => round["ours"] ?? Number.NaN,
  },
  ratio: (round) => (round["ours"] ?? Number.NaN) / (round["reference"] ?? Number.NaN),
  ratioName: "ours / reference",
  limit: 1.5,
});
verdict.finish();
