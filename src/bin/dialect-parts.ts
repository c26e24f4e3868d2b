import type { DialectCommands, StatusBarChanges } from "../cli/index.ts";
import * as list from "../dialects/index.ts";
import type { DialectEntry } from "../dialects/index.ts";
import type { EngineContext, EngineParts } from "../engine/index.ts";
import type { DialectTools } from "../mcp/index.ts";
import type { WorkflowPlace } from "../ports/index.ts";
import type { Dialect } from "../source/index.ts";

const entries: readonly DialectEntry[] = Object.values(list);

/** The definitions of all dialects; loaded with the first workflow. */
export async function loadDialects(): Promise<readonly Dialect[]> {
  return Promise.all(entries.map(({ definition }) => definition()));
}

/** Where workflows of all of them are found. */
export async function workflowPlaces(): Promise<readonly WorkflowPlace[]> {
  return (await loadDialects()).flatMap(({ places }) => places);
}

/** All dialects, as the engine takes them. */
export const engineDialects: Pick<EngineParts, "dialects" | "runtimes"> = {
  dialects: loadDialects,
  runtimes: Object.fromEntries(entries.flatMap(({ name, runtime }) => (runtime === undefined ? [] : [[name, runtime] as const]))),
};

/** What each dialect adds to the MCP server; loaded when one is started. */
export async function loadDialectTools(): Promise<readonly DialectTools[]> {
  return Promise.all(entries.map(async ({ name, codes, tools }) => ({ dialect: name, codes, ...(await tools?.()) })));
}

/** Dialects whose runs keep a log. */
export const dialectsWithLog: ReadonlySet<string> = new Set(entries.flatMap(({ name, log }) => (log === undefined ? [] : [name])));

/** How the log of a run of a dialect is made, loaded when it is asked for; undefined when its runs have none. */
export function runLogOf(dialect: string): DialectEntry["log"] {
  return entries.find(({ name }) => name === dialect)?.log;
}

/** What each dialect adds to the command line. */
export const dialectCommands: readonly DialectCommands[] = entries.flatMap(({ commands }) => commands ?? []);

/** Who has something to show status bars about a run. */
export function loadStatusBars(engine: EngineContext): Promise<readonly StatusBarChanges[]> {
  return Promise.all(dialectCommands.flatMap(({ statusBar }) => statusBar?.(engine) ?? []));
}

export { entries as dialectEntries };
