/** A person in front of the chat: what is typed and shown, on the real engine with a terminal made of streams. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../support/postgres-database.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { openCliBench, type CliBench, type CliResult } from "./cli-world.ts";

let bench: CliBench;
afterEach(() => bench.close());

const ship = `name: ship
description: Ship a release.
version: "1.0.0"
steps:
  - { id: ask, type: user_input, prompt: "Ship it?", answer_by: person, options: [{ value: "yes" }, { value: "no" }], state_update: { path: raw.ok } }
`;

class Shown extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

interface Sitting {
  type(line: string): void;
  /** Resolves when the terminal shows it, behind what it showed when something was typed last. */
  readonly shows: (text: string) => Promise<void>;
  readonly text: () => string;
  /** Ctrl-D. */
  leave(): Promise<CliResult>;
}

/** Somebody sits down at a terminal and starts a chat. */
function sit(...args: readonly string[]): Sitting {
  const [stdin, stdout] = [new PassThrough(), new Shown()];
  const env = { WAYMARK_DRIVE_AGENT: "script:agent.yaml" };
  const ended = bench.run(["chat", ...args], { terminal: true, env, world: { stdin, stdout } });
  let from = 0;
  return {
    type: (line) => {
      from = stdout.text.length;
      stdin.write(`${line}\r`);
    },
    shows: async (text) => {
      await expect.poll(() => stdout.text.slice(from), { timeout: 60_000 }).toContain(text);
    },
    text: () => stdout.text,
    leave: () => {
      stdin.end();
      return ended;
    },
  };
}

async function open(): Promise<void> {
  bench = await openCliBench({
    ".waymark/workflows/ship.yaml": ship,
    ...chainFiles("  - step: plan", { plan: "Plan $USER_MESSAGE" }, { name: "feature" }),
    "agent.yaml": 'turns: [{ do: [{ say: "I planned it." }] }]\n',
  });
  expect(await bench.run(["allow", "ship", "--yes"], { terminal: true })).toMatchObject({ code: 0 });
}

test("a person starts a run, answers its question and sees its end; a no is a no, and other words are none of the choices", async () => {
  await open();
  const person = sit();
  await person.shows("Write what you want done, or /help. Leave with Ctrl-D.");
  person.type("/workflow run ship");
  await person.shows("Ship it?");
  person.type("no, stop");
  await person.shows("Ship it?");
  const { runs } = await bench.json<{ runs: { run_id: string; status: string }[] }>(["runs"]);
  expect(runs).toMatchObject([{ status: "running" }]);
  person.type("yes");
  await person.shows("**Workflow complete**: ship");
  expect(await person.leave()).toMatchObject({ code: 0 });
  const journal = (await bench.run(["journal", runs[0]?.run_id ?? "", "--jsonl", "--limit", "100"])).stdout;
  expect(journal).toContain("terminal:ada");
});

test("who leaves at a question reads the line that continues it, with the place that was given", async () => {
  await open();
  const elsewhere = join(bench.workspace, "../store");
  const person = sit("-C", bench.workspace, "--store", elsewhere, "--conversation", "a b");
  await person.shows("> ");
  person.type("/workflow run ship");
  await person.shows("Ship it?");
  const { stdout } = await person.leave();
  const place = `-C ${bench.workspace} --store ${elsewhere}`;
  expect(person.text()).toContain(`→ What is open continues with: waymark ${place} chat --conversation 'a b'\n`);
  expect(stdout).toBe("");
});

test("a conversation has a name on one line", async () => {
  await open();
  const { code, stderr } = await bench.run(["chat", "--conversation", "a\nb"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("`--conversation` has characters that cannot be shown.")]);
});

test("a question of another conversation is not answered from here", async () => {
  await open();
  const person = sit("--conversation", "release");
  await person.shows("> ");
  person.type("/workflow run ship");
  await person.shows("Ship it?");
  const { runs } = await bench.json<{ runs: { run_id: string }[] }>(["runs"]);
  await person.leave();
  const other = sit();
  await other.shows("> ");
  other.type(`/workflow approve ${runs[0]?.run_id ?? ""} yes`);
  await other.shows("Nothing was");
  other.type("yes");
  await other.shows("asks for no workflow");
  await other.leave();
  expect(await bench.json(["status", runs[0]?.run_id ?? ""])).toMatchObject({ status: "running" });
});

test("an entry for the user of the computer counts in the place of all rights", async () => {
  await open();
  await bench.write("../home/.config/waymark/config.yaml", "people: { terminal:ada: { name: Ada, may: [decide] } }\n");
  const person = sit();
  await person.shows("> ");
  person.type("/workflow run ship");
  await person.shows("You may not start workflows here.");
  expect(await person.leave()).toMatchObject({ code: 0 });
  expect(await bench.json(["runs"])).toMatchObject({ runs: [] });
});

test("what a message cannot give is given on the machine, by a line with the folder and a place for each value", async () => {
  await open();
  const person = sit();
  await person.shows("> ");
  const waymark = `waymark -C ${bench.workspace}`;
  person.type("/workflow run bc-version-upgrade upgrade to BC 25");
  await person.shows("`bc-version-upgrade` needs `source_version`, which a message cannot give. Nothing was started.");
  const places = '{"source_version":"<source_version>","target_version":"BC25"}';
  await person.shows(`${waymark} run bc-version-upgrade --input 'options=${places}'`);
  person.type("/workflow run typescript-migration all of it");
  await person.shows("Nobody said what `script:agent.yaml` may do");
  await person.shows(`${waymark} run typescript-migration --permission edit`);
  expect(await person.leave()).toMatchObject({ code: 0 });
});

function git(folder: string, ...args: readonly string[]): void {
  execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
    env: { ...process.env, HOME: bench.home },
  });
}

test("a person clones what the configuration allows and works there; other addresses and folders are refused", async () => {
  await open();
  const [base, code] = [join(bench.workspace, ".."), join(bench.workspace, "../code")];
  await bench.write(
    "../git/app/.waymark/workflows/deploy.yaml",
    `${ship.replaceAll("ship", "deploy")}  - { id: go, type: shell_command, command: make deploy }\n`,
  );
  git(join(base, "git/app"), "init", "-q");
  git(join(base, "git/app"), "add", "-A");
  git(join(base, "git/app"), "commit", "-qm", "first");
  const chat = { roots: [code], clone_from: [`file://${base}/git/`] };
  await bench.write("../home/.config/waymark/config.yaml", JSON.stringify({ chat }));
  const person = sit();
  await person.shows("> ");
  for (const [line, answer] of [
    ["/clone https://example.org/app", "The repository is not cloned: the address is"],
    [`/clone file://${base}/git/../home/app`, "The repository is not cloned: the address is"],
    ["/setcwd /etc", "is not a folder below one of the roots of this chat. Nothing was changed."],
    ["/setcwd ../home", "is not a folder below one of the roots of this chat. Nothing was changed."],
    [`/clone file://${base}/git/app`, `Folder: ${code}/app`],
    ["/workflow list", "**deploy**"],
    [`/clone file://${base}/git/app`, `is there already.\n\nTo work on it write \`/setcwd "${code}/app"\``],
    // What came with the clone is a project's: a person allows it on the machine.
    ["/workflow run deploy", `waymark -C ${code}/app allow deploy`],
    [`/setcwd ${bench.workspace}`, "Working directory set to"],
    ["/workflow list", "**ship**"],
  ] as const) {
    person.type(line);
    await person.shows(answer);
  }
  await person.leave();
  expect(person.text().split("**deploy**")).toHaveLength(2);
});

test("on a database that several workspaces share, a terminal has the conversations of its own", async () => {
  await open();
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const person = sit("--store", url);
  await person.shows("> ");
  person.type("/workflow run ship");
  await person.shows("Ship it?");
  await person.leave();
  await bench.write("../other/.waymark/workflows/ship.yaml", ship);
  const there = await bench.run(["chat", "--store", url, "-C", join(bench.workspace, "../other")], { typed: ["/workflow status"] });
  expect([there.code, there.stdout]).toEqual([0, "No runs in this conversation yet.\n"]);
  const again = sit("--store", url);
  await again.shows("> ");
  again.type("yes");
  await again.shows("**Workflow complete**: ship");
  await again.leave();
});
