// @ts-check
// `node scripts/mutate.mjs <room> [n] [seed]`: breaks n lines of src/<room>, one at a time, runs the tests of that room after each and
// says which breaks no test noticed. The breaks are made in a copy of the tree, so the working tree is never touched.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, seconds } from "./run-tool.mjs";

/** What is done to a line: the first form that fits somewhere in it is tried at a random one of its places. */
/** @type {readonly (readonly [string, RegExp, (found: string) => string])[]} */
const breaks = [
  [
    "condition turned round",
    /\bif \((?!!\()(.+)\) (?=return|throw|continue|break|\{|[a-z])/,
    (found) => found.replace(/^if \((.+)\) $/, "if (!($1)) "),
  ],
  ["comparison turned round", / === | !== /, (found) => (found === " === " ? " !== " : " === ")],
  [
    "border moved",
    / <= | >= | < (?=[\w(])| > (?=[\w(])/,
    (found) => ({ " <= ": " < ", " >= ": " > ", " < ": " <= ", " > ": " >= " })[found] ?? found,
  ],
  ["and made or", / && | \|\| /, (found) => (found === " && " ? " || " : " && ")],
  ["fallback dropped", / \?\? [\w"'.[\]{}()]+(?=[;,)])/, () => ""],
  ["one more or less", / \+ 1\b| - 1\b/, (found) => (found === " + 1" ? " - 1" : " + 1")],
  ["true made false", /\btrue\b|\bfalse\b/, (found) => (found === "true" ? "false" : "true")],
  ["statement dropped", /^\s+(?:await )?[\w.#]+(?:\?\.)?\([^=]*\);$/, () => ""],
  ["part left out", /\.\.\.\w[\w.]*, /, () => ""],
];

const [room, count = "10", seedText = "1"] = process.argv.slice(2);
if (room === undefined) {
  console.error("Usage: node scripts/mutate.mjs <room> [n] [seed], for example: node scripts/mutate.mjs kernel 10 7");
  process.exit(2);
}
const random = randomFrom(Number(seedText));
const candidates = readdirSync(join(root, "src", room), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/\.(?:test|contract|child)\.ts$|(?:^|\/)(?:index|codes)\.ts$/.test(file))
  .toSorted()
  .flatMap((file) => breakable(join("src", room, file)));
if (candidates.length === 0) {
  console.error(`src/${room} has no line that can be broken.`);
  process.exit(2);
}

const copy = mkdtempSync(join(tmpdir(), "waymark-mutate-"));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const name of [
  "src",
  "test",
  "workflows",
  "knowledge",
  "examples",
  "docs",
  "scripts",
  "package.json",
  "tsconfig.base.json",
  "tsconfig.json",
  "vitest.config.ts",
])
  cpSync(join(root, name), join(copy, name), { recursive: true });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

/** How long the tests of the room may take before they count as hanging, in milliseconds. */
let patience = 300_000;
const first = performance.now();
if ((await runTests()) !== "passed") {
  console.error(`The tests of src/${room} fail before anything is broken.`);
  process.exit(1);
}
patience = 20_000 + 5 * (performance.now() - first);
let survived = 0;
for (let made = 0; made < Number(count); made += 1) {
  const [chosen] = candidates.splice(Math.floor(random() * candidates.length), 1);
  if (chosen === undefined) break;
  const { file, line, how, text } = chosen;
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  const lines = whole.split("\n");
  const before = lines[line] ?? "";
  lines[line] = text;
  writeFileSync(path, lines.join("\n"));
  const begun = performance.now();
  const verdict = await runTests();
  writeFileSync(path, whole);
  if (verdict === "passed") survived += 1;
  console.log(`${verdict === "passed" ? "SURVIVED" : "noticed "} ${file}:${line + 1} ${how} (${seconds(begun)} s)`);
  if (verdict === "passed") console.log(`         - ${before.trim()}\n         + ${text.trim()}`);
}
console.log(`${Number(count) - survived} of ${count} noticed`);

/**
 * Every line with every way to break it once.
 *
 * @param {string} file
 */
function breakable(file) {
  let inComment = false;
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((text, line) => {
      if (/^\s*\/\*/.test(text)) inComment = true;
      const code =
        !inComment &&
        !/^\s*(?:\/\/|import |export (?:type|interface)|type |interface |readonly |\| )/.test(text) &&
        !/=> (?:void|Promise)/.test(text);
      if (/\*\//.test(text)) inComment = false;
      if (!code) return [];
      return breaks.flatMap(([how, form, change]) => {
        const found = form.exec(text);
        if (found === null) return [];
        const broken = text.slice(0, found.index) + change(found[0]) + text.slice(found.index + found[0].length);
        return broken === text ? [] : [{ file, line, how, text: broken }];
      });
    });
}

/**
 * Tests of the room alone, the quick kinds first; they stop at the first that fails. A break that hangs or does not load is noticed.
 *
 * @returns {Promise<"passed" | "failed">}
 */
async function runTests() {
  for (const project of ["unit", "scenario"]) {
    const code = await run([
      "node_modules/vitest/vitest.mjs",
      "run",
      `src/${room}`,
      "--project",
      project,
      "--bail=1",
      "--passWithNoTests",
      "--reporter=dot",
    ]);
    if (code !== 0) return "failed";
  }
  return "passed";
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function run(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore", detached: process.platform !== "win32" });
    const late = setTimeout(() => {
      if (process.platform === "win32" || child.pid === undefined) child.kill("SIGKILL");
      else process.kill(-child.pid, "SIGKILL");
    }, patience);
    child.on("close", (code) => {
      clearTimeout(late);
      done(code ?? 1);
    });
  });
}

/**
 * The same numbers for the same seed.
 *
 * @param {number} seed
 */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
