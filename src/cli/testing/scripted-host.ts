import { own } from "../../base/index.ts";
import type { EngineContext } from "../../engine/index.ts";
import { foundFile } from "../load-named.ts";
import { fitsText } from "./match-value.ts";
import { isTestFile } from "./test-files.ts";
import type { CommandReply, WorkflowTest } from "./workflow-test.ts";

type Host = EngineContext["host"];
type CommandOutcome = Awaited<ReturnType<Host["commands"]["run"]>>;

export interface ScriptedHost {
  readonly host: Host;
  /** Command lines in the order in which they were run. */
  readonly ran: readonly string[];
  /** Commands that no reply fits; each is a failure of the test. */
  readonly unscripted: readonly string[];
}

/**
 * The host with replies instead of commands and tools. Nothing of the workflow is executed unless the test says `execute`; then
 * the host's own commands run, under the host's own permissions. The file under test is found before all others.
 */
export function scriptedHost(host: Host, test: WorkflowTest, file: string | undefined): ScriptedHost {
  const ran: string[] = [];
  const unscripted: string[] = [];
  const turns = new Map<string, number>();
  const commands: Host["commands"] = {
    run: async (request) => {
      if (request.own === true) return host.commands.run(request);
      ran.push(request.command);
      const [match, replies] = Object.entries(test.commands).find(([pattern]) => fitsText(pattern, request.command)) ?? [];
      if (replies !== undefined) return outcomeOf(inTurn(turns, `command ${match}`, replies), request.timeoutMs);
      if (test.execute) return host.commands.run(request);
      unscripted.push(request.command);
      return outcomeOf({ stderr: "No reply is scripted for this command.", exitCode: 127 }, request.timeoutMs);
    },
    read: (output) => host.commands.read(output),
    settle: (...asked) => host.commands.settle(...asked),
    begun: (run) => host.commands.begun(run),
    settleDead: (signal) => host.commands.settleDead(signal),
  };
  const tools: Host["tools"] = {
    configured: Object.keys(test.tools).length > 0,
    call: (method) => {
      const replies = own(test.tools, method);
      if (replies === undefined) return Promise.resolve(undefined);
      const reply = inTurn(turns, `tool ${method}`, replies) ?? { result: null };
      return Promise.resolve("error" in reply ? { ok: false, message: reply.error } : { ok: true, value: reply.result });
    },
    close: () => host.tools.close(),
  };
  const permissions = test.execute ? host.permissions : allowing(host);
  return { host: { ...host, commands, tools, permissions, definitions: withFile(host.definitions, file) }, ran, unscripted };
}

function inTurn<T>(turns: Map<string, number>, key: string, replies: readonly T[]): T | undefined {
  const turn = turns.get(key) ?? 0;
  turns.set(key, turn + 1);
  return replies[Math.min(turn, replies.length - 1)];
}

function outcomeOf(reply: Partial<CommandReply> | undefined, timeoutMs: number): CommandOutcome {
  const { stdout = "", stderr = "", exitCode = 0, timeout = false } = reply ?? {};
  const captured = { text: stdout, bytes: Buffer.byteLength(stdout) };
  if (timeout) return { exitCode: null, signal: "SIGTERM", ended: "timeout", stdout: captured, stderr, ms: timeoutMs };
  return { exitCode, signal: null, ended: "exit", stdout: captured, stderr, ms: 0 };
}

/** Scripted replies can do no harm, so every content is allowed; nothing is recorded. */
function allowing({ permissions, workspace }: Host): Host["permissions"] {
  const allowed = (hash: string): ReturnType<Host["permissions"]["find"]> =>
    Promise.resolve({ hash, workflow: "", workspace, runs: [], unattended: true, at: "" });
  return {
    workspace,
    find: allowed,
    list: () => permissions.list(),
    lastGiven: (workflow) => permissions.lastGiven(workflow),
    grant: (permission) => Promise.resolve({ ...permission, at: "" }),
    revoke: () => Promise.resolve(false),
  };
}

function withFile(definitions: Host["definitions"], path: string | undefined): Host["definitions"] {
  return {
    find: async () => {
      const found = (await definitions.find()).filter((entry) => !isTestFile(entry.path));
      if (path === undefined) return found;
      const file = await foundFile({ find: () => Promise.resolve(found) }, path);
      return [file, ...found.filter((entry) => entry.path !== file.path)];
    },
    read: (reference, from, folder) => definitions.read(reference, from, folder),
    texts: (folder) => definitions.texts(folder),
    folders: () => definitions.folders(),
  };
}
