import { existsSync, writeFileSync, writeSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, isWaymarkError, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { answer, doctor, journal, next, progress, start, type EngineContext } from "../../src/engine/index.ts";
import { inspectSessions } from "../../src/dialects/machine/run/index.ts";
import type { Decision } from "../../src/kernel/index.ts";
import type { MachineWorld } from "../support/machine-world.ts";
import { blocks, goodTeam, reported } from "../support/scripted-team.ts";
import { composeEngine } from "./compose-engine.ts";

/** What one process of the machine test is to do, as JSON in its first argument. */
export interface MachineTask {
  readonly base: string;
  readonly leaseTtlMs: number;
  /** Milliseconds of work on each dispatch. */
  readonly workMs: number;
  /** Dies at the n-th border of a write to a file of the session, or around the n-th commit. */
  readonly fault?: { readonly at: string; readonly nth: number };
  /** What processes before this one were told that it is recorded. */
  readonly known: Acknowledged;
}

export interface Acknowledged {
  readonly reports: readonly string[];
  readonly answers: readonly { readonly decision: string; readonly text: string }[];
}

export type MachineLine =
  | { readonly said: "begun" }
  | { readonly said: "handed"; readonly step: string }
  | { readonly said: "reported"; readonly action: string }
  /** A person was asked about a change that nobody but Waymark can have made. */
  | { readonly said: "accused"; readonly question: string }
  | { readonly said: "answered"; readonly decision: string; readonly text: string }
  /** The session came to its end, and this was wrong with it. */
  | { readonly said: "ended"; readonly status: string; readonly dispatches: number; readonly problems: readonly string[] };

const task = JSON.parse(process.argv[2] ?? "{}") as MachineTask;
const reports = new Set(task.known.reports);
const answers = [...task.known.answers];
let crossings = 0;

function say(line: MachineLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function cross(point: string): void {
  if (point !== task.fault?.at) return;
  crossings += 1;
  if (crossings === task.fault.nth) process.kill(process.pid, "SIGKILL");
}

const engine = await composeEngine({
  base: task.base,
  settings: { leaseTtlMs: task.leaseTtlMs, leaseBeatMs: Math.ceil(task.leaseTtlMs / 4) },
  store: async (_name, _args, call) => {
    cross("before commit");
    const done = await call();
    cross("after commit");
    return done;
  },
  faults: (point, place) => {
    if (place.includes(".agents-work")) cross(point);
  },
  logged: () => undefined,
});
const { context, folder } = engine;
const caller = engine.caller(`window-${process.pid}`);
const person = engine.person();
const world = {
  write: async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  },
} as MachineWorld;

/** Whether this happened before; noted when it has been acknowledged. */
const markOf = (name: string): string => join(task.base, `did-${name}`);

async function runOf(): Promise<string> {
  const loaded = await context.catalog.load("delivery");
  await engine.host.permissions.grant({
    hash: loaded.hash,
    workflow: "delivery",
    workspace: engine.host.workspace,
    runs: [],
    unattended: true,
  });
  const [known] = await context.store.listRuns({ workflow: "delivery" });
  return known?.id ?? (await start(context, caller, { workflow: "delivery", inputs: { request: "Make slugs" }, waitMs: 0 })).run;
}

interface Played {
  readonly result: unknown;
  /** Done only once, when it was acknowledged. */
  readonly mark?: string;
}

/** A team that is stopped once by its reviewer, once by its tests and once by a finding. */
async function play(dispatch: JsonObject): Promise<Played> {
  const role = textOf(dispatch["role"] ?? "");
  const once = !existsSync(markOf(role));
  if (once && role === "Reviewer") return { result: blocks("It does nothing yet."), mark: role };
  if (once && role === "QA")
    return {
      result: reported("BLOCKED", "One fails.", {
        artifacts: { test_results: { passed: 0, failed: 1, skipped: 0, output: "no" }, coverage_gaps: ["the empty title"] },
      }),
      mark: role,
    };
  if (once && role === "Security") {
    const findings = [
      { severity: "medium", category: "input", file: "src/T-001.mjs", description: "Nothing is escaped.", recommended_fix: "Escape it." },
    ];
    return { result: reported("NEEDS_DECISION", "One finding.", { artifacts: { findings } }), mark: role };
  }
  return { result: await goodTeam[role]?.(dispatch, world) };
}

function wordFor({ id, question, options }: Decision): { readonly text: string; readonly mark?: string } {
  if (id === "UD-APPROVE-DESIGN")
    return existsSync(markOf(id)) ? { text: "approved" } : { text: "changes-requested: name the modules of the architecture", mark: id };
  if (id === "UD-REVIEW-STRATEGY") return { text: "per-batch" };
  if (question.includes("someone else changed it")) say({ said: "accused", question });
  const known = options?.find(({ value }) => ["undo", "allow", "fix-now", "retry"].includes(value)) ?? options?.[0];
  if (known !== undefined) return { text: known.value };
  if (question.includes("leads nowhere")) return { text: "accept" };
  return { text: question.includes("Answer one of") || question.includes("Nothing can continue") ? "retry" : "go on as you think best" };
}

async function turn(run: string): Promise<boolean> {
  const { standing } = await next(context, caller, { run, takeOver: true, waitMs: 10_000 });
  if (standing.kind === "ended") return false;
  if (standing.kind === "question") {
    const { text, mark } = wordFor(standing.decision);
    await answer(context, person, { run, decision: standing.decision.id, answer: text, relayed: false });
    say({ said: "answered", decision: standing.decision.id, text });
    answers.push({ decision: standing.decision.id, text });
    if (mark !== undefined) writeFileSync(markOf(mark), "");
  } else if (standing.kind === "action") {
    const { id, step, args } = standing.action;
    say({ said: "handed", step });
    await sleep(task.workMs);
    const { result, mark } = await play(isObject(args["dispatch"]) ? args["dispatch"] : {});
    await progress(context, caller, { run, action: id, status: "success", result: result as Json, waitMs: 0 });
    say({ said: "reported", action: id });
    reports.add(id);
    if (mark !== undefined) writeFileSync(markOf(mark), "");
  }
  return true;
}

interface Remembered {
  readonly retry_counts?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly decisions?: readonly { readonly decision_id: string; readonly status: string; readonly answer: string | null }[];
}

/** What must hold of a session that came to its end, however often its process died. */
async function judge(run: string): Promise<{ readonly dispatches: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const { state } = await context.runs.open(run);
  const memory = (state.scopes["run"]?.raw["machine"] ?? {}) as unknown as Remembered;
  for (const action of reports)
    if ((await context.store.findRecord(run, `report:${action}`)) === undefined) problems.push(`the report on ${action} was lost`);
  for (const [key, counts] of Object.entries(memory.retry_counts ?? {}))
    for (const [loop, count] of Object.entries(counts)) if (count > 3) problems.push(`${loop} of ${key} was tried ${count} times`);
  const done = await told(context, run);
  problems.push(...wrongAnswers(done.answers, memory));
  if (done.corrections !== done.wanted) problems.push(`${done.wanted} requests for changes led to ${done.corrections} corrections`);
  problems.push(...(await doctor(context, run)).problems.map(({ problem }) => `doctor: ${problem}`));
  for (const { defects, session } of await inspectSessions(context)) problems.push(...defects.map(({ kind }) => `${session}: ${kind}`));
  const session = textOf(state.scopes["run"]?.raw["session"] ?? "");
  const status = JSON.parse(await readFile(join(folder, ".agents-work", session, "status.json"), "utf8")) as JsonObject;
  if (status["current_state"] !== "DONE") problems.push(`status.json says ${textOf(status["current_state"] ?? "")}`);
  const open = await context.store.selectItems(run, { list: "tasks", query: {}, limit: 100 });
  problems.push(...open.filter(({ label }) => label !== "completed").map(({ id, label }) => `${id} is ${label ?? "open"}`));
  return { dispatches: done.dispatches, problems };
}

/** Answers that were acknowledged and are not in the journal, and records that say something else than it. */
function wrongAnswers(recorded: readonly string[], { decisions = [] }: Remembered): string[] {
  const problems: string[] = [];
  const given = [...recorded];
  for (const { decision, text } of answers) {
    const at = given.indexOf(`${decision}: ${text}`);
    if (at < 0) problems.push(`the answer \`${text}\` to ${decision} was lost`);
    else given.splice(at, 1);
  }
  for (const { decision_id, answer: kept } of decisions) {
    const last = recorded.findLast((each) => each.startsWith(`${decision_id}: `));
    if (last !== undefined && last !== `${decision_id}: ${kept ?? ""}`)
      problems.push(`${last} stands in the record as ${kept ?? "nothing"}`);
  }
  return problems;
}

interface Told {
  wanted: number;
  corrections: number;
  dispatches: number;
  /** What each question was answered with, in order; an answer may be recorded though nobody lived to be told so. */
  readonly answers: string[];
}

/** Answers, requests for changes and corrections, as the journal has them. */
async function told(of: EngineContext, run: string): Promise<Told> {
  const counts: Told = { wanted: 0, corrections: 0, dispatches: 0, answers: [] };
  const correcting = new Set<string>();
  for (const { events } of await journal(of, run, 0, 1_000_000))
    for (const event of events) {
      if (event.type === "decision_closed" && textOf(event.answer ?? "").startsWith("changes-requested:")) counts.wanted += 1;
      if (event.type === "decision_closed" && event.status === "answered")
        counts.answers.push(`${event.decision}: ${textOf(event.answer ?? "")}`);
      if (event.type === "action_opened") counts.dispatches += 1;
      if (event.type === "action_opened" && isObject(event.action.args["dispatch"]) && "correction" in event.action.args["dispatch"])
        correcting.add(event.action.id);
      if (event.type === "action_closed" && event.how === "reported" && correcting.has(event.action)) counts.corrections += 1;
    }
  return counts;
}

say({ said: "begun" });
const run = await runOf();
for (let turns = 0; turns < 400; turns += 1) {
  const more = await turn(run).catch((error: unknown) => {
    if (!isWaymarkError(error)) throw error;
    return sleep(20, true);
  });
  if (!more) break;
}
const { state } = await context.runs.open(run);
say({ said: "ended", status: state.status, ...(await judge(run)) });
await engine.close();
