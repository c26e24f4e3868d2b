/** A team of scripted roles on a real git repository, driven by an MCP client over stdio against the built package. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isObject, textOf, type JsonObject } from "../../src/base/index.ts";
import { spawnClient, type TestClient, type ToolReply } from "../process/mcp-client.ts";
import { openPackage, type Package } from "../process/mcp-package.ts";
import type { MachineWorld, Play, StatusText } from "./machine-world.ts";
import { wholeData } from "./whole-data.ts";

const execute = promisify(execFile);

/** What the person at the client answers; undefined when they say nothing. */
export type PersonAnswers = (id: string, message: string) => string | undefined;

/** A reply with a dispatch, as the agent got it. */
export interface Handed {
  readonly role: string;
  readonly step: string;
  readonly dispatch: JsonObject;
  readonly reply: ToolReply;
}

export interface McpTeam {
  readonly built: Package;
  readonly folder: string;
  readonly seen: string[];
  readonly handed: Handed[];
  readonly client: TestClient;
  write(path: string, text: string): Promise<void>;
  text(path: string): Promise<string>;
  status(): Promise<StatusText>;
  session(): Promise<string>;
  /** `waymark <args>` without a terminal. */
  cli(...args: readonly string[]): Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }>;
  start(inputs: JsonObject): Promise<ToolReply>;
  /** Goes on from a reply until the run ends, nobody plays the role, or the person says nothing. */
  drive(from: ToolReply, cast: Readonly<Record<string, Play>>): Promise<ToolReply>;
  close(): Promise<void>;
}

export async function openMcpTeam(files: Readonly<Record<string, string>>, answers: PersonAnswers): Promise<McpTeam> {
  const built = await openPackage({ ".gitignore": ".agents-work/\n.waymark/\n", ...files });
  const { workspace: folder } = built;
  const git = (...args: string[]): Promise<unknown> =>
    execute("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main", ...args], { cwd: folder });
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-q", "-m", "begin");
  const seen: string[] = [];
  const client = await spawnClient(built.command(["mcp"]), "auto", (message) => {
    const id = /question ([^\s)]+)\)$/.exec(message)?.[1] ?? "";
    const said = answers(id, message);
    seen.push(`ask ${id}: ${said ?? "(silence)"}`);
    return said === undefined ? { action: "cancel" } : { action: "accept", content: { answer: said } };
  });
  const text = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
  const session = async (): Promise<string> => (await readdir(join(folder, ".agents-work"))).toSorted().at(-1) ?? "";
  const team: McpTeam = {
    built,
    folder,
    seen,
    handed: [],
    client,
    text,
    session,
    write: async (path, content) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
    status: async () => JSON.parse(await text(`.agents-work/${await session()}/status.json`)) as StatusText,
    cli: async (...args) => {
      const child = built.start(args);
      child.process.stdin.end();
      return { code: await child.ended, stdout: child.stdout(), stderr: child.stderr() };
    },
    start: (inputs) => client.call("workflow_start", { workflow: "delivery", inputs }),
    drive: (from, cast) => drive(team, from, cast),
    close: async () => {
      await client.close();
      await built.close();
    },
  };
  return team;
}

async function drive(team: McpTeam, from: ToolReply, cast: Readonly<Record<string, Play>>): Promise<ToolReply> {
  const { call } = team.client;
  let reply = from;
  let run = textOf(from.data?.run_id ?? "");
  for (let turn = 0; turn < 300; turn += 1) {
    run = textOf(reply.data?.run_id ?? run);
    const step = reply.data?.step as JsonObject | undefined | null;
    if (reply.isError) {
      team.seen.push(`refused ${textOf(reply.data.error.code)}`);
      reply = await call("workflow_next", { run_id: run });
    } else if (step?.["type"] === "role") {
      const dispatch = await wholeDispatch(call, reply);
      const role = textOf(dispatch["role"] ?? "");
      team.seen.push(`do ${textOf(step["id"] ?? "")}`);
      team.handed.push({ role, step: textOf(step["id"] ?? ""), dispatch, reply });
      const play = cast[role];
      if (play === undefined) return reply;
      const result = await play(dispatch, team as unknown as MachineWorld);
      reply = await call("workflow_progress", { run_id: run, action_id: reply.data.action_id, result });
    } else if (reply.data?.status === "question") {
      const answered = await call("workflow_decide", { run_id: run });
      if (answered.isError && answered.data.error.code === "MCP_NO_ANSWER") return reply;
      reply = answered;
    } else if (reply.data?.status === "working") {
      reply = await call("workflow_next", { run_id: run });
    } else return reply;
  }
  throw new Error(`The run did not end: ${team.seen.slice(-20).join(" | ")}`);
}

/** What the agent would read: the step, with what the reply had no room for. */
async function wholeDispatch(call: TestClient["call"], reply: ToolReply): Promise<JsonObject> {
  const { step } = await wholeData(call, reply);
  return isObject(step) && isObject(step["definition"]) ? step["definition"] : {};
}
