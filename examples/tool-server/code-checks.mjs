/**
 * Simple checks of TypeScript and JavaScript sources. They read text, not types: what they report is there, but a compiler or a
 * real linter would find more.
 */
import { posix } from "node:path";
import { listFiles, readText } from "./project-files.mjs";

/** @typedef {{ file: string, line: number, rule: string, message: string }} Issue */
/** @typedef {{ file: string, name: string, line: number }} Export */

export const sources = ["**/*.{ts,js,mjs}"];

const lintRules = [
  { rule: "no-var", pattern: /\bvar\s/g, message: "Use const or let." },
  { rule: "eqeqeq", pattern: /[^=!<>]==[^=]|[^=!]!=[^=]/g, message: "Compare with === or !==." },
  { rule: "no-console", pattern: /\bconsole\.(?:log|debug)\b/g, message: "Leave no debugging output behind." },
  { rule: "no-explicit-any", pattern: /:\s*any\b/g, message: "Name the type instead of any." },
  { rule: "no-trailing-space", pattern: /[ \t]+$/gm, message: "Remove the blanks at the end of the line." },
];

/** @param {string} text @param {number} offset */
export function lineOf(text, offset) {
  return text.slice(0, offset).split("\n").length;
}

/** @param {string} root @param {readonly string[]} files @returns {Promise<Issue[]>} */
export async function lint(root, files) {
  const issues = [];
  for (const file of files) {
    const text = await readText(root, file);
    const code = withoutComments(text);
    for (const { rule, pattern, message } of lintRules) {
      for (const match of code.matchAll(pattern)) issues.push({ file, line: lineOf(text, match.index), rule, message });
    }
    if (!text.endsWith("\n")) issues.push({ file, line: lineOf(text, text.length), rule: "final-newline", message: "End the file with a newline." });
  }
  return issues;
}

/**
 * Imports of files that do not exist, names that the imported file does not export, brackets that do not match.
 *
 * @param {string} root @param {readonly string[]} files @returns {Promise<Issue[]>}
 */
export async function checkModules(root, files) {
  const known = await listFiles(root, sources);
  const issues = [];
  for (const file of files) {
    const text = await readText(root, file);
    for (const { from, names, line } of importsOf(text)) {
      const target = resolveImport(file, from, known);
      if (target === undefined) issues.push({ file, line, rule: "unresolved-import", message: `There is no module ${from}.` });
      const offered = target === undefined ? [] : exportsOf(target, await readText(root, target)).map(({ name }) => name);
      for (const name of target === undefined ? [] : names) {
        if (!offered.includes(name)) issues.push({ file, line, rule: "missing-export", message: `${from} exports no ${name}.` });
      }
    }
    const open = unbalanced(text);
    if (open !== undefined) issues.push({ file, line: open, rule: "unbalanced", message: "A bracket is not closed, or closes nothing." });
  }
  return issues;
}

/**
 * Imports of one file from another of the project.
 *
 * @param {string} text
 * @returns {{ from: string, names: string[], line: number }[]}
 */
export function importsOf(text) {
  const form = /^[ \t]*(?:import|export)\s+(?:type\s+)?(?:(\{[^}]*\})|(\*\s*as\s+\w+)|(\w+))?\s*(?:from\s*)?["'](\.[^"']+)["']/gm;
  return [...withoutComments(text, false).matchAll(form)].map((match) => ({
    from: match[4] ?? "",
    names: (match[1] ?? "").replace(/[{}]/g, "").split(",").map((name) => name.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0] ?? "").filter((name) => name !== ""),
    line: lineOf(text, match.index),
  }));
}

/** @param {string} file @param {string} text @returns {Export[]} */
export function exportsOf(file, text) {
  const form = /^[ \t]*export\s+(?:async\s+)?(?:function|const|let|class|interface|type|enum)\s+(\w+)/gm;
  return [...withoutComments(text).matchAll(form)].map((match) => ({ file, name: match[1] ?? "", line: lineOf(text, match.index) }));
}

/** @param {string} file @param {string} from @param {readonly string[]} known */
export function resolveImport(file, from, known) {
  const base = posix.join(posix.dirname(file), from);
  return [base, base.replace(/\.js$/, ".ts"), `${base}.ts`, `${base}.js`, `${base}/index.ts`, `${base}/index.js`].find((path) => known.includes(path));
}

/** @param {string} root @returns {Promise<Map<string, string[]>>} */
export async function importGraph(root) {
  const known = await listFiles(root, sources);
  const graph = new Map();
  for (const file of known) {
    const targets = importsOf(await readText(root, file)).map(({ from }) => resolveImport(file, from, known));
    graph.set(file, [...new Set(targets.filter((target) => target !== undefined))]);
  }
  return graph;
}

/** @param {ReadonlyMap<string, readonly string[]>} graph @returns {string[][]} */
export function cyclesOf(graph) {
  const cycles = new Map();
  /** @param {string} file @param {readonly string[]} trail */
  const visit = (file, trail) => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      const ring = trail.slice(at);
      const first = ring.indexOf([...ring].sort()[0] ?? "");
      const turned = [...ring.slice(first), ...ring.slice(0, first)];
      cycles.set(turned.join("\n"), [...turned, turned[0]]);
      return;
    }
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
  };
  for (const file of graph.keys()) visit(file, []);
  return [...cycles.values()];
}

/** Blanks comments and, unless `quotesToo` is false, what is in quotes; every line stays where it is. @param {string} text */
export function withoutComments(text, quotesToo = true) {
  const form = /\/\*[^]*?\*\/|(?<![:"'`\w])\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return text.replace(form, (found) => (/^["'`]/.test(found) ? (quotesToo ? `"${blank(found.slice(1, -1))}"` : found) : blank(found)));
}

/** @param {string} text */
function blank(text) {
  return text.replace(/[^\n]/g, "_");
}

/** Line of the first bracket that has no partner. @param {string} text */
function unbalanced(text) {
  const pairs = new Map([[")", "("], ["]", "["], ["}", "{"]]);
  const open = [];
  for (const match of withoutComments(text).matchAll(/[()[\]{}]/g)) {
    const [sign] = match;
    if (!pairs.has(sign)) open.push({ sign, at: match.index });
    else if (open.pop()?.sign !== pairs.get(sign)) return lineOf(text, match.index);
  }
  const left = open.at(-1);
  return left === undefined ? undefined : lineOf(text, left.at);
}
