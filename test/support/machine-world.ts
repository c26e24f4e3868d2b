import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isObject, textOf, type JsonObject } from "../../src/base/index.ts";
import { answer, next, progress, start, type Caller, type Position, type Settings } from "../../src/engine/index.ts";
import type { Decision } from "../../src/kernel/index.ts";
import type { CommandRequest } from "../../src/ports/index.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

const run = promisify(execFile);
export const repository = process.env["WAYMARK_ROOT"] ?? join(import.meta.dirname, "../..");

export const person: Caller = {
  holder: { kind: "person", name: "owner", session: "desk" },
  surface: "cli-terminal",
  leaseOwner: "desk",
};

/** What a scripted role does: files it writes, and its report. */
export type Play = (dispatch: JsonObject, world: MachineWorld) => Promise<unknown>;
export type Answers = (question: Decision, world: MachineWorld) => string | undefined | Promise<string | undefined>;

export interface MachineWorld {
  readonly engine: TestEngine;
  readonly folder: string;
  /** Everything that was handed out and asked, in order. */
  readonly seen: string[];
  text(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  status(id?: string): Promise<StatusText>;
  session(): Promise<string>;
  begin(inputs: JsonObject): Promise<string>;
  /** Drives a run with scripted roles until it ends, stops, or `until` says so. */
  drive(id: string, cast: Readonly<Record<string, Play>>, answers: Answers, until?: (position: Position) => boolean): Promise<Position>;
  close(): Promise<void>;
}

export interface StatusText extends JsonObject {
  readonly current_state: string;
  readonly user_decisions: readonly { readonly decision_id: string; readonly status: string; readonly answer: string | null }[];
}

export async function bundledMachine(name = "delivery"): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  files[`.waymark/workflows/${name}.machine.yaml`] = await readFile(join(repository, "workflows", `${name}.machine.yaml`), "utf8");
  for (const role of await readdir(join(repository, "workflows", "roles")))
    files[`.waymark/workflows/roles/${role}`] = await readFile(join(repository, "workflows", "roles", role), "utf8");
  return files;
}

export interface WorldOptions {
  readonly workflow?: string;
  readonly settings?: Partial<Settings>;
  /** Whether the workspace is a repository, a folder of one, one without a commit, or none. */
  readonly repository?: "whole" | "folder" | "unborn" | "none";
  /** Is told every shell command before it is run. */
  readonly onCommand?: (request: CommandRequest) => void;
}

/** A real small git repository with a machine in it. */
export async function openMachineWorld(
  files: Readonly<Record<string, string>>,
  { workflow = "delivery", settings = {}, repository: kind = "whole", onCommand = () => undefined }: WorldOptions = {},
): Promise<MachineWorld> {
  const ignored = { ".gitignore": ".agents-work/\n.waymark/store/\n" };
  const engine = await openTestEngine({ ...ignored, ...files }, settings, undefined, (commands) => ({
    run: (request) => {
      onCommand(request);
      return commands.run(request);
    },
  }));
  const { folder } = engine;
  if (kind !== "none") await makeRepository(kind === "folder" ? dirname(folder) : folder, kind !== "unborn");
  const seen: string[] = [];
  const world: MachineWorld = {
    engine,
    folder,
    seen,
    text: (path) => readFile(join(folder, path), "utf8"),
    write: async (path, text) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    session: async () => (await readdir(join(folder, ".agents-work"))).toSorted().at(-1) ?? "",
    status: async () => JSON.parse(await world.text(`.agents-work/${await world.session()}/status.json`)) as StatusText,
    begin: async (inputs) => {
      await engine.allow(workflow).catch(() => undefined);
      return (await start(engine.context, engine.caller, { workflow, inputs })).run;
    },
    drive: (id, cast, answers, until = () => false) => drive(world, { id, cast, answers, until }),
    close: () => engine.close(),
  };
  return world;
}

export async function makeRepository(cwd: string, commits: boolean): Promise<void> {
  const git = (...args: string[]): Promise<unknown> =>
    run("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main", ...args], { cwd });
  await git("init", "-q");
  if (!commits) return;
  await git("add", "-A");
  await git("commit", "-q", "-m", "begin");
}

interface Driving {
  readonly id: string;
  readonly cast: Readonly<Record<string, Play>>;
  readonly answers: Answers;
  readonly until: (position: Position) => boolean;
}

async function drive(world: MachineWorld, { id, cast, answers, until }: Driving): Promise<Position> {
  const { context, caller } = world.engine;
  for (let turn = 0; turn < 500; turn += 1) {
    const position = await next(context, caller, { run: id, waitMs: 20_000 });
    const { standing } = position;
    if (until(position) || standing.kind === "ended") return position;
    if (standing.kind === "question") {
      world.seen.push(`ask ${standing.decision.id}`);
      const given = await answers(standing.decision, world);
      if (given === undefined) return position;
      await answer(context, person, { run: id, decision: standing.decision.id, answer: given, relayed: false }).catch((error: unknown) => {
        world.seen.push(`refused ${(error as { code?: string }).code ?? String(error)}`);
      });
      continue;
    }
    if (standing.kind !== "action") throw new Error(`The run stands still: ${JSON.stringify(standing)}`);
    const { dispatch } = standing.action.args;
    if (!isObject(dispatch)) throw new Error(`No dispatch in ${JSON.stringify(standing.action)}`);
    world.seen.push(`do ${standing.action.step}`);
    const play = cast[textOf(dispatch["role"] ?? "")];
    if (play === undefined) return position;
    const result = (await play(dispatch, world)) as JsonObject;
    await progress(context, caller, { run: id, action: standing.action.id, status: "success", result, waitMs: 0 }).catch(
      (error: unknown) => {
        const { code, message } = error as { readonly code?: string; readonly message: string };
        world.seen.push(`refused ${code ?? ""}: ${message}`);
      },
    );
  }
  throw new Error(`The run did not end: ${world.seen.slice(-20).join(" | ")}`);
}
