import { isList, isObject, own, type JsonObject, type NextAfter, type WaymarkError } from "../base/index.ts";
import { engineCodes } from "../engine/index.ts";
import type { Following } from "../views/index.ts";
import { mcpCodes } from "./codes.ts";
import { listedSchema, textGiven } from "./read-arguments.ts";
import type { Tool } from "./tool.ts";

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
  readonly replyChars: number;
}

/** Longer texts are not ids, and nothing is called by them. */
const longestId = 200;

export function failedCall(tool: Tool, given: unknown, replyChars: number): FailedCall {
  const args = (typeof given === "object" && given !== null ? given : {}) as Readonly<Record<string, unknown>>;
  const [run, task, action, worker, workflow] = ["run_id", "task_id", "action_id", "worker", "workflow"].map((name) =>
    textGiven(args, name),
  );
  const required = (listedSchema(tool.shape)["required"] ?? []) as readonly string[];
  return {
    tool,
    required: Object.fromEntries(required.map((name) => [name, textGiven(args, name)])),
    bare: Object.keys(args).length === 0,
    replyChars,
    ...(run === undefined ? {} : { run }),
    ...(task === undefined || task.length > longestId ? {} : { task }),
    ...(action === undefined ? {} : { action }),
    ...(worker === undefined || worker.length > longestId ? {} : { worker }),
    ...(workflow === undefined || workflow.length > longestId ? {} : { workflow }),
  };
}

/** The call that the catalogue names for the code of an error. Sent back as it is it reports nothing, and does not bring the same error again. */
export function afterError(error: WaymarkError, given: FailedCall): Following {
  const about = { ...given, ...taskIn(error) };
  const { tool, run, workflow } = about;
  const next = nextAfter(error, about);
  const again = error.details["next_run"];
  if (typeof again === "string") return { next_call: { tool: "workflow_next", arguments: { run_id: again } } };
  if (next === "again") return afterBadArgument(error, about);
  if (next === "nothing") return {};
  if (next === "list") return { next_call: { tool: "workflow_list", arguments: {} } };
  if (next === "info") return { next_call: toWorkflow(workflow) };
  if (isObject(error.details["fill_in"])) return afterUnfilled(error, about, error.details["fill_in"]);
  if (tool.shows !== undefined) return next === "resume" ? laterForBot(error, tool.shows) : toBot(about, tool.shows);
  const other = error.details["run_id"];
  if (next === "resume" && typeof other === "string" && other !== run) return { later: takeOver({ run_id: other }) };
  if (run === undefined || run.length > longestId || next === "runs") return { next_call: { tool: "workflow_status", arguments: {} } };
  if (next === "next") return { next_call: { tool: "workflow_next", arguments: herePlace(about, run) } };
  if (next === "batch" && isObject(error.details["dry_run"])) return { next_call: dryRun(error.details["dry_run"], about, run) };
  if (next !== "resume") return { next_call: { tool: "workflow_status", arguments: { run_id: run } } };
  const { worker: _worker, ...here } = herePlace(about, run);
  return { later: takeOver(here) };
}

/** A question has its task; who answers it names none. */
function taskIn({ details }: WaymarkError): Pick<FailedCall, "task"> {
  return typeof details["task_id"] === "string" ? { task: details["task_id"] } : {};
}

/** The status of a run leads to the agent that started the tasks: who works on one of them is led to its step instead. */
function nextAfter({ code, details }: WaymarkError, { task, tool }: FailedCall): NextAfter | undefined {
  if (details["holder_gone"] === true) return "next";
  const entry = own(engineCodes, code) ?? own(mcpCodes, code);
  if (entry === undefined || entry.next !== undefined || task === undefined) return entry?.next;
  return tool.name === "workflow_next" ? undefined : "next";
}

function takeOver(place: JsonObject): NonNullable<Following["later"]> {
  return { when: "if the user wants you to take it over", tool: "workflow_resume", arguments: place };
}

/** The tools of a bot name no run: the error says which one somebody else drives. */
function laterForBot({ details }: WaymarkError, shows: string): Following {
  const run = details["run_id"];
  return { later: typeof run === "string" ? takeOver({ run_id: run }) : { when: "when it is free", tool: shows, arguments: {} } };
}

/** Where the bot is, unless that is what was asked for. */
function toBot({ tool, bare }: FailedCall, shows: string): Following {
  const call = { tool: shows, arguments: {} };
  return bare && tool.name === shows ? { later: { when: "when the cause is gone", ...call } } : { next_call: call };
}

/** The dry run of what was confirmed, so that nothing else is confirmed in its place. What only a person batches is left to them. */
function dryRun({ filter, ...batch }: JsonObject, { worker }: FailedCall, run: string): NonNullable<Following["next_call"]> {
  if (batch["operation"] === "apply_changes") return { tool: "workflow_status", arguments: { run_id: run } };
  const only = isObject(filter) && Object.keys(filter).length > 0 ? { filter } : {};
  const own = worker === undefined ? {} : { worker };
  return { tool: "workflow_batch", arguments: { run_id: run, ...batch, ...only, dry_run: true, ...own } };
}

function herePlace({ task, worker }: FailedCall, run: string): JsonObject {
  return { run_id: run, ...(task === undefined ? {} : { task_id: task }), ...(worker === undefined ? {} : { worker }) };
}

function toWorkflow(workflow: string | undefined): NonNullable<Following["next_call"]> {
  return workflow === undefined ? { tool: "workflow_list", arguments: {} } : { tool: "workflow_info", arguments: { workflow } };
}

/** The report was sent without what it is about: the same call again, when that is there. */
function afterUnfilled({ details }: WaymarkError, about: FailedCall, fill: JsonObject): Following {
  const { tool, run = "" } = about;
  const action = typeof details["action_id"] === "string" ? details["action_id"] : undefined;
  if (tool.shows !== undefined) {
    const named = action === undefined ? {} : { parameters: { action } };
    return { fill_in: fill, later: { when: "when you have it", tool: tool.name, arguments: named } };
  }
  const named = action === undefined ? {} : { action_id: action };
  return {
    fill_in: fill,
    later: { when: "when you have it", tool: "workflow_progress", arguments: { ...herePlace(about, run), ...named } },
  };
}

/** Where the caller stands, instead of the call without what was wrong with it: that might report something. */
function afterBadArgument({ details }: WaymarkError, about: FailedCall): Following {
  const { tool, run, worker, required, workflow } = about;
  const problems = isList(details["problems"]) ? details["problems"].map(String) : [];
  const isBlamed = (name: string): boolean => problems.some((problem) => problem.includes(`\`${name}\``));
  if (tool.shows !== undefined) return { next_call: { tool: tool.shows, arguments: {} } };
  if (run !== undefined && run.length <= longestId) {
    if (tool.reads || tool.destroys) return { next_call: { tool: "workflow_status", arguments: { run_id: run } } };
    const { worker: _worker, ...place } = herePlace(about, run);
    const own = worker === undefined || isBlamed("worker") ? {} : { worker };
    return { next_call: { tool: "workflow_next", arguments: { ...place, ...own } } };
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
