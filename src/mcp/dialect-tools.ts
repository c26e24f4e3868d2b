import type * as z from "zod";
import type { Catalogue, JsonObject } from "../base/index.ts";
import type { EngineContext, Position, progress, RunHandle } from "../engine/index.ts";
import type { Arguments, Reply, Surrounding, Tool, ToolCall } from "./tool.ts";

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
  /** What it adds to the answer to a report, in runs of every dialect. */
  readonly reported?: (done: Awaited<ReturnType<typeof progress>>) => Surrounding | undefined;
  /** Values beside the step that its tools show, by their keys: `workflow_next` gives parts of them. */
  readonly values?: Readonly<Record<string, (call: ToolCall, position: Position) => Promise<JsonObject | undefined>>>;
  /** What it adds to the report of a run, as Markdown. */
  readonly report?: (engine: EngineContext, handle: RunHandle) => Promise<string>;
}

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
  /** Answers a call about its own runs; throws what it refuses in others. undefined: the general tool answers. */
  readonly run?: (call: ToolCall, args: Arguments) => Promise<Reply | undefined>;
}

export function partsOf(dialects: readonly DialectTools[], tool: string): readonly ToolPart[] {
  return dialects.flatMap(({ parts }) => parts?.[tool] ?? []);
}

/** The reply of the dialect whose run the call is about; undefined when the general tool answers. */
export async function ownReply(call: ToolCall, tool: string, args: Arguments): Promise<Reply | undefined> {
  for (const { run } of partsOf(call.dialects, tool)) {
    const reply = await run?.(call, args);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

export function dialectOf({ dialects }: Pick<ToolCall, "dialects">, { program }: Pick<RunHandle, "program">): DialectTools | undefined {
  return dialects.find(({ dialect }) => dialect === program.dialect);
}

/**
 * The dialect of the run, when the caller is in a part of that dialect. What it calls from another dialect is shown as everywhere, and so is
 * the end of a task: only such a call has tasks.
 */
export function dialectAt(call: Pick<ToolCall, "dialects">, position: Position): DialectTools | undefined {
  const { program, state, standing } = position;
  if (standing.kind === "task_ended") return undefined;
  const { strand } = standing.kind === "action" ? standing.action : standing.kind === "question" ? standing.decision : position;
  const part = program.parts[state.scopes[state.strands[strand]?.scope ?? ""]?.part ?? program.main];
  return part?.dialect === program.dialect ? dialectOf(call, position) : undefined;
}
