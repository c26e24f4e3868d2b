import { execFile } from "node:child_process";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import {
  bundledMachine,
  openMachineWorld,
  type Answers,
  type MachineWorld,
  type Play,
  type WorldOptions,
} from "../../../../test/support/machine-world.ts";
import { goodTeam, passes, taskOf } from "../../../../test/support/scripted-team.ts";
import { isObject, type JsonObject } from "../../../base/index.ts";

const worlds: MachineWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

interface Watched {
  readonly world: MachineWorld;
  /** Questions to git, each with all that one shell was asked. */
  readonly asked: string[];
  /** Runs for whose effects other commands were run. */
  readonly claimed: (string | undefined)[];
}

async function open(repository: NonNullable<WorldOptions["repository"]>): Promise<Watched> {
  const asked: string[] = [];
  const claimed: (string | undefined)[] = [];
  const files = {
    ...(await bundledMachine()),
    "check.mjs": "process.exit(0);\n",
    "src/old.mjs": `${"export const old = 1;\n".repeat(9)}`,
    ".gitignore": ".agents-work/\n.waymark/store/\n.env*\nlocal/\n",
    ".env": "KEY=1\n",
    "local/settings.json": "{}\n",
  };
  const world = await openMachineWorld(files, {
    repository,
    onCommand: ({ command, claim }) => {
      if (command.startsWith("git ")) asked.push(command);
      else claimed.push(claim?.run);
    },
  });
  worlds.push(world);
  return { world, asked, claimed };
}

const usual: Answers = ({ question }) => (question.includes("May Waymark run them") ? "allow" : undefined);
const lean = {
  request: "Fix a typo",
  mode: "lean",
  confirmed: { no_interpretation: true, few_files: true, no_architecture: true, no_ui: true, no_security: true, short_work: true },
};

/** The first refusal of a report. */
function refusal({ seen }: MachineWorld): string {
  return seen.find((line) => line.startsWith("refused")) ?? "";
}

function refusedPaths(world: MachineWorld): readonly string[] {
  return [...refusal(world).matchAll(/^- `([^`]+)` was changed/gm)].map(([, path = ""]) => path);
}

function changedPaths(dispatch: JsonObject): unknown {
  return taskOf(dispatch)["session_changed_files"];
}

function branchIn(dispatch: JsonObject): unknown {
  const { repo_state } = isObject(dispatch["input"]) ? dispatch["input"] : {};
  return isObject(repo_state) ? repo_state["branch"] : undefined;
}

const kinds = ["whole", "folder", "unborn", "none"] as const;

describe("commands of a dispatch", () => {
  test.each(kinds)(
    "are one before it and one for its report (repository: %s)",
    async (kind) => {
      const { world, asked, claimed } = await open(kind);
      const run = await world.begin(lean);
      const looks: number[] = [];
      const counted = Object.fromEntries(
        Object.entries(goodTeam).map(([role, play]): [string, Play] => [
          role,
          async (dispatch, at) => {
            looks.push(asked.splice(0).length);
            return play(dispatch, at);
          },
        ]),
      );
      const { state } = await world.drive(run, counted, usual);
      expect(state.status, world.seen.join("\n")).toBe("completed");
      const commits = kind === "whole" || kind === "folder";
      expect(looks.length).toBeGreaterThan(2);
      // The first look remembers what the workspace is like; the last one is for the session's report.
      expect(looks).toEqual([commits ? 3 : 2, ...looks.slice(1).map(() => 2)]);
      expect(asked).toHaveLength(commits ? 2 : 1);
      expect([...new Set(claimed)], "a process that takes checks up finds what is left of them").toEqual([run]);
    },
    120_000,
  );
});

describe("what a look tells", () => {
  /** Work of all kinds that a Reviewer may not do, and what the Reviewer is shown of the Coder's. */
  async function reviewed(kind: (typeof kinds)[number]) {
    const { world } = await open(kind);
    const { folder } = world;
    await world.write("mine.txt", "from before the session\n");
    const shown: JsonObject[] = [];
    const Coder: Play = async (dispatch, at) => {
      await mkdir(join(folder, "src/new folder"), { recursive: true });
      await rename(join(folder, "src/old.mjs"), join(folder, "src/new folder/ö.mjs"));
      await writeFile(join(folder, "..", "beside.txt"), "not in the workspace\n");
      return goodTeam["Coder"]?.(dispatch, at);
    };
    const Reviewer: Play = async (dispatch, at) => {
      shown.push(dispatch);
      await at.write("mine.txt", "another text\n");
      await at.write("local/settings.json", '{ "a": 1 }\n');
      await at.write(".env", "KEY=2\n");
      await rm(join(folder, "check.mjs"));
      return passes();
    };
    const run = await world.begin(lean);
    await world.drive(run, { ...goodTeam, Coder, Reviewer }, usual, () => refusal(world) !== "");
    return { shown: shown[0] ?? {}, refused: refusedPaths(world) };
  }

  const renamed = { path: "src/new folder/ö.mjs", change_type: "renamed", old_path: "src/old.mjs" };
  const apart = [
    { path: "src/new folder/ö.mjs", change_type: "added" },
    { path: "src/old.mjs", change_type: "deleted" },
  ];
  const watched = [".env", "check.mjs", "local/settings.json", "mine.txt"];

  test.each<[(typeof kinds)[number], string, readonly JsonObject[], readonly string[]]>([
    ["whole", "main", apart, watched],
    ["folder", "main", apart, watched],
    ["unborn", "none", apart, watched],
    ["none", "none", apart, ["check.mjs", "mine.txt"]],
  ])(
    "is the branch, changes and ignored files of the workspace alone (repository: %s)",
    async (kind, branch, moved, refused) => {
      const looked = await reviewed(kind);
      expect(branchIn(looked.shown)).toBe(branch);
      expect(changedPaths(looked.shown)).toEqual([{ path: "src/T-001.mjs", change_type: "added" }, ...moved]);
      expect(looked.refused).toEqual(refused);
    },
    60_000,
  );

  test.each(["whole", "folder"] as const)(
    "has a rename as one change once it is staged (repository: %s)",
    async (kind) => {
      const { world } = await open(kind);
      const git = (...args: string[]): Promise<unknown> => promisify(execFile)("git", args, { cwd: world.folder });
      let shown: JsonObject = {};
      const run = await world.begin(lean);
      const Coder: Play = async (dispatch, at) => {
        await mkdir(join(world.folder, "src/new folder"));
        await git("mv", "src/old.mjs", "src/new folder/ö.mjs");
        return goodTeam["Coder"]?.(dispatch, at);
      };
      const Reviewer: Play = async (dispatch) => {
        shown = dispatch;
        return passes();
      };
      await world.drive(run, { ...goodTeam, Coder, Reviewer }, usual, () => shown["role"] !== undefined);
      expect(changedPaths(shown)).toEqual([{ path: "src/T-001.mjs", change_type: "added" }, renamed]);
    },
    60_000,
  );

  test("is what git still tells when one of the questions fails", async () => {
    const { world, asked } = await open("whole");
    const run = await world.begin(lean);
    const SpecAgent: Play = async (dispatch, at) => {
      await at.write(".git/HEAD", "ref: refs/heads/not-born\n");
      await at.write("added.txt", "x\n");
      await at.write(".env", "KEY=2\n");
      await rm(join(world.folder, "check.mjs"));
      asked.splice(0);
      return goodTeam["SpecAgent"]?.(dispatch, at);
    };
    await world.drive(run, { SpecAgent }, usual, () => refusal(world).length > 0);
    expect(refusedPaths(world)).toEqual([".env", "added.txt", "check.mjs"]);
    expect(asked.slice(0, 5).map((command) => command.split(" && ").length)).toEqual([7, 1, 1, 1, 1]);
  }, 60_000);
});
