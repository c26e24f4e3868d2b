// @ts-check
// `npm run test:crash`: kills a process before and after every journal append and every effect of three workflows, lets another
// one finish, and counts. `--every 5` tries every fifth point only. Ends with 0 only if everything held.
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root, seconds } from "./run-tool.mjs";

const begun = performance.now();
const every = Number(process.argv[process.argv.indexOf("--every") + 1]) || 1;
const folder = join(root, "node_modules", ".cache", "waymark-crash", "script");
rmSync(folder, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [join(root, "test", "crash", "crash-matrix.ts"), join(root, "test", "crash", "crash-child.ts")],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["@photostructure/sqlite", "quickjs-wasi"],
  banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
  logLevel: "warning",
});

/** @type {typeof import("../test/crash/crash-matrix.ts")} */
const { crashMatrix } = await import(pathToFileURL(join(folder, "crash-matrix.mjs")).href);
const counts = await crashMatrix({
  program: join(folder, "crash-child.mjs"),
  every,
  workers: Math.max(2, Math.min(4, availableParallelism())),
  onWorkflow: (line) => console.log(line),
});
for (const complaint of counts.complaints.slice(0, 20)) console.log(`  ${complaint}`);
const { points, kills, acknowledged, lost, doubled, differing, unfinished } = counts;
console.log(
  `${points} points, ${kills} kills, ${acknowledged} acknowledged reports: ${lost} lost, ${doubled} done twice against their policy, ` +
    `${differing} differing ends or replays, ${unfinished} unfinished, in ${seconds(begun)} s.`,
);
const enough = kills >= Math.floor(points / every) - 3;
if (!enough) console.log("Fewer processes were killed than there are points, so this shows nothing.");
process.exitCode = enough && lost + doubled + differing + unfinished === 0 ? 0 : 1;
