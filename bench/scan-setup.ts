/** What the benches of the scan share: the worker's program, rules, and the walk that ours and the reference take alike. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { PatternSpec, ScanRules, Workspace } from "../src/ports/index.ts";

export const workers = 2;

/** Bundled as the product is. */
export async function workerProgram(): Promise<URL> {
  const outfile = join(process.env["BENCH_FOLDER"] ?? import.meta.dirname, "scan-worker.mjs");
  await build({
    entryPoints: [join(process.cwd(), "src", "workspace", "scan-worker.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  return pathToFileURL(outfile);
}

export function pattern(id: string, more: Partial<PatternSpec>): PatternSpec {
  return { id, name: id, description: id, contextLines: 2, rules: [], transformations: [], ...more };
}

export const errorRules: ScanRules = { patterns: [pattern("error-call", { finder: "al-error-call" })], bcVersion: "BC24" };
/** A pattern in code for each of the first names. */
export function wordRules(names: readonly string[], count: number): ScanRules {
  const options = { wholeWord: true, in: "code", flags: "i" } as const;
  return { patterns: names.slice(0, count).map((name) => pattern(`name-${name}`, { regex: name, ...options })) };
}

export async function walk(workspace: Workspace, root: string): Promise<string[]> {
  const { files } = await workspace.inventory({
    root,
    patterns: ["**/*.al"],
    exclusions: [],
    scope: { kind: "workspace" },
    priority: [],
    gitignore: true,
  });
  return files.map(({ path }) => path);
}
