import { runs, type EngineContext, type RunOverview } from "../engine/index.ts";
import { failure } from "./codes.ts";
import { commandName, takesRuns, type CommandSpec, type Given } from "./define-command.ts";
import { quoted } from "./printed-lines.ts";
import type { Session } from "./session.ts";

type Named = Pick<Given, "args" | "leftOut">;

/**
 * The arguments of a command with the ids of the runs that they name. A run is named by its id, its uuid or any part of the id that no other
 * run has; where the command allows it, the only open run is meant when none is named. Which one that is, is said on stderr. Refuses a part that several runs have.
 */
export async function nameRuns(session: Session, spec: CommandSpec, args: readonly string[], options: Given["options"]): Promise<Named> {
  const takes = takesRuns(spec);
  if (takes === undefined) return { args };
  const [first, ...rest] = args;
  const isLeftOut = first === undefined && mayLeaveOut(spec, args, options);
  // Opening the engine only to find what was typed in full would take time at every command.
  const named = takes === "several" ? args : args.slice(0, 1);
  if (!isLeftOut && named.every((name) => name === "" || isWholeId(name))) return { args };
  const found = await session.withEngine(async (context): Promise<Named> => {
    if (isLeftOut) return { args: [await onlyRun(context, spec)], leftOut: true };
    const ids = await Promise.all(
      named.map((name) => runNamed(context, commandName(spec), name, spec.beforeText === true ? leastBeforeText : 1)),
    );
    if (takes === "several") return { args: ids.map((id, at) => id ?? named[at] ?? "") };
    const [id] = ids;
    if (id !== undefined) return { args: [id, ...rest] };
    if (!mayLeaveOut(spec, args, options)) return { args };
    return { args: [await onlyRun(context, spec, first), ...args], leftOut: true };
  });
  const [run = ""] = found.args;
  if (takes !== "several" && run !== first && !session.out.json) session.out.aside(`Run ${run}`);
  return found;
}

function mayLeaveOut({ onlyRun: allowed }: CommandSpec, args: readonly string[], options: Given["options"]): boolean {
  return typeof allowed === "function" ? allowed(args, options) : allowed === true && args.length === 0;
}

/** `wf-<workflow>-<day>-<six characters>`, as ids are made. */
function isWholeId(name: string): boolean {
  return /^wf-.+-\d{4}-\d\d-\d\d-[0-9a-z]{6}$/.test(name);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Characters that a part has at least where it could be a word of a text: `a` and `use` are parts of many ids. */
const leastBeforeText = 4;

/** The one run that has this id, or this part of one with `least` characters; undefined when none has. Refused when several have: `command` then takes one of them. */
export async function runNamed(context: EngineContext, command: string, name: string, least = 1): Promise<string | undefined> {
  if (name === "") return undefined;
  if ((await context.store.readRun(name)) !== undefined) return name;
  if (uuid.test(name)) return context.runs.idOf(name);
  const part = name.toLowerCase();
  if (part.length < least) return undefined;
  const found: RunOverview[] = [];
  for await (const run of allRuns(context)) if (run.id.toLowerCase().includes(part)) found.push(run);
  const [only, other] = found;
  if (only === undefined || other === undefined) return only?.id;
  throw several(found, `\`${name}\` is a part of the ids of ${found.length} runs`, command);
}

const perRead = 500;

async function* allRuns(context: EngineContext): AsyncGenerator<RunOverview> {
  for (let after: string | undefined; ;) {
    const rows = await runs(context, { limit: perRead, ...(after === undefined ? {} : { after }) });
    yield* rows;
    if (rows.length < perRead) return;
    after = rows.at(-1)?.id;
  }
}

/** The only open run; where there is none, the only one that `retry` could take up again. `given`: what was typed and names no run. */
async function onlyRun(context: EngineContext, spec: CommandSpec, given?: string): Promise<string> {
  const what = given === undefined ? "" : `\`${given}\` names no run, and `;
  for (const status of spec.alsoFailed === true ? (["running", "failed"] as const) : (["running"] as const)) {
    const found = await runs(context, { status: [status], limit: perRead });
    const [only, other] = found;
    if (only !== undefined && other === undefined) return only.id;
    if (only === undefined) continue;
    const many = found.length === perRead ? `${perRead} or more` : String(found.length);
    throw several(found, `${what}${many} runs ${status === "running" ? "are open in this workspace" : "have failed"}`, commandName(spec));
  }
  const [newest] = await runs(context, { limit: 1 });
  const none = what === "" ? "No run is open in this workspace." : `${what}no run is open in this workspace.`;
  if (newest === undefined || spec.ofEnded !== true)
    throw failure("CLI_WHICH_RUN", `${none} Nothing was changed.`, "Start one: waymark start <workflow>");
  throw failure("CLI_WHICH_RUN", none, `Name one that has ended, such as the newest: ${lineOf(commandName(spec), newest.id)}`);
}

const shownRuns = 10;

function several(found: readonly RunOverview[], what: string, command: string): Error {
  const shown = found.slice(0, shownRuns).map(({ id, workflow, status }) => `\`${id}\` (${status === "running" ? workflow : status})`);
  const more = found.length > shownRuns ? ` and ${found.length - shownRuns} more` : "";
  const [first] = found;
  return failure(
    "CLI_WHICH_RUN",
    `${what}: ${shown.join(", ")}${more}. Nothing was changed.`,
    `Name the one that you mean: ${lineOf(command, first?.id ?? "")}`,
  );
}

function lineOf(command: string, run: string): string {
  return `waymark ${command} ${quoted(run)}`;
}
