// @ts-check
// `npm run drift`: a scripted agent misbehaves in 8 ways, 20 seeds each, over reviews and migrations of generated trees. Every run must end with
// all its files accounted for, or honestly blocked. `-- --seeds 2`, `--from 7`, `--kind skips` and `--files 30` try less;
// `--surface engine` makes the calls below the tools.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { root, seconds } from "./run-tool.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "0" },
    kind: { type: "string", multiple: true },
    files: { type: "string", default: "60" },
    lanes: { type: "string", default: "6" },
    surface: { type: "string", default: "mcp" },
  },
});

const begun = performance.now();
const cache = join(root, "node_modules", ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "waymark-drift-"));
// As deep as the sources, because they find the bundled knowledge from where they lie.
const out = join(folder, "test", "drift");
try {
  symlinkSync(join(root, "knowledge"), join(folder, "knowledge"), "junction");
  await build({
    absWorkingDir: root,
    entryPoints: ["test/drift/run-drift.ts"],
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["@photostructure/sqlite", "quickjs-wasi"],
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
    sourcemap: "inline",
    logLevel: "warning",
  });
  /** @type {typeof import("../test/drift/run-drift.ts")} */
  const { runDrift } = await import(pathToFileURL(join(out, "run-drift.mjs")).href);
  const held = await runDrift({
    seeds: Number(values.seeds),
    from: Number(values.from),
    mostFiles: Number(values.files),
    lanes: Number(values.lanes),
    surface: values.surface === "engine" ? "engine" : "mcp",
    ...(values.kind === undefined ? {} : { kinds: values.kind }),
    say: (line) => console.log(line),
  });
  console.log(`${held ? "Every file was accounted for." : "Not everything held."} ${seconds(begun)} s`);
  process.exitCode = held ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
