import type { InputRequiredResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Catalogue, Json, JsonObject } from "../base/index.ts";
import type { Caller, EngineContext, LoadedWorkflow, NextRequest, Position, progress, RunHandle } from "../engine/index.ts";
import type { CallSpec } from "../views/index.ts";

/** What one tool takes. Fields marked `hidden` are accepted, but not listed. */
export type ArgumentShape = z.ZodObject;
export type Arguments = Readonly<Record<string, unknown>>;

/** The same answer twice: `text` is a short rendering, `data` the structured form; each is enough alone. */
export interface Reply {
  readonly text: string;
  readonly data: JsonObject;
  /** Facts for programs that no model is shown. */
  readonly meta?: JsonObject;
}

/** A reply, or a question that the client puts to its user before the call is made again. */
export type ToolResult = Reply | InputRequiredResult;

/** A call that an agent can make next. */
export type NextCall = CallSpec;

/** A part of a value that a reply had no room for: the value by its path in the reply's data, from this entry, key or character on. */
export interface ReplyPart {
  readonly path: string;
  readonly from: number;
  /** The action that the value belongs to, so that parts of two actions are never taken for one. */
  readonly action_id?: string;
  /** Of the value as it was when its beginning was shown. */
  readonly hash?: string;
}

/** What a tool adds around a step: fields, and lines before it. */
export interface Surrounding {
  readonly data: JsonObject;
  /** Keys of the fields that are shown in part first: what to do matters more than what is around it. */
  readonly heavy: readonly string[];
  /** Those of them that are left out where the step would be cut. */
  readonly spare?: readonly string[];
  /** Characters that these may take even where there is room for more. */
  readonly room?: number;
  /** Key under which `workflow_next` knows these fields, when it knows them under one. */
  readonly under?: string;
  readonly lines: (shown: JsonObject) => readonly string[];
}

/** What happens when the client is asked to put a question to its user. */
export interface PersonDesk {
  /** Whether the client said that it can ask, and its form shows the whole question. */
  canAsk(question: string): boolean;
  /** What the user did with a question that this server sent in an earlier round of the same call. */
  readonly reply: PersonReply | undefined;
  ask(question: PersonQuestion): Promise<InputRequiredResult>;
}

/** Which question was sent. */
export interface AskedQuestion {
  readonly run: string;
  readonly decision: string;
  readonly revision: number;
}

export interface PersonReply extends AskedQuestion {
  readonly action: "accept" | "decline" | "cancel";
  readonly answer: Json;
  readonly reason?: string;
}

export interface PersonQuestion extends AskedQuestion {
  readonly text: string;
  readonly options: readonly { readonly value: string; readonly label?: string }[];
  /** A reason may come with the answer. */
  readonly reasons?: boolean;
}

/** Everything a tool needs for one call. */
export interface ToolCall {
  readonly engine: EngineContext;
  /** The agent that calls. */
  readonly caller: Caller;
  /** Its name among sub-agents that share a connection. */
  readonly worker?: string;
  /** The person in front of the client, when the client asked them. */
  readonly person: Caller;
  /** Made when it is asked for: most calls ask nobody. */
  readonly desk: () => PersonDesk;
  /** How long to wait for the engine, and whom to tell meanwhile. */
  readonly waiting: Pick<NextRequest, "waitMs" | "signal" | "onProgress">;
  /** Sends a line to the waiting client; absent when it did not ask for progress. */
  readonly tell?: (message: string) => void;
  /** Milliseconds since the call came in. */
  readonly elapsedMs: () => number;
  readonly replyChars: number;
  /** What the caller wants of the reply's data, when it does not want the reply itself. */
  readonly part?: ReplyPart;
  /** This call without `part`; absent when a repeat of it would not give the same data. */
  readonly again?: NextCall;
  /** Whether the client was shown a tool: most call no other. */
  readonly offers: (tool: string) => boolean;
  readonly explainPlan: ExplainPlan;
  readonly dialects: readonly DialectTools[];
}

/** What a program will do, in the keys of the seed's `workflow.explain_plan`. */
export type ExplainPlan = (program: NonNullable<LoadedWorkflow["program"]>, inputs: JsonObject) => Promise<JsonObject>;

export const toolsetNames = ["default", "state", "debug", "seed", "knowledge"] as const;
export type Toolset = (typeof toolsetNames)[number];

export interface Tool {
  readonly name: string;
  readonly toolsets: readonly Toolset[];
  readonly description: string;
  /** What the structured part holds; for the documentation, models see it in the replies. */
  readonly returns: string;
  readonly shape: ArgumentShape;
  /** The listed schema, where it is not the shape's own. */
  readonly inputSchema?: JsonObject;
  /** Of a tool that a dialect adds: the tool that it is listed after. */
  readonly after?: string;
  /** The field that those of dialects are listed after; the last one if not given. */
  readonly fieldsAfter?: string;
  /** Changes nothing. */
  readonly reads: boolean;
  /** Ends something that cannot be taken up again. */
  readonly destroys: boolean;
  /** A repeat of the same call changes nothing more. */
  readonly repeatable: boolean;
  /** A repeat gives the same data, so that parts of it can be asked for. */
  readonly givesParts: boolean;
  /** Nearly every call is committed in the run that it names: it is performed `onKnownRun`. Asks no person. */
  readonly commits?: true;
  /** Clients that hide tools until they are searched for should show this one. */
  readonly entry: boolean;
  /** Canonical tool that does the same, for agents whose server lacks this one. */
  readonly canonical?: string;
  /** Of a tool that names no run: the tool that shows where its run is, and reports nothing. */
  readonly shows?: string;
  /** Steps of workflows ask for it by name: it answers even where it is not listed. */
  readonly everywhere?: boolean;
  run(call: ToolCall, args: Arguments): Promise<ToolResult>;
}

type Usual = "toolsets" | "reads" | "destroys" | "repeatable" | "givesParts" | "entry";

interface ToolSpec<Shape extends ArgumentShape> extends Omit<Tool, Usual | "shape" | "run">, Partial<Pick<Tool, Usual>> {
  readonly shape: Shape;
  run(call: ToolCall, args: z.output<Shape>): Promise<ToolResult>;
}

/** Tools are canonical, and reading ones repeatable and give parts by nature; everything else says so itself. */
export function defineTool<Shape extends ArgumentShape>(spec: ToolSpec<Shape>): Tool {
  const { toolsets = ["default"], reads = false, destroys = false, repeatable = reads, givesParts = reads, entry = false } = spec;
  return { ...spec, toolsets, reads, destroys, repeatable, givesParts, entry };
}

/** What a dialect adds to the server: tools of its own, its share of the general ones, and the form of its replies. */
export interface DialectTools {
  /** Its name, as programs store it. */
  readonly dialect: string;
  /** Codes of its refusals, which may say what call follows; loaded with the first error. */
  readonly codes?: () => Promise<Catalogue>;
  /** Tools of its own, listed with the general ones. */
  readonly tools?: readonly Tool[];
  /** Names that `--tools` takes for the tools that it makes. */
  readonly toolsets?: readonly ListedToolset[];
  /** Makes the tools of these toolsets from what the workspace has; `all` asks for every one. */
  readonly made?: (engine: EngineContext, toolsets: readonly string[]) => Promise<readonly Tool[]>;
  /** Its share of general tools, by their names. */
  readonly parts?: Readonly<Record<string, ToolPart>>;
  /** Its line of the server's instructions. */
  readonly instruction?: string;
  /** Its runs hand out work to everyone who asks, and its replies name the worker in the calls that follow. */
  readonly workers?: true;
  /** The answer to a start of one of its workflows. */
  readonly started?: (call: ToolCall, position: Position) => Promise<Reply>;
  /** Where the caller is in a run of its own, in its own form. `before` is short. */
  readonly standing?: (call: ToolCall, position: Position, before: Surrounding) => Promise<Reply>;
  /** Kinds of actions of its own runs that are shown and reported in the general form all the same. */
  readonly asEverywhere?: ReadonlySet<string>;
  /** What it adds to the answer to a report, in runs that have a part of its dialect. */
  readonly reported?: (done: Awaited<ReturnType<typeof progress>>) => Surrounding | undefined;
  /** Values beside the step that its tools show, by their keys: `workflow_next` gives parts of them. */
  readonly values?: Readonly<Record<string, (call: ToolCall, position: Position) => Promise<JsonObject | undefined>>>;
  /** What it adds to the status of one of its runs, in fields and in lines. */
  readonly status?: StatusShare;
  /** What it adds to the status of a run of another dialect that calls a workflow of this one. */
  readonly calledStatus?: StatusShare;
  /** What it adds to the report of a run, as Markdown. */
  readonly report?: (engine: EngineContext, handle: RunHandle) => Promise<string>;
}

type StatusShare = (engine: EngineContext, handle: RunHandle) => Promise<{ readonly data: JsonObject; readonly lines: readonly string[] }>;

export interface ListedToolset {
  readonly name: string;
  readonly adds: string;
}

/** A dialect's share of a general tool. */
export interface ToolPart {
  /** Arguments beside the general ones, or in the place of those. */
  readonly fields?: Readonly<Record<string, z.ZodType>>;
  /** What replies about its runs hold, for the documentation. */
  readonly returns?: string;
  /** A line at the end of the tool's reply. */
  readonly hint?: string;
  /**
   * Answers a call about a run that has a part of its dialect; throws what it refuses in others, so it is asked too where one of its
   * `fields` is given. undefined: the general tool answers.
   */
  readonly run?: (call: ToolCall, args: Arguments) => Promise<Reply | undefined>;
}

/** What dialects share in a general tool. */
export function partsOf(dialects: readonly DialectTools[], tool: string): readonly ToolPart[] {
  return dialects.flatMap(({ parts }) => parts?.[tool] ?? []);
}

/** Words that many tools take; described once, so that the list stays short. */
export const runId: z.ZodString = z.string().min(1);
export const taskId: z.ZodOptional<z.ZodString> = z.string().optional().describe("Your task, as a sub-agent.");
export const workflowName: z.ZodString = z.string().min(1).describe("Workflow name, e.g. standards:fix.");
export const anyObject: z.ZodRecord<z.ZodString, z.ZodUnknown> = z.record(z.string(), z.unknown());
export const hiddenText: z.ZodOptional<z.ZodString> = z.string().optional().meta({ hidden: true });
