/**
 * Over the built server, every bundled workflow and every example is finished by a client that does literally what each reply says, by
 * one that repeats every call, and by one that restarts without memory; all three leave the same state and the same files.
 */
import { afterEach, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/base/index.ts";
import { everythingBundled, openBuiltExample, openBuiltWorld, settled, workflowsOf, type BuiltWorld } from "../support/built-world.ts";
import { checklistCases, checklistFiles, inspector } from "../support/checklist-agents.ts";
import { stepsCases } from "../support/example-steps.ts";
import { driveLiterally, type Agent, type ClientMode, type Family } from "../support/literal-client.ts";
import { makeRepository } from "../support/machine-world.ts";
import { issue, issueFiles, issueFixer, promptReader } from "../support/issue-agents.ts";
import { botUser, rolesCases, team } from "../support/role-agents.ts";
import { storyBot, type Entry } from "../support/seed-003-bench.ts";

const modes: readonly ClientMode[] = ["plain", "repeats", 3];

const opened: BuiltWorld[] = [];
afterEach(async () => {
  for (const world of opened.splice(0)) await world.close();
});

interface Case {
  readonly workflow: string;
  readonly open: () => Promise<BuiltWorld>;
  readonly agent: (world: BuiltWorld) => Agent | Promise<Agent>;
  readonly inputs?: JsonObject;
  readonly family?: Family;
}

/** What a run leaves behind. */
interface End {
  readonly status: string;
  readonly state: JsonObject;
  readonly progress: Json;
  readonly files: Readonly<Record<string, string>>;
}

async function endOf({ workflow, open, agent, inputs = {}, family = "progress" }: Case, mode: ClientMode): Promise<End> {
  const world = await open();
  opened.push(world);
  const { run, status, state, progress } = await driveLiterally(world, workflow, await agent(world), { family, mode, inputs });
  return settled({ status, state, progress, files: await world.files() }, run);
}

/** Drives a case by every client, and compares what `seen` shows of each end; answers the plain one. */
async function oneEnd(each: Case, seen: (end: End) => unknown = (end) => end): Promise<End> {
  const plain = await endOf(each, "plain");
  for (const mode of modes.slice(1)) expect({ mode, end: seen(await endOf(each, mode)) }).toEqual({ mode, end: seen(plain) });
  return plain;
}

/** Chains of prompts; runs have a uuid, so the names of their artifacts are compared. */
const chainCases: readonly Case[] = [
  {
    workflow: "feature-development",
    open: () => openBuiltWorld({ "readme.md": "# A project\n" }),
    agent: promptReader,
    inputs: { user_message: "dark mode" },
  },
  {
    workflow: "release-notes",
    open: () => openBuiltExample("prompt-chain", "release-notes"),
    agent: promptReader,
    inputs: { user_message: "version 1.2" },
  },
  { workflow: "fix-issue", open: () => openBuiltWorld(issueFiles), agent: issueFixer, inputs: { user_message: issue } },
];

test("nothing that is bundled is left out", async () => {
  const { examples, workflows } = await everythingBundled();
  const roles = rolesCases.map(({ workflow }) => workflow);
  const chains = chainCases.map(({ workflow }) => workflow);
  expect([...Object.keys(checklistCases), ...roles, ...chains].filter((name) => workflows.includes(name)).toSorted()).toEqual(
    workflows.toSorted(),
  );
  const samples = Object.values(checklistCases).map(({ sample }) => sample);
  const driven = new Set<string>([
    ...stepsCases.map(({ example }) => example),
    ...samples,
    ...roles,
    "story-bot",
    "tool-server",
    "prompt-chain",
    "graph-triage",
  ]);
  expect(examples.filter((name) => !driven.has(name))).toEqual([]);
  const known = new Set([...stepsCases.map(({ workflow }) => workflow), ...roles]);
  for (const example of examples) expect((await workflowsOf(example)).filter((name) => !known.has(name))).toEqual([]);
});

describe("in steps", () => {
  test.each(stepsCases)("$workflow", async ({ example, workflow, ends = "completed", agent, inputs = {} }) => {
    const open = (): Promise<BuiltWorld> => openBuiltExample(example, workflow);
    // The gallery is driven by the calls of the seed, the others by the canonical ones.
    const family = example === "gallery" ? "seed" : "progress";
    const { status } = await oneEnd({ workflow, open, agent: ({ folder }) => agent(folder), inputs, family });
    expect(status).toBe(ends);
  });
});

describe("in checklists", () => {
  test.each(Object.entries(checklistCases))("%s", async (workflow, each) => {
    const open = async (): Promise<BuiltWorld> => openBuiltWorld(await checklistFiles(each));
    const { status, progress } = await oneEnd({ workflow, open, agent: ({ folder }) => inspector(folder), inputs: each.inputs ?? {} });
    const { files_total: total, files_completed: done } = progress as JsonObject;
    expect({ status, done }).toEqual({ status: "completed", done: total });
    expect(total).toBeGreaterThan(0);
  });
});

describe("by roles", () => {
  test.each(rolesCases)("$workflow", async ({ workflow, files, inputs, cast }) => {
    const open = async (): Promise<BuiltWorld> => {
      const world = await openBuiltWorld(await files());
      await makeRepository(world.folder, true);
      await world.person(["allow", workflow, "--yes"]);
      return world;
    };
    const { status, files: left } = await oneEnd({ workflow, open, agent: (world) => team(world, cast), inputs });
    expect(Object.keys(left).filter((path) => path.startsWith(".agents-work/"))).not.toEqual([]);
    expect(status).toBe("completed");
  });
});

describe("in chains of prompts", () => {
  test.each(chainCases)("$workflow", async (each) => {
    const kept = (files: End["files"]): unknown =>
      Object.entries(files).flatMap(([path, text]) =>
        path.startsWith(".archon/logs/") ? [] : [[path.replace(/artifacts\/[^/]+/, "artifacts"), text]],
      );
    const { status, files } = await oneEnd(each, (end) => ({ status: end.status, files: kept(end.files) }));
    expect(status).toBe("completed");
    expect(Object.keys(files).some((path) => path.endsWith(".md") && path.startsWith(".archon/artifacts/"))).toBe(true);
  });
});

test("by a bot", async () => {
  const open = (): Promise<BuiltWorld> => openBuiltWorld({ ...storyBot(), "docs/brief.md": "# A brief\n" });
  // The log has every beginning, also of what was interrupted, and the state of the run has the hash of the log.
  const seen = ({ status, state, files }: End): unknown => {
    const { "docs/activity_log.json": log = "[]", ...others } = files;
    const completed = (JSON.parse(log) as readonly Entry[]).filter((entry) => entry.action_state === "completed");
    return { status, area: state["project_area"], completed: completed.map((entry) => ({ ...entry, duration: null })), files: others };
  };
  const { status } = await oneEnd({ workflow: "story_bot", open, agent: botUser }, seen);
  expect(status).toBe("completed");
});
