import { asSentence, endOf, isWaymarkError, shellWord, WaymarkError } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { readFindings } from "../../../findings/index.ts";
import type { CommandClaim, CommandOutcome, Finding } from "../../../ports/index.ts";
import type { ToolDefinition } from "../definition/index.ts";

/** What a look with tools needs of the engine. */
export type ToolEngine = Pick<EngineContext, "host" | "settings" | "workspace">;

/** One look of one tool: at everything, or at one file. */
export interface ToolLook {
  readonly tool: ToolDefinition;
  /** Relative to the workspace; without it the tool looks at all files. */
  readonly file?: string;
  /** Whether a finding in this file counts: it is one of the run's. */
  readonly counts: (path: string) => boolean;
  readonly signal?: AbortSignal;
  readonly claim?: CommandClaim;
}

/** What a tool said, in numbers: nothing that it reported is left out of them. Reports of the same thing count once. */
export interface ToolCounts {
  readonly tool: string;
  readonly found: number;
  /** Settled by the team, in the file or in the tool. */
  readonly suppressed: number;
  /** In files that the run does not work on, or cannot read, and on lines that it is not about. */
  readonly outside: number;
  /** About no file. */
  readonly without_place: number;
}

export interface ToolFound {
  /** By path. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly counts: ToolCounts;
}

/** Runs a tool and reads what it reports; undefined when it was stopped. Throws CHECKLIST_TOOL_BROKEN when its output says nothing certain. */
export async function runTool({ host, settings, workspace }: ToolEngine, look: ToolLook): Promise<ToolFound | undefined> {
  const { tool, file, counts, signal, claim } = look;
  const command = file === undefined ? tool.command : lineFor(tool, file);
  const outcome = await host.commands.run({
    command,
    cwd: host.workspace,
    timeoutMs: settings.commandTimeoutMs,
    keepBytes: settings.commandOutputBytes,
    ...(signal === undefined ? {} : { signal }),
    ...(claim === undefined ? {} : { claim }),
  });
  if (outcome.ended === "cancelled") return undefined;
  const ended = howItEnded(outcome);
  if (ended !== undefined) throw broken(tool, command, outcome, ended);
  const isOfTool = await workspace.matcher(tool.files ?? ["**/*"]);
  const sorting = new Sorting(tool.id, (path) => counts(path) && isOfTool(path) && (file === undefined || path === file));
  const { format, pattern } = tool;
  try {
    const reading = { tool: tool.id, format, workspace: host.workspace, ...(pattern === undefined ? {} : { pattern }) };
    for await (const finding of readFindings(host.commands.read(outcome.stdout), reading))
      sorting.add(tool.secrets === true ? { ...finding, secret: true } : finding);
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    throw broken(tool, command, outcome, `${exitOf(outcome)}.`, asSentence(error.message));
  }
  if (format === "lines" && outcome.exitCode !== 0 && sorting.seen === 0)
    throw broken(tool, command, outcome, `${exitOf(outcome)}.`, "No line that it printed fits its `pattern`.");
  return { findings: sorting.findings, counts: sorting.total() };
}

/** The line that looks at one file. */
export function lineFor({ command, perFile }: ToolDefinition, file: string): string {
  // A name that begins with a dash would be an option.
  return perFile === undefined ? command : `${perFile.before}${shellWord(file.startsWith("-") ? `./${file}` : file)}${perFile.after}`;
}

type Said = ReturnType<typeof readFindings> extends AsyncGenerator<infer Each> ? Each : never;

/** Sorts what a tool reports into files, as it comes. */
class Sorting {
  readonly findings = new Map<string, Finding[]>();
  readonly #tool: string;
  readonly #counts: (path: string) => boolean;
  readonly #known = new Set<string>();
  #suppressed = 0;
  #outside = 0;
  #withoutPlace = 0;
  #found = 0;

  constructor(tool: string, counts: (path: string) => boolean) {
    this.#tool = tool;
    this.#counts = counts;
  }

  get seen(): number {
    return this.#known.size;
  }

  add(said: Said): void {
    const { rule, message, suppressed } = said;
    const place = "unplaced" in said ? [said.unplaced, said.named] : [said.path, said.region];
    const key = JSON.stringify([...place, rule, message]);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    if ("unplaced" in said && said.unplaced === "no_file") this.#withoutPlace += 1;
    else if ("unplaced" in said || !this.#counts(said.path)) this.#outside += 1;
    else {
      if (suppressed === undefined) this.#found += 1;
      else this.#suppressed += 1;
      const held = this.findings.get(said.path);
      if (held === undefined) this.findings.set(said.path, [said]);
      else held.push(said);
    }
  }

  total(): ToolCounts {
    return {
      tool: this.#tool,
      found: this.#found,
      suppressed: this.#suppressed,
      outside: this.#outside,
      without_place: this.#withoutPlace,
    };
  }
}

/** Why nothing can be said whatever it printed; undefined when it ran to its own end. */
function howItEnded({ ended, exitCode, signal, problem, ms }: CommandOutcome): string | undefined {
  if (ended === "not_started") return `could not be started: ${asSentence(problem ?? "the reason is not known")}`;
  if (ended === "timeout") return `was stopped after ${Math.round(ms / 1000)} s, the time that commands have.`;
  return exitCode === null ? `was ended by ${signal ?? "a signal"}.` : undefined;
}

function exitOf({ exitCode }: CommandOutcome): string {
  return `ended with exit code ${exitCode ?? "unknown"}`;
}

const toldOfErrors = 300;

/** What matters comes first, because replies cut long reasons: which command, how it ended, and what it says itself. */
function broken(
  { id }: ToolDefinition,
  command: string,
  { stderr, stdout }: CommandOutcome,
  ...[ended, unread = ""]: readonly string[]
): WaymarkError {
  const [name, said] = stderr.trim() === "" ? ["output", stdout.text.trim()] : ["error output", stderr.trim()];
  const tail = said === "" ? " It printed nothing." : ` Its ${name} ends with: ${endOf(said, toldOfErrors)}`;
  return new WaymarkError({
    code: "CHECKLIST_TOOL_BROKEN",
    message: asSentence(`The tool \`${id}\` failed: \`${command}\` ${ended}${tail}`) + (unread === "" ? "" : ` ${unread}`),
    fix: "Run the command yourself and repair what it complains of; then retry.",
  });
}
