import { existsSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError } from "../../src/base/index.ts";
import { answer, doctor, next, progress, report, resume, type Caller, type Position } from "../../src/engine/index.ts";
import { callBot, openBot } from "../../src/dialects/bots/run/index.ts";
import { currentPlace } from "../../src/dialects/bots/views/index.ts";
import { composeEngine } from "./compose-engine.ts";

/** What one process of the bot test is to do, as JSON in its first argument. */
export interface BotTask {
  readonly base: string;
  readonly bot: string;
  /** `walk`: looks at what was left, then goes on until it is killed. `beside`: calls the independent action. `look`: looks and ends. */
  readonly what: "walk" | "beside" | "look";
  readonly leaseTtlMs: number;
  /** Dies at the n-th crossing of a border of a write to one of the two files. */
  readonly fault?: { readonly file: "activity_log.json" | "workflow_state.json"; readonly point: string; readonly nth: number };
  /** Milliseconds of work on each action. */
  readonly workMs: number;
  /** Of `walk` and `beside`: ends after so many actions. */
  readonly actions?: number;
  /** Takes the bot from a window that still drives it. */
  readonly takeOver?: boolean;
}

export type BotLine =
  | { readonly said: "begun" }
  /** What was found after the last process died. */
  | { readonly said: "looked"; readonly found: Found }
  | { readonly said: "handed"; readonly step: string }
  | { readonly said: "reported"; readonly step: string }
  | { readonly said: "ended"; readonly count: number };

export interface Found {
  /** An action was started and handed out, or was about to be, and its process died. */
  readonly interrupted: string | null;
  /** The question that whoever came was asked; null when there was none. */
  readonly question: string | null;
  readonly problems: readonly string[];
}

const task = JSON.parse(process.argv[2] ?? "{}") as BotTask;
const waitMs = 30_000;
let crossings = 0;

function say(line: BotLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const engine = await composeEngine({
  base: task.base,
  settings: { leaseTtlMs: task.leaseTtlMs, leaseBeatMs: Math.ceil(task.leaseTtlMs / 4) },
  faults: (point, place) => {
    const { fault } = task;
    if (fault === undefined || point !== fault.point || !place.endsWith(fault.file)) return;
    crossings += 1;
    if (crossings === fault.nth) process.kill(process.pid, "SIGKILL");
  },
  logged: () => undefined,
});
const { context, folder } = engine;
const caller = engine.caller(`window-${process.pid}`);
const person = engine.person();

interface Entry {
  readonly timestamp: string;
  readonly bot?: string;
  readonly behavior: string;
  readonly action: string;
  readonly action_state: string;
}

interface State {
  readonly bot: string;
  readonly current_behavior: string;
  readonly current_action: string;
  readonly action_state: string;
  readonly completed_actions: readonly Entry[];
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, "area", name), "utf8")) as T;
}

async function runOf(): Promise<string | undefined> {
  const known = await context.store.listRuns({ workflow: task.bot });
  return (known.find((row) => row.status === "running") ?? known[0])?.id;
}

/** The action that a dead process left in hand, as journal and files tell before anybody takes it up. */
async function leftBehind(run: string | undefined): Promise<string | null> {
  if (run === undefined) return null;
  const { state } = await context.runs.open(run);
  const main = state.strands["main"];
  if (state.status !== "running" || main?.waits === undefined) return null;
  if (main.waits.on === "action") return state.actions[main.waits.id]?.step ?? null;
  const effect = main.waits.on === "effect" ? state.effects[main.waits.id] : undefined;
  if (effect?.what !== "bot_record" || effect.args["state"] !== "started") return null;
  // Its start is in the log already: whoever was to do it died before it was handed out.
  const at = new Date(effect.openedAt).toISOString();
  const item = effect.args["item"] as { readonly id: string };
  // The very first start may be recorded by another window just now, so that there is no log yet.
  const log = existsSync(join(folder, "area", "activity_log.json")) ? read<Entry[]>("activity_log.json") : [];
  const logged = log.some((entry) => entry.timestamp === at && `${entry.behavior}.${entry.action}` === item.id);
  return logged ? item.id : null;
}

/** Both files against each other and against the journal. */
async function compare(run: string): Promise<string[]> {
  const problems: string[] = [];
  const log = read<Entry[]>("activity_log.json").filter((entry) => entry.bot === undefined || entry.bot === task.bot);
  const state = read<State>("workflow_state.json");
  const { state: kept } = await context.runs.open(run);
  const rows = await context.store.selectItems(run, { list: "activity", query: {}, limit: 100_000 });
  const key = (entry: Entry): string => `${entry.timestamp} ${entry.behavior}.${entry.action} ${entry.action_state}`;
  const rowKey = (data: unknown): string => {
    const { timestamp, behaviour, action, actionState } = data as Record<string, string>;
    return `${timestamp} ${behaviour}.${action} ${actionState}`;
  };
  const [said, known] = [log.map(key), rows.map((row) => rowKey(row.data))];
  if (said.join("\n") !== known.join("\n")) problems.push(`the log has ${said.length} entries, the journal ${known.length}`);
  if (new Set(said).size !== said.length) problems.push("an entry stands twice in the log");
  const last = log.findLast((entry) => entry.action !== "correct");
  if (state.bot === task.bot && last !== undefined) {
    const of = `${state.current_behavior}.${state.current_action} ${state.action_state}`;
    const wanted = `${last.behavior}.${last.action} ${last.action_state}`;
    if (of !== wanted) problems.push(`the state says ${of}, the log ${wanted}`);
    const open = currentPlace({ state: kept });
    if (kept.status === "running" && open !== undefined && `${open.behaviour}.${open.action}` !== `${last.behavior}.${last.action}`)
      problems.push(`the journal is at ${open.behaviour}.${open.action}, the log at ${last.behavior}.${last.action}`);
    for (const each of state.completed_actions)
      if (!log.some((entry) => entry.action_state === "completed" && entry.action === each.action && entry.timestamp === each.timestamp))
        problems.push(`${each.action} is completed in the state and not in the log`);
  }
  const times = log.map((entry) => entry.timestamp);
  if (times.join() !== times.toSorted().join()) problems.push("the log is not in one order");
  problems.push(...(await doctor(context, run)).problems.map(({ problem }) => `doctor: ${problem}`));
  return problems;
}

async function look(): Promise<Position> {
  const interrupted = await leftBehind(await runOf());
  const position = await come();
  const { standing, run } = position;
  const question = standing.kind === "question" && standing.decision.kind === "lost" ? standing.decision.step : null;
  const problems = await compare(run);
  const raw = position.state.scopes["run"]?.raw["bot_problems"];
  const suspicion = Array.isArray(raw) ? raw.filter((each) => !String(each).startsWith("Everything was completed before")) : [];
  if (suspicion.length > 0) problems.push(`somebody else is suspected: ${suspicion.join(" ")}`);
  say({ said: "looked", found: { interrupted, question, problems } });
  return position;
}

/** Where the bot is; one that has come to its end begins again. */
async function come(): Promise<Position> {
  for (;;) {
    try {
      const position = await openBot(context, caller, task.bot, { project_area: "area", again: true, waitMs });
      if (position.standing.kind !== "working") return position;
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
      if (task.takeOver === true) await resume(context, caller, { run: (await runOf()) ?? "", waitMs }).catch(passing);
    }
    await sleep(20);
  }
}

function passing(error: unknown): undefined {
  if (isWaymarkError(error)) return undefined;
  throw error;
}

async function walk(first: Position): Promise<void> {
  let position = first;
  for (let done = 0; done < (task.actions ?? 1_000);) {
    const { standing, run } = position;
    try {
      if (standing.kind === "action") {
        say({ said: "handed", step: standing.action.step });
        await sleep(task.workMs);
        const content = [{ path: `out/${standing.action.step}.md`, text: `${standing.action.step} ${standing.action.id}\n` }];
        await report(context, caller, { run, action: standing.action.id, result: { summary: "Done.", content } });
        say({ said: "reported", step: standing.action.step });
        done += 1;
      } else if (standing.kind === "question") {
        const said = standing.decision.kind === "lost" ? "retry" : "done";
        await answer(context, person, { run, decision: standing.decision.id, answer: said, relayed: false });
      }
      position = await next(context, caller, { run, waitMs });
      if (position.standing.kind === "ended") position = await come();
    } catch (error) {
      passing(error);
      // Two windows that take a bot from each other without a pause could go on like that for ever.
      await sleep(Math.random() * 40);
      position = await come();
    }
  }
  say({ said: "ended", count: task.actions ?? 0 });
}

/** Another window that only calls the action outside of the sequence. */
async function beside(): Promise<void> {
  const own: Caller = engine.caller("beside");
  for (let done = 0; done < (task.actions ?? 1);) {
    try {
      const handle = await context.runs.open((await runOf()) ?? "");
      await context.runs.refresh(handle);
      const position = await callIndependent(own);
      if (position.standing.kind === "question")
        throw new Error(`Asked about \`${position.standing.decision.step}\`, which nobody answers.`);
      if (position.standing.kind !== "action") continue;
      await sleep(task.workMs);
      await progress(context, own, {
        run: position.run,
        task: position.strand,
        action: position.standing.action.id,
        result: { summary: "Corrected." },
      }).catch(passing);
      done += 1;
    } catch (error) {
      passing(error);
      await sleep(10);
    }
  }
  say({ said: "ended", count: task.actions ?? 0 });
}

/** The main strand is the other window's: only the strand beside it is taken. */
async function callIndependent(own: Caller): Promise<Position> {
  return callBot(context, own, { bot: task.bot, behaviour: "shape", action: "correct" }, { waitMs });
}

say({ said: "begun" });
if (task.what === "beside") await beside();
else {
  const position = await look();
  if (task.what === "walk") await walk(position);
}
// A window that is closed gives back what it held; one that is killed is waited for until its lease is over.
await context.holding.release(caller.leaseOwner);
await engine.close();
