/** The tools that the examples call, as plain functions over one project folder. `server.mjs` offers them over MCP. */
import { spawn } from "node:child_process";
import * as z from "zod";
import { checkModules, cyclesOf, exportsOf, importGraph, importsOf, lineOf, lint, resolveImport, sources } from "./code-checks.mjs";
import { listFiles, placeOf, readText, writeText } from "./project-files.mjs";

const texts = z.union([z.string(), z.array(z.string())]);
const project = z.string().optional().describe("Folder inside the project; default all of it.");

/**
 * @param {string} root Folder of the project.
 * @returns {Record<string, { description: string, shape: Record<string, z.ZodType>, reads: boolean, run: (args: any) => Promise<unknown> }>}
 */
export function toolsFor(root) {
  /** @type {Record<string, number>} */
  const calls = {};
  const hinted = new Set();
  const all = {
    list_files: tool("List the files that match glob patterns.", { patterns: texts }, ({ patterns }) => listFiles(root, patterns)),
    read_files: tool("Read text files; long ones are cut at max_tokens (four characters each), page by page.", { files: texts, page: z.number().optional(), max_tokens: z.number().optional() }, (args) => readFiles(root, args)),
    write_files: writing("Write text files.", { files: z.record(z.string(), z.string()) }, async ({ files }) => {
      for (const [path, text] of Object.entries(files)) await writeText(root, path, text);
      return { written: Object.keys(files) };
    }),
    check_typescript: tool("Find broken imports and unmatched brackets. It reads text, not types.", { files: texts.optional() }, async ({ files }) => report(await checkModules(root, await chosen(root, files)))),
    lint_project: tool("Find breaches of a few rules; with use_standards also of the project's standards.json.", { target_files: texts.optional(), use_standards: z.boolean().optional() }, async ({ target_files, use_standards }) => {
      const files = await chosen(root, target_files);
      const broken = use_standards === true ? (await Promise.all(files.map((file) => hintsFor(root, file)))).flat().map(({ file, line, rule, message }) => ({ file, line, rule, message })) : [];
      return report([...(await lint(root, files)), ...broken]);
    }),
    hints_for_file: tool("Say how a file can follow the project's standards.json.", { file_path: z.string(), max_hints: z.number().optional() }, async ({ file_path, max_hints }) => {
      const hints = await hintsFor(root, file_path);
      hinted.add(file_path);
      return { file: file_path, hints: hints.slice(0, max_hints ?? hints.length) };
    }),
    get_session_stats: tool("Count the calls of this session.", { session_id: z.string().optional() }, async ({ session_id }) => ({ session_id: session_id ?? "current", calls: { ...calls }, files_hinted: hinted.size })),
    run_test_suite: writing("Run the project's tests and count them.", { test_command: z.string().optional() }, ({ test_command }) => runTests(root, test_command ?? "node --test")),
    find_dead_code: tool("Find exports that no other file imports.", { project_root: project }, ({ project_root }) => inside(root, project_root, findUnused)),
    find_import_cycles: tool("Find files that import each other in a circle.", { project_root: project }, ({ project_root }) => inside(root, project_root, async (folder) => {
      const cycles = cyclesOf(await importGraph(folder));
      return { has_cycles: cycles.length > 0, cycles };
    })),
    extract_api_endpoints: tool("Find routes such as app.get(\"/path\").", { project_root: project }, ({ project_root }) => inside(root, project_root, findEndpoints)),
  };
  for (const [name, entry] of Object.entries(all)) {
    const { run } = entry;
    entry.run = (args) => {
      calls[name] = (calls[name] ?? 0) + 1;
      return run(args);
    };
  }
  return all;
}

function tool(description, shape, run) {
  return { description, shape, reads: true, run };
}

function writing(description, shape, run) {
  return { description, shape, reads: false, run };
}

async function chosen(root, files) {
  return files === undefined ? listFiles(root, sources) : [files].flat();
}

/** @param {import("./code-checks.mjs").Issue[]} issues */
function report(issues) {
  const by_file = {};
  for (const { file } of issues) by_file[file] = (by_file[file] ?? 0) + 1;
  return { errors: issues.length, by_file, issues };
}

async function readFiles(root, { files, page = 1, max_tokens }) {
  const size = max_tokens === undefined ? Number.POSITIVE_INFINITY : max_tokens * 4;
  const read = {};
  for (const path of [files].flat()) {
    const text = await readText(root, path);
    read[path] = Number.isFinite(size) ? text.slice((page - 1) * size, page * size) : text;
  }
  return read;
}

/** Standards are `{ rule, find, replace, message, files? }`: a text to look for and what should stand there. */
async function hintsFor(root, file) {
  const text = await readText(root, file);
  const standards = JSON.parse(await readText(root, "standards.json").catch(() => "[]"));
  return standards.flatMap(({ rule, find, replace, message }) =>
    [...text.matchAll(new RegExp(find, "g"))].map((match) => ({ file, line: lineOf(text, match.index), rule, message, find, replace })),
  );
}

async function inside(root, folder, look) {
  return look(folder === undefined ? root : await placeOf(root, folder));
}

async function findUnused(folder) {
  const files = await listFiles(folder, sources);
  const used = new Set();
  const offered = [];
  for (const file of files) {
    const text = await readText(folder, file);
    offered.push(...exportsOf(file, text));
    for (const { from, names } of importsOf(text)) for (const name of names) used.add(`${resolveImport(file, from, files)}#${name}`);
  }
  const unused = offered.filter(({ file, name }) => !used.has(`${file}#${name}`));
  return { total_exports: offered.length, unused };
}

async function findEndpoints(folder) {
  const endpoints = [];
  for (const file of await listFiles(folder, sources)) {
    const text = await readText(folder, file);
    for (const match of text.matchAll(/\b(?:app|router|server)\.(get|post|put|patch|delete)\(\s*["'`]([^"'`]+)/g)) {
      endpoints.push({ method: (match[1] ?? "").toUpperCase(), path: match[2] ?? "", file, line: lineOf(text, match.index) });
    }
  }
  return { endpoints };
}

function runTests(root, command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const count = (word) => Number(new RegExp(`^[#ℹ] ${word} (\\d+)`, "m").exec(output)?.[1] ?? 0);
    child.on("error", (error) => resolve({ ok: false, passed: 0, failed: 0, output: String(error) }));
    child.on("close", (code) => resolve({ ok: code === 0, passed: count("pass"), failed: count("fail"), output: output.slice(-2000) }));
  });
}
