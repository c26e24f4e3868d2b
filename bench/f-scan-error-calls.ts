/** (f) A complete Error() scan of a large application: walk, lexing, matching, classification and output, on two threads. */
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readdirSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { delimiter, join } from "node:path";
import type { ScanRules } from "../src/ports/index.ts";
import { createWorkspace } from "../src/workspace/index.ts";
import { spreadOf, takeTurns, type Round } from "./rounds.ts";
import { errorRules, walk, wordRules, workerProgram, workers } from "./scan-setup.ts";
import { kinNames, loneNames, scale, scanTree, timesInTree, treeFacts } from "./scan-tree.ts";
import { Verdict } from "./verdict.ts";

const root = scanTree();
const workspace = createWorkspace({ workers, workerUrl: await workerProgram() });
const ripgrep = findRipgrep();
const read = { bytes: 0, files: 0 };
const found = new Map<string, number>();
const cpu = new Map<string, number[]>();

const rounds = await takeTurns(
  {
    reference: turn("reference", readAll),
    error: turn("error", () => scanAll(errorRules)),
    loneOne: turn("loneOne", () => scanAll(wordRules(loneNames.names, 1))),
    loneTwenty: turn("loneTwenty", () => scanAll(wordRules(loneNames.names, 20))),
    kinOne: turn("kinOne", () => scanAll(wordRules(kinNames.names, 1))),
    kinTwenty: turn("kinTwenty", () => scanAll(wordRules(kinNames.names, 20))),
    ...(ripgrep === undefined ? {} : { ripgrep: { turn: () => runRipgrep(ripgrep.file) } }),
  },
  { rounds: 5, turns: 1, warmUp: 1 },
);
await workspace.close();

const verdict = new Verdict();
verdict.title(
  `(f) scan of ${read.files} AL files, ${Math.round(read.bytes / 1e6)} MB${scale === 1 ? "" : `, reduced to ${scale}`}, ${workers} threads`,
);
verdict.exactly("Error() calls found", found.get("error") ?? 0, treeFacts.errorCalls);
verdict.exactly("instances of one name, alone in its files", found.get("loneOne") ?? 0, timesInTree(loneNames, 1));
verdict.exactly("instances of twenty such names", found.get("loneTwenty") ?? 0, timesInTree(loneNames));
verdict.exactly("instances of one name of a family", found.get("kinOne") ?? 0, timesInTree(kinNames, 1));
verdict.exactly("instances of twenty names in families", found.get("kinTwenty") ?? 0, timesInTree(kinNames));
verdict.compare(rounds, {
  what: "walk, lex, match, classify, print as JSON lines",
  shown: {
    "reference: walk and readFileSync, one thread": of("reference"),
    "ours: the complete Error() scan": of("error"),
    ...(ripgrep === undefined ? {} : { [`beside it: ${ripgrep.version}, "error\\s*\\("`]: of("ripgrep") }),
  },
  ratio: (round) => of("error")(round) / of("reference")(round),
  ratioName: "ours / reference",
  limit: 4,
});
verdict.note(`processor time of a turn, all threads: reference ${seconds("reference")} s, ours ${seconds("error")} s`);
if (ripgrep === undefined) verdict.note("ripgrep is not installed here, so its time is not shown");
compareNames("patterns that each contain a fixed name, each in files of its own", "loneOne", "loneTwenty");
compareNames("patterns that each contain a fixed name, in families", "kinOne", "kinTwenty");
verdict.finish();

function compareNames(what: string, one: string, twenty: string): void {
  verdict.compare(rounds, {
    what,
    shown: { "one pattern": of(one), "twenty patterns": of(twenty) },
    ratio: (round) => of(twenty)(round) / of(one)(round),
    ratioName: "twenty / one",
    limit: 3,
  });
  verdict.note(`processor time of a turn, all threads: one ${seconds(one)} s, twenty ${seconds(twenty)} s`);
}

/** Also takes the processor time, which says more than the clock where others compute, too. */
function turn(name: string, act: () => Promise<number>): { turn: () => Promise<void> } {
  return {
    turn: async () => {
      const before = process.cpuUsage();
      found.set(name, await act());
      const { user, system } = process.cpuUsage(before);
      cpu.set(name, [...(cpu.get(name) ?? []), (user + system) / 1e6]);
    },
  };
}

function of(name: string): (round: Round) => number {
  return (round) => round[name] ?? Number.NaN;
}

/** Median of the turns that counted. */
function seconds(name: string): string {
  return spreadOf((cpu.get(name) ?? []).slice(1)).median.toFixed(1);
}

async function readAll(): Promise<number> {
  const paths = await walk(workspace, root);
  read.bytes = 0;
  read.files = paths.length;
  for (const path of paths) read.bytes += readFileSync(join(root, path)).length;
  return paths.length;
}

async function scanAll(rules: ScanRules): Promise<number> {
  const sink = openSync(devNull, "w");
  let count = 0;
  let lines = "";
  for await (const { path, instances } of workspace.scan({ root, paths: await walk(workspace, root), rules, hash: false })) {
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
