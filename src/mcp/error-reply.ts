import type { CallToolResult } from "@modelcontextprotocol/server";
import {
  defined,
  isList,
  isObject,
  isWaymarkError,
  own,
  type Catalogue,
  type Json,
  type JsonObject,
  type NextAfter,
  type WaymarkError,
  cutText,
} from "../base/index.ts";
import { engineCodes } from "../engine/index.ts";
import { followingData, type Following } from "../views/index.ts";
import { mcpCodes, unexpected } from "./codes.ts";
import { pageValue, pathText } from "./page-value.ts";
import { listedSchema, textGiven } from "./read-arguments.ts";
import { nextLines, whenFree } from "./reply.ts";
import type { Arguments, Tool } from "./tool.ts";

/** What an error reply knows of the call, read leniently, since the arguments may be what is wrong. */
export interface FailedCall {
  readonly tool: Tool;
  /** What the tool asks for in every call; undefined where the call did not give it as text. */
  readonly required: Readonly<Record<string, string | undefined>>;
  readonly run?: string;
  readonly task?: string;
  readonly action?: string;
  readonly worker?: string;
  readonly workflow?: string;
  /** Nothing was given, so the same call is the tool alone. */
  readonly bare: boolean;
  /** What was given, where it is short enough to be said again. */
  readonly given?: JsonObject;
  readonly replyChars: number;
  /** Codes of dialects. */
  readonly codes: Catalogue;
}

const longestGiven = 1_000;
/** Longer texts are not ids, and nothing is called by them. */
const longestId = 200;

export function failedCall(tool: Tool, given: unknown, { replyChars, codes }: Pick<FailedCall, "replyChars" | "codes">): FailedCall {
  const args = (typeof given === "object" && given !== null ? given : {}) as Arguments;
  const short = (name: string): string | undefined => {
    const text = textGiven(args, name);
    return text === undefined || text.length > longestId ? undefined : text;
  };
  const required = (listedSchema(tool.shape)["required"] ?? []) as readonly string[];
  return {
    tool,
    required: Object.fromEntries(required.map((name) => [name, textGiven(args, name)])),
    bare: Object.keys(args).length === 0,
    ...(isObject(given) && JSON.stringify(given).length <= longestGiven ? { given } : {}),
    replyChars,
    codes,
    ...defined({
      run: textGiven(args, "run_id"),
      task: short("task_id"),
      action: textGiven(args, "action_id"),
      worker: short("worker"),
      workflow: short("workflow"),
    }),
  };
}

/** A refusal: what happened, what to do, and the call that comes next, in both parts. That call may be among the error's details, with one for later. */
export function encodeError(cause: unknown, about: FailedCall): CallToolResult {
  const error = isWaymarkError(cause) ? cause : unexpected(cause);
  const { next_call: own, later, ...facts } = error.details as JsonObject & Following;
  const following = own === undefined && later === undefined ? afterError(error, about) : defined({ next_call: own, later });
  const room = Math.floor((about.replyChars - 800) / 4);
  const message = cutText(error.message, room);
  const fix = cutText(error.fix ?? "Ask for the run's status.", Math.floor(room / 2));
  const details = detailsOf(facts, room);
  const text = [`${error.code}: ${message}`, `Do this: ${fix}`, ...nextLines(following)].join("\n");
  const structuredContent = {
    error: { code: error.code, message, fix, ...(details.shown === undefined ? {} : { details: details.shown }) },
    ...(details.missing.length === 0 ? {} : { truncated: details.missing }),
    ...(about.run === undefined ? {} : { run_id: cutText(about.run, 200) }),
    ...followingData(following),
  };
  return { isError: true, content: [{ type: "text", text }], structuredContent };
}

/** Facts a program can read, as far as there is room: the message has said what matters, and no call brings the rest. */
function detailsOf(facts: WaymarkError["details"], most: number): { readonly shown?: Json; readonly missing: readonly JsonObject[] } {
  if (Object.keys(facts).length === 0) return { missing: [] };
  const { shown, cuts } = pageValue(JSON.parse(JSON.stringify(facts)) as Json, Math.max(0, most));
  return { shown, missing: cuts.map(({ keys, total }) => ({ path: pathText(["error", "details", ...keys]), total })) };
}

/** The call that the catalogue names for the code of an error. Sent back as it is it reports nothing, and does not bring the same error again. */
function afterError(error: WaymarkError, given: FailedCall): Following {
  // A question has its task; who answers it names none.
  const about = typeof error.details["task_id"] === "string" ? { ...given, task: error.details["task_id"] } : given;
  const { tool, workflow } = about;
  const without = withoutStore.get(error.code);
  if (without !== undefined) return { later: { when: without, ...sameCall(about, error.details["uncertain"] === true) } };
  const next = nextAfter(error, about);
  const again = error.details["next_run"];
  if (typeof again === "string") return { next_call: { tool: "workflow_next", arguments: { run_id: again } } };
  if (next === "again") return afterBadArgument(error, about);
  if (next === "nothing") return {};
  if (next === "allowed") return { later: { when: "when a person has allowed it", ...afterAllowed(about) } };
  if (next === "list") return { next_call: toWorkflow(undefined) };
  if (next === "info") return { next_call: toWorkflow(workflow) };
  if (isObject(error.details["fill_in"])) return afterUnfilled(error, about, error.details["fill_in"]);
  const other = error.details["run_id"];
  if (next === "other" && typeof other === "string")
    return { later: { ...whenFree({ run_id: other }), when: "if the user wants that run to continue" } };
  if (tool.shows !== undefined) return next === "wait" ? laterShown(tool.shows) : toShown(about, tool.shows);
  return afterRun(about, next);
}

/** Where the run is, or when it can be asked. */
function afterRun({ run, task, worker }: FailedCall, next: NextAfter | undefined): Following {
  if (run === undefined || run.length > longestId || next === "runs") return { next_call: { tool: "workflow_status", arguments: {} } };
  if (next === "next") return { next_call: { tool: "workflow_next", arguments: herePlace(run, task, worker) } };
  if (next !== "wait" && next !== "person") return { next_call: { tool: "workflow_status", arguments: { run_id: run } } };
  const later = whenFree(herePlace(run, task, worker));
  return { later: next === "person" ? { ...later, when: "when they have answered" } : later };
}

/** Codes after which no call can be answered, and when the next one can. */
const withoutStore: ReadonlyMap<string, string> = new Map([
  ["STORE_UNREACHABLE", "when the database is back"],
  ["STORE_CANNOT_OPEN", "when a person has corrected it"],
]);

/** What is not allowed was not begun: the same call begins it, and a run that waits for the permission shows what is open. */
function afterAllowed(about: FailedCall): NonNullable<Following["next_call"]> {
  const { run, task, worker } = about;
  return run === undefined ? sameCall(about, false) : { tool: "workflow_next", arguments: herePlace(run, task, worker) };
}

/** The same call again, where a repeat changes nothing that was recorded; else the one that shows what was. */
function sameCall({ tool, given, run, task, worker }: FailedCall, uncertain: boolean): NonNullable<Following["next_call"]> {
  if (given !== undefined && (tool.repeatable || !uncertain)) return { tool: tool.name, arguments: given };
  const isRun = run !== undefined && run.length <= longestId;
  return isRun ? { tool: "workflow_next", arguments: herePlace(run, task, worker) } : { tool: "workflow_status", arguments: {} };
}

/** The status of a run leads to the agent that started the tasks: who works on one of them is led to its step instead. */
function nextAfter({ code, details }: WaymarkError, { task, tool, codes }: FailedCall): NextAfter | undefined {
  if (details["holder_gone"] === true) return "next";
  const entry = own(engineCodes, code) ?? own(mcpCodes, code) ?? own(codes, code);
  if (entry === undefined || entry.next !== undefined || task === undefined) return entry?.next;
  return tool.name === "workflow_next" ? undefined : "next";
}

/** A tool that names no run: the one that shows where it is, which another agent works on. */
function laterShown(shows: string): Following {
  return { later: { ...whenFree({}), tool: shows } };
}

/** The tool that shows where the run is, unless that is what was asked for. */
function toShown({ tool, bare }: FailedCall, shows: string): Following {
  const call = { tool: shows, arguments: {} };
  return bare && tool.name === shows ? { later: { when: "when the cause is gone", ...call } } : { next_call: call };
}

function herePlace(run: string, task?: string, worker?: string): JsonObject {
  return { run_id: run, ...defined({ task_id: task, worker }) };
}

function toWorkflow(workflow: string | undefined): NonNullable<Following["next_call"]> {
  return workflow === undefined ? { tool: "workflow_list", arguments: {} } : { tool: "workflow_info", arguments: { workflow } };
}

/** The report was sent without what it is about: the same call again, when that is there. */
function afterUnfilled({ details }: WaymarkError, about: FailedCall, fill: JsonObject): Following {
  const { tool, run = "", task, worker } = about;
  const action = typeof details["action_id"] === "string" ? details["action_id"] : undefined;
  const call =
    tool.shows === undefined
      ? { tool: "workflow_progress", arguments: { ...herePlace(run, task, worker), ...defined({ action_id: action }) } }
      : { tool: tool.name, arguments: action === undefined ? {} : { parameters: { action } } };
  return { fill_in: fill, later: { when: "when you have it", ...call } };
}

/** Where the caller is, instead of the call without what was wrong with it: that might report something. */
function afterBadArgument({ details }: WaymarkError, about: FailedCall): Following {
  const { tool, run, task, worker, required, workflow } = about;
  const problems = isList(details["problems"]) ? details["problems"].map(String) : [];
  const isBlamed = (name: string): boolean => problems.some((problem) => problem.includes(`\`${name}\``));
  if (tool.shows !== undefined) return { next_call: { tool: tool.shows, arguments: {} } };
  if (run !== undefined && run.length <= longestId) {
    if (tool.reads || tool.destroys) return { next_call: { tool: "workflow_status", arguments: { run_id: run } } };
    return { next_call: { tool: "workflow_next", arguments: herePlace(run, task, isBlamed("worker") ? undefined : worker) } };
  }
  const names = Object.keys(required);
  if (names.some((name) => ["run_id", "workflow_id"].includes(name))) return { next_call: { tool: "workflow_status", arguments: {} } };
  if (names.includes("workflow")) return { next_call: toWorkflow(isBlamed("workflow") ? undefined : workflow) };
  const given = Object.entries(required).flatMap(([name, value]) =>
    value === undefined || value.length > longestId || isBlamed(name) ? [] : [[name, value] as const],
  );
  if (!tool.reads || given.length < names.length) return {};
  return { next_call: { tool: tool.name, arguments: Object.fromEntries(given) } };
}
