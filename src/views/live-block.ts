import { counted, grouped, shortenMiddle } from "../base/index.ts";
import type { RunStatus } from "../kernel/index.ts";
import type { Done } from "./item-counts.ts";
import { inOneLine } from "./run-lines.ts";

/** An agent or a person that works on an open action. */
export interface LiveAgent {
  readonly agent: string;
  /** The number of the worker that drives it, where one runner has several. */
  readonly worker?: number;
  /** The sub-agent task that it is in. */
  readonly task?: string;
  readonly step: string;
  /** The tool that it uses now, and on what. */
  readonly doing?: string;
  /** When it began what it does now. */
  readonly since: number;
}

/** What the turns of agents in a run have used together, as far as they say so. */
export interface AgentUse {
  readonly tokens?: number;
  readonly costUsd?: number;
}

/** What a run that is being watched looks like now. Times are in milliseconds. */
export interface LiveFacts extends Done {
  readonly run: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly standing: string;
  readonly label?: string;
  readonly agents: readonly LiveAgent[];
  readonly used: AgentUse;
  /** What waits for a person, and the command that answers it. */
  readonly questions: readonly { readonly text: string; readonly command: string }[];
  readonly startedAt: number;
}

const mostLines = 6;

/** The fewest characters of a task that are shown. */
const shortestTask = 8;

/** The room on a terminal. Lines may be longer than it is wide: only what would hide the rest of them is cut. */
interface Room {
  readonly rows?: number;
  readonly columns?: number;
}

/**
 * A run in at most six lines, or one for each of several workers, and no more than there are rows: what a person is asked stays before
 * all others, then the run, its agents, and what they used.
 */
export function liveBlock(facts: LiveFacts, now: number, { rows = Infinity, columns = Infinity }: Room = {}): readonly string[] {
  const { workflow, run, status, used, startedAt } = facts;
  const asked = questionLines(facts).slice(0, rows);
  const least = Math.min(1, facts.agents.length);
  const head = [`${status} ${durationText(now - startedAt)}: ${workflow} (${run})`, placeLine(facts)];
  const above = head.slice(0, Math.max(0, rows - asked.length - least));
  const left = rows - asked.length - above.length;
  const usage = [usageText(used)].filter((text) => text !== "" && left > least);
  const workers = facts.agents.filter(({ worker }) => worker !== undefined).length;
  const room = Math.max(mostLines - above.length - asked.length - usage.length, workers);
  return [...above, ...agentLines(facts.agents, Math.min(room, left - usage.length), { now, columns }), ...asked, ...usage];
}

/** The lines of the block that say what happens, without times and counts that change all the while. */
export function liveChanges(facts: LiveFacts): readonly string[] {
  return [placeLine(facts), ...facts.agents.map((agent) => agentLine(agent)), ...questionLines(facts)];
}

/** `12,345 tokens, $0.42`; empty when nothing is known. */
export function usageText({ tokens = 0, costUsd = 0 }: AgentUse): string {
  return [...(tokens > 0 ? [counted(tokens, "token")] : []), ...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : [])].join(", ");
}

function placeLine({ label, standing, done, total, counts }: LiveFacts): string {
  const place = label === undefined ? standing : `${label}: ${standing}`;
  // Steps are numbered in the label.
  return total === 0 || counts === "steps" ? place : `${place}, ${grouped(done)} of ${counted(total, "item")}`;
}

interface Shown {
  readonly now: number;
  readonly columns: number;
}

function agentLines(agents: readonly LiveAgent[], room: number, how: Shown): readonly string[] {
  if (agents.length <= room) return agents.map((agent) => agentLine(agent, how));
  if (room <= 0) return [];
  const shown = agents.slice(0, room - 1).map((agent) => agentLine(agent, how));
  const rest = agents.length - shown.length;
  return [...shown, shown.length === 0 ? `${counted(rest, "agent")} at work` : `and ${counted(rest, "more agent")}`];
}

/** Who says or does something: an agent, and its worker where there are several. */
export function workerText(agent: string, worker: number | undefined): string {
  return worker === undefined ? agent : `worker ${worker}, ${agent}`;
}

function agentLine({ agent, worker, task, step, doing, since }: LiveAgent, how?: Shown): string {
  const who = workerText(agent, worker);
  // In front of what may be cut at the edge of a terminal.
  const time = how === undefined ? "" : ` ${durationText(how.now - since)}`;
  const does = `${time}: ${doing ?? step}`;
  if (task === undefined) return `${who}${does}`;
  const left = (how?.columns ?? Infinity) - who.length - does.length - " ()".length;
  return `${who} (${shortenMiddle(task, Math.max(shortestTask, left))})${does}`;
}

/** The oldest question; the others are counted. */
function questionLines({ questions: [first, ...others] }: LiveFacts): readonly string[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` (and ${counted(others.length, "more question")})`;
  return [`? ${inOneLine(first.text)}${more}`, `→ ${first.command}`];
}

/** `42 s`, `3 min 12 s`, `2 h 5 min`. */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
