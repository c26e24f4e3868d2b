// @ts-check
// `node scripts/mutate.mjs <room> [n] [seed]`: breaks n lines of src/<room>, one at a time, runs the tests of that room after each and
// says which breaks no test noticed. `node scripts/mutate.mjs <room> --only <file>:<line>...` makes every break of the named lines.
// The breaks are made in a copy of the tree, so the working tree is never touched.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";
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

const [room, ...rest] = process.argv.slice(2);
const only = rest[0] === "--only" ? rest.slice(1) : undefined;
if (room === undefined || only?.length === 0) {
  console.error("Usage: node scripts/mutate.mjs <room> [n] [seed], for example: node scripts/mutate.mjs kernel 10 7");
  console.error("       node scripts/mutate.mjs <room> --only <file>:<line>..., for example: kernel --only src/kernel/apply-items.ts:23");
  process.exit(2);
}
const files = readdirSync(join(root, "src", room), { recursive: true, encoding: "utf8" })
  .map((file) => join("src", room, file).replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"))
  .toSorted();
const candidates = files
  .filter((file) => !/\.(?:test|contract|child)\.ts$|\/(?:index|codes)\.ts$/.test(file))
  .flatMap((file) => breakable(file))
  .filter(({ file, line }) => only === undefined || only.includes(`${file}:${line + 1}`));
if (candidates.length === 0) {
  console.error(`src/${room} has no line that can be broken${only === undefined ? "" : ` at ${only.join(", ")}`}.`);
  process.exit(2);
}
const chosen = only === undefined ? draw(Number(rest[0] ?? 10), Number(rest[1] ?? 1)) : candidates;

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

/**
 * How long groups of tests took while nothing was broken, in milliseconds. Five times as long counts as hanging.
 *
 * @type {Map<string, number>}
 */
const took = new Map();
let survived = 0;
for (const { file, line, how, before, after, broken } of chosen) {
  const begun = performance.now();
  const noticed = await noticedBy(file, broken);
  if (noticed === undefined) survived += 1;
  console.log(
    `${noticed === undefined ? "SURVIVED" : "noticed "} ${file}:${line + 1} ${how} (${noticed ?? "all tests"}, ${seconds(begun)} s)`,
  );
  if (noticed === undefined || only !== undefined) console.log(`         - ${before.trim()}\n         + ${after.trim()}`);
}
console.log(`${chosen.length - survived} of ${chosen.length} noticed`);

/**
 * @param {number} count
 * @param {number} seed
 */
function draw(count, seed) {
  const random = randomFrom(seed);
  const left = [...candidates];
  return Array.from({ length: Math.min(count, left.length) }).flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

/**
 * Every line with every way to break it once. Text that does not compile, or compiles to the same code, is left out: a change in a
 * type or in a comment.
 *
 * @param {string} file
 */
function breakable(file) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const sane = compiled(lines.join("\n"));
  let inComment = false;
  return lines.flatMap((before, line) => {
    if (/^\s*\/\*/.test(before)) inComment = true;
    const code =
      !inComment &&
      !/^\s*(?:\/\/|import |export (?:type|interface)|type |interface |readonly |\| )/.test(before) &&
      !/=> (?:void|Promise)/.test(before);
    if (/\*\//.test(before)) inComment = false;
    if (!code) return [];
    return breaks.flatMap(([how, form, change]) => {
      const found = form.exec(before);
      if (found === null) return [];
      const after = before.slice(0, found.index) + change(found[0]) + before.slice(found.index + found[0].length);
      const broken = lines.with(line, after).join("\n");
      const runs = compiled(broken);
      return runs === undefined || runs === sane ? [] : [{ file, line, how, before, after, broken }];
    });
  });
}

/**
 * @param {string} text
 * @returns {string | undefined} nothing for what is not TypeScript
 */
function compiled(text) {
  try {
    return transformSync(text, { loader: "ts", logLevel: "silent" }).code;
  } catch {
    return undefined;
  }
}

/**
 * Runs the tests of the room until one fails. A break that hangs or does not load is noticed.
 *
 * @param {string} file
 * @param {string} broken
 * @returns {Promise<string | undefined>} which tests noticed; nothing when all pass
 */
async function noticedBy(file, broken) {
  for (const { name, tests } of inOrder(file)) {
    await proveSound(tests);
    const path = join(copy, file);
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, broken);
    const verdict = await run(tests, 20_000 + 5 * (took.get(tests.join()) ?? 0));
    writeFileSync(path, whole);
    if (verdict !== "passed") return verdict === "hung" ? `${name} hung` : name;
  }
  return undefined;
}

/**
 * The tests that are most likely to notice first: unit tests, then scenarios beside the file, then those of other folders, quick ones
 * before slow ones as far as that is known.
 *
 * @param {string} file
 * @returns {{ name: string, tests: string[] }[]}
 */
function inOrder(file) {
  const units = files.filter((test) => /(?<!\.process|\.scenario)\.test\.ts$/.test(test));
  const scenarios = files.filter((test) => test.endsWith(".scenario.test.ts"));
  const parts = [...new Set(scenarios.map((test) => dirname(test)))].map((folder) => {
    const tests = scenarios.filter((test) => dirname(test) === folder);
    return { name: `scenarios in ${folder}`, tests, rank: folder === dirname(file) ? -1 : (took.get(tests.join()) ?? 0) };
  });
  return [{ name: "unit tests", tests: units }, ...parts.toSorted((a, b) => a.rank - b.rank)];
}

/**
 * Only tests that pass while nothing is broken can notice a break.
 *
 * @param {readonly string[]} tests
 */
async function proveSound(tests) {
  if (took.has(tests.join())) return;
  const begun = performance.now();
  if ((await run(tests, 600_000)) !== "passed") {
    console.error(`The tests of src/${room} fail before anything is broken: ${tests.join(", ")}`);
    process.exit(1);
  }
  took.set(tests.join(), performance.now() - begun);
}

/**
 * @param {readonly string[]} tests
 * @param {number} patience in milliseconds
 * @returns {Promise<"passed" | "failed" | "hung">}
 */
function run(tests, patience) {
  if (tests.length === 0) return Promise.resolve("passed");
  return new Promise((done) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", ...tests, "--bail=1", "--reporter=dot"];
    const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore", detached: process.platform !== "win32" });
    let hung = false;
    const late = setTimeout(() => {
      hung = true;
      if (process.platform === "win32" || child.pid === undefined) child.kill("SIGKILL");
      else process.kill(-child.pid, "SIGKILL");
    }, patience);
    child.on("close", (code) => {
      clearTimeout(late);
      done(hung ? "hung" : code === 0 ? "passed" : "failed");
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
