// @ts-check
// `npm run soak`: 100,000 hostile cases and 10,000 random walks of the delivery machine, or `-- --cases 2000 --walks 100`; `--seed 7` repeats a run, `--part yaml --from 1234 --cases 1` one case of it.
// Ends with 0 only if every case was answered in time with a listed code and everything on the hostile list was refused.
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { root, runNode, seconds } from "./run-tool.mjs";

/** Without a sign of life for this long, a case hangs. A sign comes every 20 cases, each of which may take 2 s. */
const silence = 60_000;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    walks: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    from: { type: "string", default: "0" },
    part: { type: "string", multiple: true, default: [] },
    reduced: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});

const begun = performance.now();
const built = await runNode(["scripts/build.mjs", "--if-stale"], { live: true });
if (built.code !== 0) process.exit(1);
const cache = join(root, "node_modules", ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "waymark-soak-"));
try {
  await bundle();
  console.log(`${values.cases} cases, seed ${values.seed}`);
  const cases = Number(values.cases) === 0 ? 0 : await watch();
  const walked = values.part.length > 0 || values.reduced ? 0 : await walk(Number(values.walks));
  process.exitCode = cases === 0 && walked === 0 ? 0 : 1;
  console.log(`${process.exitCode === 0 ? "Nothing crashed, hung or went through." : "Not everything held."} ${seconds(begun)} s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Bundled, because Node 20 does not run TypeScript. */
async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: ["test/soak/run-soak.ts", "test/soak/run-walks.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@photostructure/sqlite", "pg", "quickjs-wasi"],
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
    sourcemap: "inline",
    logLevel: "warning",
  });
}

/**
 * Walks in as many processes as there are cores.
 *
 * @param {number} walks
 * @returns {Promise<number>}
 */
async function walk(walks) {
  if (walks === 0) return 0;
  const processes = Math.max(1, Math.min(availableParallelism(), walks));
  const codes = await Promise.all(
    Array.from({ length: processes }, () => {
      const own = String(Math.ceil(walks / processes));
      const child = fork(join(folder, "run-walks.mjs"), ["--walks", own], {
        cwd: root,
        env: { ...process.env, WAYMARK_ROOT: root },
        execArgv: ["--enable-source-maps"],
      });
      return new Promise((done) => child.on("close", (code) => done(code ?? 1)));
    }),
  );
  return codes.every((code) => code === 0) ? 0 : 1;
}

/** @returns {Promise<number>} */
function watch() {
  const { cases, seed, from, part, reduced, verbose } = values;
  const args = ["--root", root, "--cases", cases, "--seed", seed, "--from", from, ...part.flatMap((name) => ["--part", name])];
  const flags = [...(reduced ? ["--reduced"] : []), ...(verbose ? ["--verbose"] : [])];
  const child = fork(join(folder, "run-soak.mjs"), [...args, ...flags], { cwd: root, execArgv: ["--enable-source-maps"] });
  let last = "none";
  /** @type {NodeJS.Timeout} */
  let alarm;
  const wind = () => {
    clearTimeout(alarm);
    alarm = setTimeout(() => {
      console.log(`No sign of life for ${silence / 1000} s: a case hangs. The last sign came at ${last}, seed ${seed}.`);
      child.kill("SIGKILL");
    }, silence);
  };
  wind();
  child.on("message", (/** @type {{ part: string, index: number }} */ { part: name, index }) => {
    last = `${name} ${index}`;
    wind();
  });
  return new Promise((done, refuse) => {
    child.on("error", refuse);
    child.on("close", (code) => {
      clearTimeout(alarm);
      done(code ?? 1);
    });
  });
}
