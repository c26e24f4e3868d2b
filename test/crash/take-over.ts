import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawnClient } from "../process/mcp-client.ts";

/** Milliseconds from the kill of a holder to the next hand-out of what it held, each time. */
export interface TakeOverTimes {
  /** By a client of a server that runs already, which asks for the next step. */
  readonly next: readonly number[];
  /** By such a client, which reports the step under the id that the dead one had. */
  readonly report: readonly number[];
  /** By such a client after a runner was killed, with the end of the agent that it left and that does not listen. */
  readonly nextOfRunner: readonly number[];
  /** By `waymark drive` after a runner was killed, with the start of its process. */
  readonly drive: readonly number[];
}

interface TakeOverOptions {
  /** The built command. */
  readonly product: string;
  /** The program of the fake agent. */
  readonly agent: string;
  readonly rounds: number;
}

const workflow = `name: three
description: Three prompts.
steps: [{ step: one }, { step: two }, { step: three }]
`;
const files: Readonly<Record<string, string>> = {
  ".archon/workflows/three.yaml": workflow,
  ...Object.fromEntries(["one", "two", "three"].map((name) => [`.archon/steps/${name}.md`, `Step ${name}.\n`])),
};

/** Kills the processes that hold a step of a run, and takes the step over. */
export async function takeOver({ product, agent, rounds }: TakeOverOptions): Promise<TakeOverTimes> {
  const base = mkdtempSync(join(tmpdir(), "waymark-take-over-"));
  try {
    const bench = prepare(base, product, agent);
    await ended(bench.start(["allow", "three", "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" }));
    const times: Record<keyof TakeOverTimes, number[]> = { next: [], report: [], nextOfRunner: [], drive: [] };
    const heir = await spawnClient(bench.command(["mcp"]), "legacy");
    for (let round = 0; round < rounds; round += 1) {
      times.next.push(await fromServer(bench, heir, (call, { run_id }) => call("workflow_next", { run_id })));
      times.report.push(
        await fromServer(bench, heir, (call, { run_id, action_id }) => call("workflow_progress", { run_id, action_id, result: "done" })),
      );
      times.nextOfRunner.push(await byClient(heir, await killedRunner(bench)));
      times.drive.push(await byDriver(bench, await killedRunner(bench)));
    }
    await heir.close();
    return times;
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Bench {
  command(args: readonly string[]): Parameters<typeof spawnClient>[0];
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
}

function prepare(base: string, product: string, agent: string): Bench {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(join("work", path), text);
  // One agent kills its runner in the middle of a turn and leaves a process that does not listen, the other does what it is asked.
  write("deadly.json", JSON.stringify([{ do: [{ signal: "SIGKILL" }, { hang: true }] }]));
  const program = [process.execPath, agent, `--state=${join(base, "sessions")}`];
  const deaf = ["/bin/sh", "-c", 'trap "" TERM; sleep 1000 > /dev/null 2>&1 & exec "$@"', "sh"];
  const entry = (...command: readonly string[]): object => ({ protocol: "acp", command, permission: "edit" });
  const agents = { able: entry(...program), deadly: entry(...deaf, ...program, `--script=${join(base, "deadly.json")}`) };
  write("config/config.yaml", JSON.stringify({ agents, lease: { ttl_ms: 3_600_000 } }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: base,
    WAYMARK_DATA_HOME: join(base, "data"),
    WAYMARK_CONFIG_HOME: join(base, "config"),
  };
  const cwd = join(base, "work");
  return {
    command: (args) => ({ command: process.execPath, args: [product, ...args], cwd, env }),
    start: (args, more = {}) =>
      spawn(process.execPath, [product, ...args], { cwd, env: { ...env, ...more }, stdio: ["ignore", "pipe", "ignore"] }),
  };
}

type Client = Awaited<ReturnType<typeof spawnClient>>;
type Take = (call: Client["call"], held: { readonly run_id: string; readonly action_id: string }) => ReturnType<Client["call"]>;

/** A server that holds the first step is killed; the heir is to have a step at its first call. */
async function fromServer(bench: Bench, heir: Client, take: Take): Promise<number> {
  const victim = await spawnClient(bench.command(["mcp"]), "legacy");
  const held = (await victim.call("workflow_start", { workflow: "three" })).data as { run_id: string; action_id: string };
  const closed = new Promise<void>((resolve) => (victim.client.onclose = resolve));
  const from = performance.now();
  process.kill(victim.pid, "SIGKILL");
  await closed;
  const { data, text } = await take(heir.call, held);
  const took = performance.now() - from;
  const action: unknown = (data as { action_id?: string }).action_id;
  if (typeof action !== "string" || action === held.action_id) throw new Error(`Nothing was handed out: ${text}`);
  return took;
}

interface Killed {
  readonly run: string;
  /** When it was seen, by the clock of this computer. */
  readonly at: number;
}

/** A runner that its agent killed. */
async function killedRunner(bench: Bench): Promise<Killed> {
  const said = await ended(bench.start(["run", "three", "--agent", "deadly"]));
  return { run: /wf-[\w-]+/.exec(said)?.[0] ?? "", at: Date.now() };
}

async function byClient(heir: Client, { run, at }: Killed): Promise<number> {
  const { data, text } = await heir.call("workflow_next", { run_id: run });
  if (typeof (data as { action_id?: string }).action_id !== "string") throw new Error(`Nothing was handed out: ${text}`);
  return Date.now() - at;
}

/** The journal says when. */
async function byDriver(bench: Bench, { run, at }: Killed): Promise<number> {
  const said = await ended(bench.start(["drive", run, "--agent", "able"]));
  const lines = (await ended(bench.start(["journal", run, "--limit", "1000", "--jsonl"]))).trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { at: string | number; events: readonly { type: string }[] });
  const claims = records.filter(({ events }) => events.some(({ type }) => type === "claimed"));
  const last = claims.at(-1);
  if (claims.length !== 2 || last === undefined) throw new Error(`The run was not taken over once: ${said}`);
  return new Date(last.at).getTime() - at;
}

/** All that a process says, when it has ended. */
async function ended(child: ChildProcess): Promise<string> {
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
  // Not `close`: an agent that was left may hold the pipe.
  await once(child, "exit");
  return said;
}
