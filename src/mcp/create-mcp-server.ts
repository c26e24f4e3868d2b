import { randomBytes } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createRequestStateCodec,
  isInputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { defined, isWaymarkError, type Catalogue, type JsonObject } from "../base/index.ts";
import { onKnownRun, oneCommand, tellFreeRuns, tellGoneHolder, type Caller, type EngineContext } from "../engine/index.ts";
import { otherToolset, unknownTool } from "./codes.ts";
import { encodeError, failedCall } from "./error-reply.ts";
import { placeCommands } from "./place-commands.ts";
import { registerPrompts, serverInstructions } from "./prompts.ts";
import { personDesk, progressSender, progressTeller } from "./reach-client.ts";
import { readArguments, runNames, takePart } from "./read-arguments.ts";
import { registerResources } from "./resources.ts";
import { argumentsInside, endOfStep, isInScope, scopeInstructions, type StrandScope } from "./strand-scope.ts";
import type { Arguments, AskedQuestion, DialectTools, ExplainPlan, PersonDesk, Reply, Tool, ToolCall, ToolResult } from "./tool.ts";
import { allTools, describeTool, toolsOf } from "./tool-registry.ts";
import { askTool } from "./tools/ask-tool.ts";
import { nextReply } from "./tools/drive-tools.ts";

/** Who is at the other end, as the protocol says. */
type ClientFacts = Pick<Implementation, "name" | "version">;

export interface McpServerOptions {
  readonly context: EngineContext;
  /** Makes the caller of a request; the surface and the session come from the connection, never from arguments. */
  readonly caller: (client: ClientFacts) => Caller;
  /** Beside the canonical tools; see `toolsets`. */
  readonly toolsets: readonly string[];
  readonly version: string;
  /** Characters of a reply, both parts together; 8,000 if not given. */
  readonly replyChars?: number;
  readonly explainPlan: ExplainPlan;
  /** Words that lines for a person need to be about this folder and store, where those were named. */
  readonly place?: string;
  /** What each dialect adds; this room does not enter them. */
  readonly dialects: readonly DialectTools[];
  /** Of a driven agent: the step that it may work on, and nothing else. */
  readonly scope?: StrandScope;
  /** Gets every call under way, and whether it may take hold of a run, so that a connection can clean up when it closes. */
  readonly track?: (work: Promise<unknown>, mayHold: boolean) => void;
}

/** One server and its tools: those that are listed, all general ones by their names, and those that are made. */
interface Serving {
  readonly options: McpServerOptions;
  readonly server: McpServer;
  readonly listed: readonly Tool[];
  readonly known: ReadonlyMap<string, Tool>;
  readonly made: Promise<readonly Tool[]>;
}

const usualChars = 8000;
/** A prompt has room for what a reply gives in parts. */
const briefChars = 40_000;

/**
 * Seals the note that travels with a question and comes back through the client. One key per process: the process that asked takes the
 * answer, and a note of another one is refused.
 */
const seal = createRequestStateCodec<AskedQuestion>({ key: randomBytes(32) });

/** Lists do not change while a process lives. */
const steady = { ttlMs: 300_000, cacheScope: "private" as const };

/** Answers of people are judged by the engine; the protocol layer's own judge is never asked, and making one takes time. */
const noValidator = {
  getValidator: (): never => {
    throw new Error("No schema is checked by the protocol layer.");
  },
};

/** A server for one connection, or for one request over HTTP; both protocol eras. Throws `MCP_UNKNOWN_TOOLSET`. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { scope } = options;
  const listed = scope === undefined ? toolsOf(options.dialects, options.toolsets) : scopedTools(options.dialects, scope);
  const known = new Map([...allTools(options.dialects), ...listed].map((tool) => [tool.name, tool]));
  const made = scope === undefined ? madeTools(options) : Promise.resolve([]);
  // Who lists or calls them gets the error.
  made.catch(() => undefined);
  const server = new McpServer(
    { name: "waymark", version: options.version },
    {
      instructions: scope === undefined ? serverInstructions(options.context.host.workspace, options.dialects) : scopeInstructions,
      capabilities:
        scope === undefined
          ? { tools: { listChanged: false }, prompts: { listChanged: false }, resources: { listChanged: false }, completions: {} }
          : { tools: { listChanged: false } },
      cacheHints: {
        "tools/list": steady,
        "prompts/list": steady,
        "resources/list": steady,
        "resources/templates/list": steady,
        "server/discover": steady,
      },
      jsonSchemaValidator: noValidator,
      requestState: { verify: (state, ctx) => seal.verify(state, ctx) },
    },
  );
  const serving: Serving = { options, server, listed, known, made };
  server.server.setRequestHandler("tools/list", async () => ({
    tools: [...listed, ...(await made)].map((tool) => ({ ...describeTool(tool) })),
  }));
  server.server.setRequestHandler("tools/call", (request, ctx) => {
    const { name, arguments: given } = request.params;
    const work = callTool(serving, name, given, ctx);
    options.track?.(
      work.catch(() => undefined),
      !listed.some((tool) => tool.reads && tool.name === plainToolName(name)),
    );
    return work;
  });
  if (scope !== undefined) return server;
  registerPrompts(server, options.context);
  registerResources(server, { ...options, caller: () => options.caller(clientOf(server, undefined)) });
  return server;
}

function scopedTools(dialects: readonly DialectTools[], scope: StrandScope): readonly Tool[] {
  return [...allTools(dialects), askTool].filter((tool) => isInScope(scope, tool));
}

/** The canonical spelling of a tool's name: dots are understood, since some clients and documents use them. */
export function plainToolName(name: string): string {
  return name.replaceAll(".", "_");
}

/** Made from what the workspace has; nobody waits for them before they are listed or called. */
async function madeTools({ context, toolsets, dialects }: McpServerOptions): Promise<readonly Tool[]> {
  const names = toolsets.map((name) => name.trim());
  const made = Promise.all(dialects.map(async (dialect) => (await dialect.made?.(context, names)) ?? []));
  return (await made).flat();
}

/** Unknown tools are an error of the protocol, as it demands. */
async function toolNamed(name: string, { listed, known, made }: Serving): Promise<Tool> {
  const plain = plainToolName(name);
  const tool = known.get(plain) ?? (await made).find((entry) => entry.name === plain);
  if (tool !== undefined) return tool;
  const { code, message } = unknownTool(name, [...listed, ...(await made)]);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code });
}

/** Everything that goes wrong in a tool is a reply the agent can act on. */
async function callTool(serving: Serving, name: string, given: unknown, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const { options, listed, known } = serving;
  const tool = await toolNamed(name, serving);
  try {
    if (options.scope === undefined && known.has(tool.name) && !listed.includes(tool) && tool.everywhere !== true)
      throw otherToolset(tool.name, tool.toolsets[0] ?? "all", tool.canonical);
    const { part, rest } = tool.givesParts ? takePart(tool.name, given) : { part: undefined, rest: given };
    const args = await withRunId(options.context, readArguments(tool.name, tool.shape, rest));
    const again = tool.givesParts ? { tool: tool.name, arguments: (rest ?? {}) as JsonObject } : undefined;
    const call = { ...toolCall(serving, ctx), ...defined({ again, part }) };
    await options.context.holding.called(call.caller);
    const { scope } = options;
    const perform = (engine: EngineContext): Promise<ToolResult> =>
      scope === undefined ? tool.run({ ...call, engine }, args) : scopedReply(scope, tool, { ...call, engine }, args);
    const reply = await (tool.commits === true ? onKnownRun(call.engine, perform) : perform(call.engine));
    // This process may be ended as soon as its client has the reply.
    await options.context.caughtUp();
    return isInputRequiredResult(reply) ? reply : placeCommands(encodeReply(reply), options.place ?? "");
  } catch (error) {
    if (!isWaymarkError(error)) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      options.context.host.log("error", `The tool ${tool.name} failed unexpectedly.`, { error: text });
    }
    const codes = await Promise.all(options.dialects.flatMap((dialect) => dialect.codes?.() ?? []));
    const about = failedCall(tool, given, {
      replyChars: options.replyChars ?? usualChars,
      codes: Object.assign({}, ...codes) as Catalogue,
    });
    const told = await tellFreeRuns(options.context, await tellGoneHolder(options.context, error, about));
    return placeCommands(encodeError(told, about), options.place ?? "");
  }
}

/** The reply to a driven agent, which is never given another step than its own. */
async function scopedReply(scope: StrandScope, tool: Tool, call: ToolCall, args: Arguments): Promise<ToolResult> {
  const inside = await argumentsInside(call.engine, scope, tool, args);
  const over = tool.reads ? undefined : await endOfStep(call.engine, scope, true);
  if (over !== undefined) return over;
  const reply = await tool.run(call, inside);
  return (tool.reads ? undefined : await endOfStep(call.engine, scope, false)) ?? reply;
}

/** A run can be named by its uuid too: everything behind the tools knows it by its id. */
async function withRunId({ runs }: EngineContext, args: Arguments): Promise<Arguments> {
  const named = runNames.flatMap((name) => (typeof args[name] === "string" ? [[name, args[name]] as const] : []));
  const ids = await Promise.all(named.map(async ([name, run]) => [name, await runs.idOf(run)] as const));
  return { ...args, ...Object.fromEntries(ids) };
}

export function encodeReply(reply: Reply): CallToolResult {
  return {
    content: [{ type: "text", text: reply.text }],
    structuredContent: { ...reply.data },
    ...(reply.meta === undefined ? {} : { _meta: { ...reply.meta } }),
  };
}

function toolCall({ options, server, listed }: Serving, ctx: ServerContext): ToolCall {
  const client = clientOf(server, ctx);
  const token = ctx.mcpReq._meta?.progressToken;
  const tell = token === undefined ? undefined : progressTeller(ctx, token, options.context.host);
  const { waiting, ...call } = plainCall(options, listed, client);
  return {
    ...call,
    desk: () => personDesk(ctx, options.scope === undefined && canAsk(server, ctx), seal),
    waiting: { ...waiting, signal: ctx.mcpReq.signal, ...(tell === undefined ? {} : { onProgress: progressSender(tell) }) },
    ...defined({ tell }),
  };
}

/** A call without anybody behind it who could be asked. */
function plainCall(options: McpServerOptions, listed: readonly Tool[], client: ClientFacts): ToolCall {
  const { context } = options;
  const caller = options.caller(client);
  const begun = Date.now();
  return {
    engine: oneCommand(context),
    caller,
    person: {
      holder: { kind: "person", name: `user of ${client.name}`, session: caller.holder.session },
      surface: "elicitation",
      leaseOwner: caller.leaseOwner,
    },
    desk: () => nobodyAsked,
    // A little less than a client was promised, for what comes after the wait.
    waiting: { waitMs: Math.floor(context.settings.callWaitMs * 0.96) },
    replyChars: options.replyChars ?? usualChars,
    offers: (tool) => listed.some(({ name }) => name === tool),
    explainPlan: options.explainPlan,
    dialects: options.dialects,
    elapsedMs: () => Date.now() - begun,
  };
}

const nobodyAsked: PersonDesk = {
  canAsk: () => false,
  reply: undefined,
  ask: () => Promise.reject(new Error("Nobody can be asked here.")),
};

/** The step of a driven agent in the words of the tool that shows it, for its prompt. */
export async function briefStep(options: McpServerOptions, scope: StrandScope): Promise<string> {
  const call = plainCall(options, scopedTools(options.dialects, scope), { name: "waymark", version: "" });
  return (await nextReply({ ...call, replyChars: briefChars }, { run: scope.run, task: scope.task })).text;
}

/** The request's own envelope in the modern era, the handshake in the legacy one, the user agent where HTTP has neither. */
function clientOf(server: McpServer, ctx: ServerContext | undefined): ClientFacts {
  const given = envelopeOf(ctx)[CLIENT_INFO_META_KEY];
  // oxlint-disable-next-line typescript/no-deprecated -- the legacy era has no other place for it
  const known = given ?? server.server.getClientVersion();
  const agent = ctx?.http?.req?.headers.get("user-agent");
  if (known !== undefined) return { name: plainName(known.name), version: plainName(known.version) };
  return { name: plainName(agent ?? "unknown client"), version: "" };
}

interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** Checked by the protocol layer before the call gets here. */
function envelopeOf(ctx: ServerContext | undefined): Envelope {
  return ctx?.mcpReq.envelope ?? {};
}

/** Names come from outside and are shown to people: one short line. */
function plainName(name: string): string {
  return name
    .replace(/[^\x20-\x7E]+/g, " ")
    .trim()
    .slice(0, 60);
}

function canAsk(server: McpServer, ctx: ServerContext): boolean {
  const given = envelopeOf(ctx)[CLIENT_CAPABILITIES_META_KEY];
  // oxlint-disable-next-line typescript/no-deprecated -- the legacy era has no other place for it
  const { elicitation } = given ?? server.server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
