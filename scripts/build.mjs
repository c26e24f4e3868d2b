// @ts-check
// Checks the types of every room and bundles the product into dist/. `--if-stale` does nothing when dist/ is newer than the sources.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { dialectProjects } from "./dialect-projects.mjs";
import { root, runTool, seconds } from "./run-tool.mjs";

const begun = performance.now();
const dist = join(root, "dist");
const product = join(dist, "waymark.js");
const entry = join(root, "src", "bin", "waymark.ts");
/** Threads that scan files run a program of their own, which must be beside the product. */
const worker = join(root, "src", "workspace", "scan-worker.ts");

if (!existsSync(entry)) fail("src/bin/waymark.ts does not exist, so there is nothing to build.");
if (process.argv.includes("--if-stale") && isFresh()) process.exit(0);

/**
 * The parser of expressions is a tenth of what a server would load, and one that was asked for nothing yet needs no expression: it
 * stays a package beside the product and is loaded with the first call.
 *
 * @type {import("esbuild").Plugin}
 */
const lateParser = {
  name: "late-parser",
  setup(bundle) {
    bundle.onResolve({ filter: /^acorn$/ }, () => ({ path: "acorn", namespace: "late" }));
    bundle.onLoad({ filter: /.*/, namespace: "late" }, () => ({
      contents: [
        'const name = "acorn";',
        "let held;",
        "const parser = () => (held ??= require(name));",
        "export const parse = (...given) => parser().parse(...given);",
        "export const parseExpressionAt = (...given) => parser().parseExpressionAt(...given);",
      ].join("\n"),
    }));
  },
};

/**
 * The protocol package brings a judge of JSON Schemas, an eighth of what a server would load. The server gives it another one and never
 * makes this one.
 *
 * @type {import("esbuild").Plugin}
 */
const withoutJudge = {
  name: "without-judge",
  setup(bundle) {
    bundle.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: "shims", namespace: "without-judge" }));
    bundle.onLoad({ filter: /.*/, namespace: "without-judge" }, () => ({
      contents: [
        'import process from "node:process";',
        "export { process };",
        'export class DefaultJsonSchemaValidator { constructor() { throw new Error("The judge of schemas is not part of the product."); } }',
      ].join("\n"),
    }));
  },
};

// Both are quick and independent; nothing is written unless both succeed.
const [types, bundle] = await Promise.all([runTool("tsc", ["-b", "src/bin", ...dialectProjects()]), bundleProduct()]);
if (types.code !== 0) fail(`The types do not fit.\n${types.output.trimEnd()}`);
if (bundle === undefined) fail("The bundle could not be made; esbuild says why above.");
const written = writeProduct(bundle);
copyFileSync(join(dist, "rooms", "bin", "package-types.d.ts"), join(dist, "types.d.ts"));
const megabytes = written.reduce((sum, file) => sum + file.contents.length, 0) / 1e6;
console.log(`Built dist/waymark.js and ${written.length - 1} files beside it, ${megabytes.toFixed(1)} MB, in ${seconds(begun)} s.`);

/**
 * The entry and shared chunks beside it: what a command imports dynamically is loaded only when that command runs. Packages with
 * native or WebAssembly parts stay outside; the banner gives bundled CommonJS packages the `require` they expect. Spaces and long
 * forms are taken out, since reading the text is most of a server's start: a fifth less time. Names stay, for stack traces.
 */
async function bundleProduct() {
  try {
    return await build({
      absWorkingDir: root,
      entryPoints: [entry, worker],
      outdir: dist,
      entryNames: "[name]",
      chunkNames: "[name]-[hash]",
      bundle: true,
      splitting: true,
      minifyWhitespace: true,
      minifySyntax: true,
      format: "esm",
      platform: "node",
      target: "node20",
      external: ["@photostructure/sqlite", "quickjs-wasi"],
      banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
      plugins: [lateParser, withoutJudge],
      legalComments: "external",
      metafile: true,
      write: false,
      logLevel: "warning",
    });
  } catch (problem) {
    if (problem instanceof Error && "errors" in problem) return undefined;
    throw problem;
  }
}

/**
 * Writes the bundle, removes chunks of earlier ones, and collects what the licences of bundled packages ask to be passed on.
 *
 * @param {Pick<import("esbuild").BuildResult<{ write: false, metafile: true }>, "outputFiles" | "metafile">} bundle
 */
function writeProduct({ outputFiles, metafile }) {
  mkdirSync(dist, { recursive: true });
  const code = outputFiles.filter((file) => !file.path.endsWith(".LEGAL.txt"));
  for (const file of code) {
    if (file.path === product) continue;
    writeFileSync(file.path, file.contents);
  }
  const main = code.find((file) => file.path === product)?.text ?? "";
  writeFileSync(product, main.startsWith("#!") ? main : `#!/usr/bin/env node\n${main}`);
  chmodSync(product, 0o755);
  const comments = outputFiles.filter((file) => file.path.endsWith(".LEGAL.txt")).map((file) => file.text.trim());
  writeFileSync(join(dist, "licenses.txt"), [...licenceTexts(Object.keys(metafile.inputs)), ...comments].join("\n\n") + "\n");
  // Says which sources and packages each file is made of; tests read it, and the published package leaves it out.
  writeFileSync(join(dist, "meta.json"), JSON.stringify(metafile));
  const current = new Set(code.map((file) => basename(file.path)));
  for (const name of readdirSync(dist)) if (name.endsWith(".js") && !current.has(name)) rmSync(join(dist, name));
  return code;
}

/**
 * @param {string[]} inputs paths of bundled files, relative to the repository
 * @returns {string[]} name, version and licence text of each package among them
 */
function licenceTexts(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((found) => /^(?:licen[cs]e|copying)(?:\.\w+)?$/i.test(found));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), "utf8").trim();
    return `=== ${name} ${version} ===\n${text}`;
  });
}

/** Whether the product is newer than everything it is made from; removed files show in the time of their folder. */
function isFresh() {
  if (!existsSync(product)) return false;
  const built = statSync(product).mtimeMs;
  const made = ["package.json", "package-lock.json", "tsconfig.base.json", "scripts/build.mjs"].map((file) => join(root, file));
  const sources = sourceFiles();
  return [...made, ...sources, ...new Set(sources.map((file) => dirname(file)))].every((path) => statSync(path).mtimeMs <= built);
}

function sourceFiles() {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(?:\.ts|tsconfig\.json)$/.test(file) && !/\.(?:test|contract)\.ts$/.test(file))
    .map((file) => join(root, "src", file));
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
