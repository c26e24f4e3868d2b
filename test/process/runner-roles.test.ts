/** A delivery whose roles are played by two kinds of agents: one over ACP, one by a script. The built command. */
import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { deliveryProject, deliveryTeam } from "../support/delivery-team.ts";
import { openDrivenPackage, type DrivenPackage } from "../support/driven-package.ts";
import { lean } from "../support/seed-004-team.ts";
import { lookInto } from "../support/look-into.ts";
import { openCliBench } from "./cli-world.ts";

let opened: DrivenPackage;
afterEach(() => opened.close());

/** Those that judge only report; a script has no other tools. */
const judges = deliveryTeam
  .filter(({ match = "" }) => /^You are (?:Reviewer|QA)/.test(match))
  .map((turn) => ({ ...turn, do: turn.do.filter((action) => "call" in action) }));

interface Line {
  readonly step: string;
  readonly action: string;
  readonly agent: string;
  readonly event: { readonly type: string; readonly sessionId?: string };
}

test("four roles on two kinds of agents, each dispatch in a conversation of its own", async () => {
  const files = {
    ...deliveryProject,
    ".gitignore": ".waymark/\n",
    "inputs.json": JSON.stringify(lean),
    "judge.json": JSON.stringify({ turns: judges }),
  };
  opened = await openDrivenPackage(files, { agents: { team: { script: deliveryTeam } }, roles: { QA: { agent: "script:judge.json" } } });
  const git = (...args: readonly string[]): string => execFileSync("git", ["-C", opened.workspace, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
  const roles = ["--role", "Reviewer=script:judge.json,permission=read"];
  const begin = ["run", "delivery", "Fix the slugs", "--inputs", "inputs.json", "--agent", "team", "--worktree", ...roles];
  const first = await opened.waymark(begin);
  expect(first.code, first.stdout + first.stderr).toBe(3);
  // The line that continues it binds the same roles.
  expect(first.stdout).toContain("--agent team --role 'Reviewer=script:judge.json,permission=read'");
  const desk = await openCliBench();
  const call = { terminal: true, cwd: opened.workspace, env: opened.command([]).env };
  expect(await desk.run(["decide", first.run, "UD-1", "allow"], call)).toMatchObject({ code: 0 });
  await desk.close();
  const end = await opened.waymark(["drive", first.run, "--agent", "team", "--context", "shared", ...roles]);
  expect(end.code, end.stdout + end.stderr).toBe(0);

  const { stdout } = await lookInto(opened, ["--jsonl", "transcript", first.run]);
  const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
  const sessions = lines.filter(({ event }) => event.type === "session");
  expect(sessions.map(({ step, agent }) => [step, agent])).toEqual([
    ["SpecAgent:meta", "team"],
    ["Coder:T-001", "team"],
    ["Reviewer:T-001", "script:judge.json"],
    ["QA:T-001", "script:judge.json"],
  ]);
  expect(new Set(sessions.map(({ event }) => event.sessionId)).size).toBe(4);
  expect((await opened.prompts()).map(({ text }) => /You are (\w+)\./.exec(text)?.[1])).toEqual(["SpecAgent", "Coder"]);
}, 240_000);
