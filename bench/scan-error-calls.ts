/** A complete Error() scan of a large application: walk, lexing, matching, classification and output, on two threads. */
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readdirSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { delimiter, join } from "node:path";
import type { ScanRules } from "../src/ports/index.ts";
import { createWorkspace } from "../src/workspace/index.ts";
import { takeTurns } from "./rounds.ts";
import { errorRules, walk, wordRule, workerProgram, workers } from "./scan-setup.ts";
import { hasName, rareNames, scale, scanTree, treeFacts } from "./scan-tree.ts";
import { Verdict } from "./verdict.ts";

const root = scanTree();
const workspace = createWorkspace({ workers, workerUrl: await workerProgram() });
const ripgrep = findRipgrep();
const cpu = { reference: 0, ours: 0 };
const found = { bytes: 0, files: 0, error: 0, one: 0, twenty: 0 };

const rounds = await takeTurns(
  {
    reference: { turn: () => timed("reference", readAll) },
    error: { turn: () => timed("ours", async () => (found.error = await scanAll(errorRules))) },
    one: { turn: async () => (found.one = await scanAll({ patterns: rareNames.slice(0, 1).map(wordRule) })) },
    twenty: { turn: async () => (found.twenty = await scanAll({ patterns: rareNames.map(wordRule) })) },
    ...(ripgrep === undefined ? {} : { ripgrep: { turn: () => runRipgrep(ripgrep.file) } }),
  },
  { rounds: 5, turns: 1, warmUp: 1 },
);
await workspace.close();

const verdict = new Verdict();
verdict.title(
  `(scan) ${found.files} AL files, ${Math.round(found.bytes / 1e6)} MB${scale === 1 ? "" : `, reduced to ${scale}`}, ${workers} threads`,
);
verdict.exactly("Error() calls found", found.error, treeFacts.errorCalls);
verdict.exactly("instances of one name", found.one, filesWith(0));
verdict.exactly(
  "instances of twenty names",
  found.twenty,
  rareNames.reduce((sum, _, at) => sum + filesWith(at), 0),
);
verdict.compare(rounds, {
  what: "walk, lex, match, classify, print as JSON lines",
  shown: {
    "reference: walk and readFileSync, one thread": (round) => round["reference"] ?? Number.NaN,
    "ours: the complete Error() scan": (round) => round["error"] ?? Number.NaN,
    ...(ripgrep === undefined ? {} : { [`beside it: ${ripgrep.version}, "error\\s*\\("`]: (round) => round["ripgrep"] ?? Number.NaN }),
  },
  ratio: (round) => (round["error"] ?? Number.NaN) / (round["reference"] ?? Number.NaN),
  ratioName: "ours / reference",
  limit: 4,
});
verdict.note(`processor time of one turn: reference ${cpu.reference.toFixed(1)} s, ours ${cpu.ours.toFixed(1)} s over all threads`);
if (ripgrep === undefined) verdict.note("ripgrep is not installed here, so its time is not shown");
verdict.compare(rounds, {
  what: "patterns that each contain a fixed name",
  shown: { "one pattern": (round) => round["one"] ?? Number.NaN, "twenty patterns": (round) => round["twenty"] ?? Number.NaN },
  ratio: (round) => (round["twenty"] ?? Number.NaN) / (round["one"] ?? Number.NaN),
  ratioName: "twenty / one",
  limit: 3,
});
verdict.finish();

/** Also takes the processor time, which says more than the clock where others compute, too. */
async function timed(what: keyof typeof cpu, act: () => Promise<unknown>): Promise<void> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  cpu[what] = (user + system) / 1e6;
}

async function readAll(): Promise<void> {
  const paths = await walk(workspace, root);
  found.bytes = 0;
  found.files = paths.length;
  for (const path of paths) found.bytes += readFileSync(join(root, path)).length;
}

async function scanAll(rules: ScanRules): Promise<number> {
  const sink = openSync(devNull, "w");
  let count = 0;
  let lines = "";
  for await (const { path, instances } of workspace.scan({ root, paths: await walk(workspace, root), rules })) {
    for (const { line, column, endLine, endColumn, pattern, type, auto, text } of instances) {
      count += 1;
      lines += `${JSON.stringify({ file: path, line, column, end_line: endLine, end_column: endColumn, pattern, type, auto_fixable: auto, text })}\n`;
    }
    if (lines.length < 65_536) continue;
    writeSync(sink, lines);
    lines = "";
  }
  writeSync(sink, lines);
  closeSync(sink);
  return count;
}

/** In how many files the name with this place stands, once in each. */
function filesWith(name: number): number {
  return Array.from({ length: treeFacts.files }, (_, file) => hasName(file, name)).filter(Boolean).length;
}

function findRipgrep(): { file: string; version: string } | undefined {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const packages = join(process.cwd(), "node_modules", "@vscode");
  const bundled = existsSync(packages) ? readdirSync(packages).map((each) => join(packages, each, "bin")) : [];
  const file = [...bundled, ...(process.env["PATH"] ?? "").split(delimiter)]
    .map((folder) => join(folder, name))
    .find((each) => existsSync(each));
  return file === undefined
    ? undefined
    : { file, version: execFileSync(file, ["--version"], { encoding: "utf8" }).split("\n")[0] ?? "ripgrep" };
}

function runRipgrep(file: string): void {
  execFileSync(file, ["-i", "--json", "-g", "*.al", "--threads", String(workers), "error\\s*\\(", root], { stdio: "ignore" });
}
