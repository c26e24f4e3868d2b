// @ts-check
// `npm run bench`: measures against named references, in one run, and ends with 0 only if every limit held. `npm run bench -- a c` runs
// only the parts named. The parts are in bench/, begin with their letter, and run one after another in processes of their own.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { root, runNode, seconds } from "./run-tool.mjs";

const begun = performance.now();
const folder = join(root, "node_modules", ".cache", "waymark-bench");
const parts = readdirSync(join(root, "bench"))
  .filter((name) => /^[a-z]-.*\.ts$/.test(name))
  .sort();
const letters = parts.map((name) => name.slice(0, 1));
/** Parts that measure the built package. */
const needBuild = ["d", "e", "i", "l", "q"];

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const unknown = wanted.filter((name) => !letters.includes(name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. Parts: ${letters.join(", ")}.`);
  process.exit(2);
}
const chosen = parts.filter((name) => wanted.length === 0 || wanted.includes(name.slice(0, 1)));

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "work"), { recursive: true });
if (chosen.some((name) => needBuild.includes(name.slice(0, 1)))) {
  const { code } = await runNode(["scripts/build.mjs", "--if-stale"], { live: true });
  if (code !== 0) process.exit(1);
}
await bundle();
console.log(
  `${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}. Times are means of a round; shown: median of the rounds, and the range of the middle half.`,
);

const rows = [];
for (const name of chosen) rows.push({ part: name.slice(0, 1), held: (await runPart(name)) === 0 });
rmSync(join(folder, "work"), { recursive: true, force: true });
console.log(`\n${rows.map(({ part, held }) => `(${part}) ${held ? "OK" : "OVER"}`).join("  ")}   ${seconds(begun)} s`);
process.exitCode = rows.every(({ held }) => held) ? 0 : 1;

/** Bundled as the product is, so that what is measured is what users run. */
async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: [...chosen, "minimal-server.ts"].map((name) => join("bench", name)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@photostructure/sqlite", "quickjs-wasi", "esbuild", "pg"],
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
    logLevel: "warning",
  });
}

/** @param {string} name */
function runPart(name) {
  return new Promise((done, refuse) => {
    const child = spawn(process.execPath, [join(folder, `${basename(name, ".ts")}.mjs`)], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, BENCH_FOLDER: join(folder, "work") },
    });
    child.on("error", refuse);
    child.on("close", (code) => done(code ?? 1));
  });
}
