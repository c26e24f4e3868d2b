import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * A program of the tests as files that plain Node can start, beside the packages that cannot be bundled. They belong to this
 * process and go with it.
 */
export async function bundleChild(source: string): Promise<string> {
  const root = resolve(import.meta.dirname, "../..");
  const name = source.replace(/\.ts$/, "");
  const outdir = join(root, "node_modules", ".cache", "waymark-crash", `${name}-${process.pid}`);
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, "test", "crash", source)],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["@photostructure/sqlite", "pg", "quickjs-wasi"],
    logLevel: "warning",
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
  });
  return join(outdir, `${name}.mjs`);
}
