/** Every example in the help of a command is run as it stands in a small repository, or is named below with the reason why not. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { dialectCommands } from "../support/all-dialects.ts";
import { oldCalls } from "../support/checklist-sample.ts";
import { commandSpecs } from "../../src/cli/index.ts";

const agent = "It starts a coding agent, which uses an account; test/process/runner-*.test.ts drive scripted ones.";
const stays = "It serves until it is stopped; test/process starts it.";
const notRun: Readonly<Record<string, string>> = {
  'waymark run feature-development "Add a dark theme" --agent claude --worktree': agent,
  "waymark drive --agent claude --permission edit": agent,
  "waymark drive a1b2c3 --budget-usd 5 --max-minutes 480": agent,
  "waymark work --agent claude --permission edit --workers 4": agent,
  "waymark work --jsonl": agent,
  "waymark agents try claude": agent,
  'waymark route "add a dark theme" --agent claude --json': agent,
  "waymark chat": "It asks a person until they leave; test/process/chat-terminal.test.ts talks with it.",
  "echo 'Build a dark mode feature' | waymark chat": agent,
  "waymark chat --test-adapter 3000": stays,
  "waymark mcp": stays,
  "waymark mcp --tools state,debug": stays,
  "waymark serve": stays,
  "waymark serve --port 7007 --json": stays,
  "waymark watch": "It watches until the run ends; watching.scenario.test.ts ends one.",
  "waymark transcript a1b2c3 --step review --follow": "It waits until the run ends; watching.scenario.test.ts ends one.",
  "waymark demo": "It takes long; test/process/cli-product.test.ts runs it.",
  "waymark demo --tour bot --keep": "It takes long; test/process/bot-package.test.ts runs it.",
  "waymark bot story_bot": "A bot is the project's own; test/scenario/seed-003-cli.test.ts calls the one of examples/story-bot.",
  "waymark bot story_bot shape": "As above.",
  "waymark bot close story_bot --result 'asked the team'": "As above.",
  "waymark doctor --repair --session 2026-01-31_add-login": "It needs a damaged session; test/process/session-doctor.test.ts repairs one.",
  "waymark batch wf-code-review-2026-01-31-a1b2c3 apply_fixes --confirm batch-a1b2c3-18-k3j9x0q2m1":
    "Its token comes from a dry run; src/dialects/checklist/commands/checklists.scenario.test.ts confirms one.",
};

const gate = `name: gate
description: Asks for approval
version: "1.0.0"
steps: [{ id: ask, type: user_input, prompt: "Ship it?", choices: [approve, reject], state_update: { path: raw.ok } }]
`;

let bench: CliBench;
beforeAll(async () => {
  bench = await openCliBench({
    "src/app.js": "old('x');\nold(y);\n",
    "legacy/a.js": "old(z);\n",
    "test/setup.ts": "export const port = 1;\n",
    "main.al": "codeunit 50101 B { trigger OnRun() begin Message('Hello.'); end; }\n",
    "../app/a.al": "codeunit 50100 A { trigger OnRun() begin Error('Failed.'); end; }\n",
    ".waymark/workflows/gate.yaml": gate,
    ".waymark/workflows/old-calls.workflow.yaml": oldCalls,
  });
  const git = (...words: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], { cwd: bench.workspace, encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  await bench.write("src/new.ts", "export function stop(): void {\n  debugger;\n}\n");
  await bench.run(["init", "--client", "claude-code", "--example", "--yes"]);
});
afterAll(() => bench.close());

const terminal = { terminal: true, typed: ["y", "y", "y"] };
let open: string | undefined;

/** The only open run, and what its id, its step and its question are called in the examples. */
async function opened(workflow: string): Promise<Readonly<Record<string, string>>> {
  for (const run of (await bench.run(["runs", "--status", "running", "--ids"])).stdout.split("\n").filter(Boolean))
    await bench.run(["abort", run]);
  const { run_id: run, action_id: id = "" } = await bench.json<{ run_id: string; action_id?: string }>(["start", workflow]);
  open = run;
  return { "wf-hello-2026-01-31-a1b2c3": run, "wf-code-review-2026-01-31-a1b2c3": run, a1b2c3: run.slice(-6), d4: id, a3: id, a4: id };
}

const checklist = new Set(["report", "batch", "undo", "items", "skip"]);

/** What has to be so before an example makes sense, and what stands for the ids in it. */
async function prepared(name: string, line: string): Promise<Readonly<Record<string, string>>> {
  if (name === "decide") return opened("gate");
  if (name === "list" || name === "scan" || name === "schema" || name === "completion") return {};
  const ids = await opened(checklist.has(name) || line.includes("code-review-2026") ? "old-calls" : "hello");
  if (name === "rm" || name === "abort") return ids;
  if (line.endsWith("done --result fine")) await bench.run(["done"]);
  if (name === "retry") {
    const failed = await bench.run(["runs", "--status", "failed", "--ids"]);
    await bench.run(["rm", ...failed.stdout.split("\n").filter(Boolean), "--yes"]);
    await bench.run(["abort", open ?? "", "--as-failed"]);
  }
  if (name === "watch" || name === "rm") await bench.run(["abort", open ?? ""]);
  if (name === "undo" || name === "skip") {
    await bench.run(["decide", "apply_auto_first"], { terminal: true });
    const { confirmation_token: token } = await bench.json<{ confirmation_token: string }>(["batch", "apply_fixes"]);
    if (name === "undo") await bench.run(["batch", "apply_fixes", "--confirm", token]);
  }
  return ids;
}

/** The words of a line, as a shell reads them, without what sends its output elsewhere. */
function wordsOf(line: string): string[] {
  return [...line.replace(/ >>? \S+$/, "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

const examples = commandSpecs(dialectCommands).flatMap((spec) =>
  spec.examples.map((line) => [line, spec.usage.split(" ")[0] ?? ""] as const),
);

test("what is not run is an example of today", () => {
  expect(Object.keys(notRun).filter((line) => !examples.some(([each]) => each === line))).toEqual([]);
});

/** Commands that end with 1 because they found what they look for, or because the run has failed then. */
const finds = /--fail-on|^waymark fail --error/;

test.each(examples.filter(([line]) => notRun[line] === undefined))("%s", { timeout: 60_000 }, async (line, name) => {
  const ids = await prepared(name, line);
  const named = Object.entries(ids).reduce((text, [from, to]) => text.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to), line);
  const [before, command = before ?? ""] = named.split(" | ");
  const typed = command === before ? undefined : [execFileSync("sh", ["-c", before ?? ""], { cwd: bench.workspace, encoding: "utf8" })];
  for (const [, file = ""] of named.matchAll(/--out (\S+)/g)) mkdirSync(dirname(join(bench.workspace, file)), { recursive: true });
  const [program, ...words] = wordsOf(command);
  expect(program).toBe("waymark");
  const asked = typed === undefined ? terminal : { typed };
  const { code, stdout, stderr } = await bench.run(words, words.includes("--json") || words.includes("--jsonl") ? { typed: [] } : asked);
  expect([named, finds.test(line) && code === 1 ? 0 : code, code === 0 ? "" : `${stdout}\n${stderr}`]).toEqual([
    named,
    0,
    expect.any(String),
  ]);
  expect(stderr).not.toMatch(/^✗/m);
});
