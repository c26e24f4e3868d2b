/** (q) A review of 12 changed files in a tree of 5,000 through the built command: its time, what an agent reads at its start, and its rows. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { benchEnvironment, benchFolder } from "./bench-engine.ts";
import { takeTurns, type Round } from "./rounds.ts";
import { Verdict } from "./verdict.ts";

const files = 5_000;
const every = 400;
const changed = Array.from({ length: 12 }, (_, at) => at * every);
const workflow = "codebase-review";
const product = join(process.cwd(), "dist", "waymark.js");
const limitMs = 2_000;
const startTokens = 1_500;

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A repository with the files of these numbers, in which a branch changes those that a review is about. */
function repositoryOf(numbers: readonly number[]): Place {
  const base = mkdtempSync(join(benchFolder(), "changed-"));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const env = benchEnvironment(base);
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], { cwd, env, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  for (const number of numbers) writeFile(cwd, number, body(number));
  git("add", "-A");
  git("commit", "-qm", "all");
  git("checkout", "-qb", "work");
  for (const number of changed)
    writeFile(cwd, number, `${body(number)}export function last(): void {\n  try {\n    work();\n  } catch {}\n}\n`);
  git("commit", "-qam", "work");
  return { cwd, env };
}

function writeFile(cwd: string, number: number, text: string): void {
  const path = join(cwd, "src", `part${Math.floor(number / 100)}`, `file${number}.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function body(number: number): string {
  return Array.from(
    { length: 60 },
    (_, at) => `export function f${number}_${at}(value: number): number {\n  return value + ${at};\n}\n`,
  ).join("");
}

function waymark({ cwd, env }: Place, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [product, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** What the reply to a start over MCP costs, and how many files it is about. */
async function startOver({ cwd, env }: Place, more: Record<string, unknown>): Promise<{ readonly tokens: number; readonly total: number }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [product, "mcp"],
    cwd,
    env: env as Record<string, string>,
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  const reply = (await client.callTool({ name: "workflow_start", arguments: { workflow, ...more } }, { timeout: 600_000 })) as unknown as {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent: { readonly file_inventory: { readonly total: number } };
  };
  await client.close();
  const data = reply.structuredContent;
  const tokens = Math.max(encode(reply.content[0]?.text ?? "").length, encode(JSON.stringify(data)).length);
  return { tokens, total: data.file_inventory.total };
}

const tree = repositoryOf(Array.from({ length: files }, (_, number) => number));
const alone = repositoryOf(changed);
const rows = waymark(tree, "scan", workflow, "--since", "main", "--format", "jsonl").trim().split("\n").length;
const start = await startOver(tree, { scope: "changed", since: "main" });
const whole = await startOver(tree, {});

const rounds = await takeTurns(
  {
    git: { turn: () => execFileSync("git", ["diff", "--name-only", "main"], { ...tree, stdio: "pipe" }) },
    alone: { turn: () => waymark(alone, "start", workflow) },
    start: { turn: () => waymark(tree, "start", workflow, "--since", "main") },
    scan: { turn: () => waymark(tree, "scan", workflow, "--since", "main") },
  },
  { rounds: 7, turns: 1, warmUp: 1 },
);

const of =
  (name: string) =>
  (round: Round): number =>
    round[name] ?? Number.NaN;
const verdict = new Verdict();
verdict.title(`(q) ${workflow} of ${changed.length} changed files in a tree of ${files}`);
verdict.exactly("files of the run", start.total, changed.length);
verdict.exactly("rows of the scan", rows, changed.length);
verdict.count("tokens of the reply to workflow_start", start.tokens, startTokens);
verdict.note(`without \`scope: "changed"\` the run has ${whole.total} files and the reply costs ${whole.tokens} tokens`);
verdict.compare(rounds, {
  what: "waymark start --since main",
  shown: {
    "reference: waymark start, only those files": of("alone"),
    "ours: start --since main": of("start"),
    "ours: scan --since main": of("scan"),
    "beside it: git diff --name-only main": of("git"),
  },
  ratio: (round) => of("start")(round) / of("alone")(round),
  ratioName: "ours / reference",
  limit: 1.5,
});
verdict.compare(rounds, {
  what: "the start against the 2 s that it may take",
  shown: {},
  ratio: (round) => of("start")(round) / limitMs,
  ratioName: "ours / 2 s",
  limit: 1,
});
verdict.finish();
