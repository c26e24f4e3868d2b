// @ts-check
// Bundles the rooms from their sources, so that scripts can ask them what they know without a build.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../run-tool.mjs";

/** @type {Promise<typeof import("./rooms.ts")> | undefined} */
let loaded;

/** Everything `rooms.ts` exports; bundled once in a process. */
export function loadRooms() {
  loaded ??= bundle();
  return loaded;
}

async function bundle() {
  const folder = join(root, "node_modules", ".cache", "waymark-scripts");
  await mkdir(folder, { recursive: true });
  const outfile = join(folder, `rooms-${process.pid}.mjs`);
  const made = await build({
    entryPoints: [join(root, "scripts", "docs", "rooms.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "silent",
    external: ["@photostructure/sqlite", "quickjs-wasi"],
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
  });
  await writeFile(outfile, made.outputFiles[0]?.contents ?? "");
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(outfile, { force: true });
  }
}
