/** What an agent is granted, and what it can make Waymark run, through the built command and the fake agent. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openDrivenPackage, type DrivenPackage, type FakeAgent } from "../support/driven-package.ts";
import { lookInto } from "../support/look-into.ts";

let built: DrivenPackage;
afterEach(() => built.close());

async function open(keys: string, fake: FakeAgent, drive: object = {}): Promise<void> {
  const files = {
    ".archon/workflows/one.yaml": `name: one\ndescription: One step.\n${keys}steps: [{ step: do, denied_tools: [Shell] }]\n`,
    ".archon/steps/do.md": "Do it.\n",
  };
  built = await openDrivenPackage(files, { agents: { fake }, allow: ["one"], drive });
}

const shell = (input: object): object => ({ tool: { name: "shell", kind: "execute", input } });
const tool = (kind: string, input: object): object => ({ tool: { name: "tool", kind, input } });

/** How each question of the agent was answered, in order. */
async function answers(...more: readonly string[]): Promise<readonly string[]> {
  const ran = await built.waymark(["run", "one", "--agent", "fake", ...more]);
  expect(ran).toMatchObject({ code: 0 });
  const { stdout } = await lookInto(built, ["transcript", ran.run, "--jsonl"]);
  return [...stdout.matchAll(/"decision":"(\w+)"/g)].map(([, decision = ""]) => decision);
}

const git = (...args: readonly string[]): string => execFileSync("git", ["-C", built.workspace, ...args], { encoding: "utf8" });

function commitAll(): void {
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
}

test("no key of an input makes a command or a file outside one of Waymark's tools, and no key hides a path", async () => {
  const asks = [
    shell({ command: "touch pwned", server: "waymark" }),
    tool("edit", { path: "/etc/x", server: "waymark" }),
    tool("other", { code: "touch pwned", server: "waymark" }),
    tool("read", { uri: "file:///etc/passwd" }),
    tool("read", { target_file: "/etc/passwd" }),
    tool("read", { dir: "/etc" }),
    tool("search", { root: "/", query: "x" }),
    tool("read", { script: "touch pwned" }),
    { write: { file: "a.txt", text: "x" } },
  ];
  await open("permission: read\n", {
    script: [{ do: [...asks, tool("read", { path: "a.txt" }), { say: "Done." }] }],
  });
  expect(await answers()).toEqual([...asks.map(() => "deny"), "allow"]);
  expect(existsSync(join(built.workspace, "a.txt"))).toBe(false);
});

test("at edit an agent changes its files, not what git and Waymark run by", async () => {
  const denied = [".git/config", ".GIT/hooks/post-checkout", ".git", ".waymark/config.yaml"].map((file) => ({
    write: { file, text: "x" },
  }));
  await open("permission: edit\n", { script: [{ do: [...denied, { write: { file: "a.txt", text: "x" } }, { say: "Done." }] }] });
  commitAll();
  const before = await readFile(join(built.workspace, ".git/config"), "utf8");
  expect(await answers()).toEqual(["deny", "deny", "deny", "deny", "allow"]);
  expect(await readFile(join(built.workspace, ".git/config"), "utf8")).toBe(before);
});

test("programs that the settings of a repository name are not run by Waymark's own git", async () => {
  await open("permission: edit\n", { script: [{ do: [{ write: { file: "a.txt", text: "x" } }, { say: "Done." }] }] });
  commitAll();
  const [monitor, hook] = [built.beside("monitor"), built.beside("hook")];
  git("config", "core.fsmonitor", `touch ${monitor}; false`);
  git("config", "diff.external", `touch ${monitor}; false`);
  await writeFile(join(built.workspace, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${hook}\n`, { mode: 0o755 });
  const ran = await built.waymark(["run", "one", "--agent", "fake", "--worktree"]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(" a.txt (new)") as string });
  expect([existsSync(monitor), existsSync(hook)]).toEqual([false, false]);
});

test("an agent that does not ask and replaces the worktree's `.git` hides nothing, and the end says so", async () => {
  const script = [
    { write: { file: "a.txt", text: "x", ask: false } },
    { write: { file: ".git", text: "gitdir: /nowhere\n", ask: false } },
    { say: "Done." },
  ];
  await open("permission: edit\n", { script: [{ do: script }] });
  commitAll();
  const { code, stdout } = await built.waymark(["run", "one", "--agent", "fake", "--worktree"]);
  expect(code).toBe(0);
  expect(stdout).toContain("its `.git` is not the file that git made; do not run git in it.");
  expect(stdout).toContain(" a.txt (new)");
  expect(stdout).not.toContain("To take it:");
});

test("what goes over the wire is kept where the setting says, without tokens and variables, and the run is as without it", async () => {
  const script = [{ do: [{ call: { tool: "workflow_status" } }, { say: "The key is value-of-my-key." }] }];
  await open("permission: read\n", { env: ["MY_KEY=value-of-my-key"], script }, { wire: "wire" });
  expect(await built.waymark(["run", "one", "--agent", "fake"])).toMatchObject({ code: 0 });
  const [file = ""] = await readdir(join(built.workspace, "wire"));
  expect(file).toMatch(/^fake-\d+\.wire\.jsonl$/);
  const path = join(built.workspace, "wire", file);
  const text = await readFile(path, "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { direction: string; message: { method?: string } });
  const seen = lines.map(({ direction, message }) => `${direction} ${message.method ?? "answer"}`);
  expect(seen).toEqual(expect.arrayContaining(["out initialize", "out session/new", "out session/prompt", "in session/update"]));
  expect(text).toContain('"name":"Authorization","value":"********"');
  expect(text).not.toMatch(/Bearer|value-of-my-key/);
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
});

test("values of the agent's variables are in nothing that Waymark shows or writes, and the log is for its user alone", async () => {
  const said = [{ say: "The key is value-of-my-key." }, { run: "echo value-of-my-key" }, { say: "It was value-of-my-key." }];
  await open("permission: edit\n", { env: ["MY_KEY=value-of-my-key"], script: [{ do: said }] });
  const { code, stdout, run } = await built.waymark(["run", "one", "--agent", "fake"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("It was ********.")]);
  const [file = ""] = await readdir(join(built.workspace, ".archon/logs"));
  const log = join(built.workspace, ".archon/logs", file);
  const journal = JSON.stringify(await built.journal(run));
  const transcript = (await lookInto(built, ["transcript", run, "--jsonl"])).stdout;
  const all = [stdout, journal, transcript, await readFile(log, "utf8")];
  expect(all.map((text) => [text.includes("********"), text.includes("value-of-my-key")])).toEqual(all.map(() => [true, false]));
  expect(((await stat(log)).mode & 0o777).toString(8)).toBe("600");
});
