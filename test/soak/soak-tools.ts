import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { dialectTools } from "../support/all-dialects.ts";
import { explainPlan } from "../../src/dialects/steps/definition/index.ts";
import type { JsonObject } from "../../src/base/index.ts";
import { doctor } from "../../src/engine/index.ts";
import { allTools, createMcpServer, describeTool } from "../../src/mcp/index.ts";
import { hostileText, hostileValue } from "./hostile-values.ts";
import { listedCode } from "./listed-codes.ts";
import { Random } from "./random.ts";
import { Known, openSoakWorld, workflowNames } from "./soak-world.ts";
import type { Share } from "./soak-yaml.ts";
import type { Tally } from "./tally.ts";

/** Cases that share a world, so that they meet open runs. */
export const casesPerWorld = 250;

/** Answers that the protocol itself demands for a message that is no proper request. */
const protocolCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002]);

const knownMethods: ReadonlySet<string> = new Set([
  "tools/call",
  "tools/list",
  "prompts/get",
  "prompts/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "completion/complete",
  "ping",
]);

interface Answer {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: { readonly error?: { readonly code: string; readonly message: string } };
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } };
}

/** Calls every tool, prompt and resource with arguments that are nearly right, wrong, and absurd. */
export async function soakTools({ seed, from, cases }: Share, tally: Tally): Promise<void> {
  for (let first = from - (from % casesPerWorld); first < from + cases; first += casesPerWorld)
    await soakWorld(seed, first, Math.min(first + casesPerWorld, from + cases), tally);
}

async function soakWorld(seed: number, first: number, end: number, tally: Tally): Promise<void> {
  const engine = await openSoakWorld();
  const wire = await connect(engine.context);
  const known = new Known();
  const random = new Random(seed, "tools", first);
  for (let index = first; index < end; index += 1) {
    const { method, params } = request(random, known);
    await tally.case(
      index,
      async () => {
        const answer = await wire.ask(method, params);
        known.learn(answer.result?.structuredContent);
        return `${knownMethods.has(method) ? method : "another method"}: ${codeOf(answer)}`;
      },
      { method, params },
    );
  }
  for (const { run, problem } of (await doctor(engine.context)).problems)
    tally.fail(`After the cases from ${first} on, run ${run ?? "?"}: ${problem}`);
  await wire.close();
  await engine.close();
}

function codeOf({ result, error }: Answer): string {
  if (error !== undefined) {
    if (error.data?.code !== undefined) return listedCode(error.data.code, error.message);
    // A request whose parts have wrong types; the protocol layer tells with the list of what is wrong.
    if (error.code === -32603 && error.message.startsWith("[")) return "JSON-RPC, malformed";
    if (!protocolCodes.has(error.code)) throw new Error(`The protocol answered ${error.code}: ${error.message}`);
    return `JSON-RPC ${error.code}`;
  }
  if (result === undefined) throw new Error("The answer has neither a result nor an error.");
  const size = JSON.stringify(result).length;
  if (size > 40_000) throw new Error(`The reply has ${size} characters.`);
  if (result.isError !== true) return "ok";
  const told = result.structuredContent?.error;
  if (told === undefined) throw new Error(`An error has no code: ${JSON.stringify(result).slice(0, 300)}`);
  return listedCode(told.code, told.message);
}

async function connect(
  context: Parameters<typeof createMcpServer>[0]["context"],
): Promise<{ ask(method: string, params: unknown): Promise<Answer>; close(): Promise<void> }> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer({
    context,
    toolsets: ["all"],
    version: "0.0.0",
    explainPlan: async (program, inputs) => explainPlan(program, inputs) as unknown as JsonObject,
    dialects: dialectTools,
    caller: () => ({ holder: { kind: "agent", name: "soak", session: "soak" }, surface: "mcp-stdio", leaseOwner: "soak" }),
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  mine.onmessage = (message) => {
    const answer = message as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  };
  await server.connect(theirs);
  await mine.start();
  let last = 0;
  const ask = (method: string, params: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, resolve);
      mine.send({ jsonrpc: "2.0", id: last, method, params } as JSONRPCMessage).catch(reject);
    });
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "soak", version: "1.0.0" } });
  await mine.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { ask, close: () => server.close() };
}

function request(random: Random, known: Known): { readonly method: string; readonly params: unknown } {
  const roll = random.next();
  if (roll < 0.9)
    return {
      method: "tools/call",
      params: { name: toolName(random), arguments: random.chance(0.03) ? hostileValue(random) : callArguments(random, known) },
    };
  if (roll < 0.93)
    return {
      method: "prompts/get",
      params: {
        name: random.pick(["workflow", "sub-agent", "subagent", hostileText(random)]),
        arguments: { arguments: hostileText(random), a: hostileText(random) },
      },
    };
  if (roll < 0.97)
    return {
      method: "resources/read",
      params: {
        uri:
          random.pick(["waymark://runs/", "waymark://runs/x/journal?after=", "file:///", ""]) +
          (random.chance(0.5) ? (random.pick(known.runs) ?? "") : hostileText(random)),
      },
    };
  if (roll < 0.98)
    return {
      method: random.pick(["tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping"]),
      params: random.chance(0.5) ? {} : { cursor: hostileText(random) },
    };
  return {
    method: random.chance(0.5)
      ? hostileText(random)
      : random.pick(["completion/complete", "logging/setLevel", "tools/call", "sampling/createMessage"]),
    params: {
      [hostileText(random)]: hostileValue(random),
      ref: hostileValue(random),
      name: hostileValue(random),
      argument: hostileValue(random),
    },
  };
}

const shapes = new Map(
  allTools(dialectTools).map((tool) => [tool.name, Object.keys((describeTool(tool).inputSchema["properties"] ?? {}) as object)]),
);
const required: ReadonlySet<string> = new Set(["run_id", "workflow_id", "workflow", "updates", "transform", "action_id", "answer"]);
let chosen = "workflow_start";

function toolName(random: Random): string {
  if (random.chance(0.03)) return hostileText(random);
  // Driving is chosen more often, so that runs get somewhere.
  chosen = random.chance(0.4)
    ? random.pick([
        "workflow_start",
        "workflow_next",
        "workflow_progress",
        "workflow_progress",
        "workflow_step_complete",
        "workflow_state_update",
      ])
    : random.pick(allTools(dialectTools)).name;
  return random.chance(0.1) ? chosen.replace("_", ".") : chosen;
}

function callArguments(random: Random, known: Known): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  const pair = known.open[known.open.length - 1 - random.below(known.open.length)];
  if (pair !== undefined && /progress|step_complete|next/.test(chosen) && random.chance(0.7)) return driving(random, known, pair);
  for (const name of shapes.get(chosen) ?? []) {
    if (random.chance(required.has(name) ? 0.98 : 0.5))
      put(made, name, random.chance(0.05) ? hostileValue(random) : plausible(name, random, known));
  }
  if (random.chance(0.03)) put(made, hostileText(random), hostileValue(random));
  if (random.chance(0.03))
    put(made, random.pick(["workflow_id", "session_id", "run", "taskId", "sub_agent_context"]), plausible("run_id", random, known));
  return made;
}

/** A report that fits but for what it says. */
function driving(random: Random, known: Known, { run, action }: Known["open"][number]): Record<string, unknown> {
  if (chosen.includes("next")) return { [shapes.get(chosen)?.[0] ?? "run_id"]: run };
  if (chosen === "workflow_step_complete")
    return { workflow_id: run, step_id: random.pick(known.ids), status: random.pick(["success", "failed"]) };
  return {
    run_id: run,
    action_id: action,
    ...(random.chance(0.8) ? { result: plausible("result", random, known) } : {}),
    ...(random.chance(0.1) ? { status: "failed", error: hostileText(random) } : {}),
  };
}

function put(into: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true });
}

function plausible(name: string, random: Random, known: Known): unknown {
  switch (name) {
    case "run_id":
    case "workflow_id":
      return random.pick(known.runs) ?? "wf-none";
    case "workflow":
      return random.pick(workflowNames);
    case "status":
      return random.pick(["success", "failed", "cancelled", "completed", "running"]);
    case "inputs":
      return random.chance(0.6)
        ? {}
        : { who: hostileText(random), files: random.times(4, () => hostileText(random)), text: hostileText(random) };
    case "updates":
      return random.times(3, () => ({
        path: random.pick(["raw.count", "raw.seen", "raw.text", "state.x", "computed.twice", hostileText(random)]),
        operation: random.pick(["set", "append", "increment", "merge", "multiply", "cut"]),
        value: hostileValue(random, 2),
      }));
    case "paths":
      return random.times(3, () => random.pick(["raw.count", "computed.twice", "inputs", hostileText(random)]));
    case "transform":
      return random.pick(["input", "input.length", "input.a.b", "(", "return input", hostileText(random)]);
    case "result":
    case "answer":
      return random.chance(0.5) ? random.pick(["abc", "ok", 1, { done: true }, ["a"]]) : hostileValue(random);
    case "serial":
    case "reset_counts":
    case "include_timing":
    case "include_global":
      return random.chance(0.5);
    case "task_id":
      return random.chance(0.5) ? undefined : random.pick(known.ids);
    default:
      return random.chance(0.95) ? random.pick(known.ids) : random.below(1_000);
  }
}
