// @ts-check
// `npm run fleet`: eight workers on computers of their own (the built command, another name, home and checkout each) drive 64 strands on one PostgreSQL
// while they are killed and stopped and the database crashes, and once more through PgBouncer. Prints a verdict for each claim; ends with 0 only if all
// held. `--lease 30000 --beat 10000 --poll 2000` in milliseconds, `--runs 8` of 8 strands, `--kills 13`, `--stops 7`; PG_BIN names another PostgreSQL.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { root, seconds } from "./run-tool.mjs";

const { values } = parseArgs({
  options: {
    lease: { type: "string", default: "6000" },
    beat: { type: "string", default: "2000" },
    poll: { type: "string", default: "1000" },
    runs: { type: "string", default: "8" },
    kills: { type: "string", default: "13" },
    stops: { type: "string", default: "7" },
  },
});
const product = join(root, "dist", "waymark.js");
if (!existsSync(product)) {
  console.error("There is no dist/waymark.js. Run `npm run build` first.");
  process.exit(2);
}
const folder = join(root, "node_modules", ".cache", `waymark-fleet-${process.pid}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  absWorkingDir: root,
  entryPoints: [join(root, "test", "fleet", "run-fleet.ts")],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["pg"],
  logLevel: "warning",
});
const begun = performance.now();
/** @type {typeof import("../test/fleet/run-fleet.ts")} */
const { runFleet } = await import(pathToFileURL(join(folder, "run-fleet.mjs")).href);
const held = await runFleet({
  parts: {
    product,
    agent: join(root, "test", "agents", "fake-acp-agent.mjs"),
    preload: pathToFileURL(join(root, "test", "support", "other-machine.mjs")).href,
    leaseMs: Number(values.lease),
    beatMs: Number(values.beat),
    pollMs: Number(values.poll),
  },
  runs: Number(values.runs),
  kills: Number(values.kills),
  stops: Number(values.stops),
  say: (line) => console.log(line),
});
console.log(`${held ? "Everything held" : "Not everything held"}, in ${seconds(begun)} s.`);
process.exitCode = held ? 0 : 1;
