import type { BotDefinition, BotTools } from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";

/** A bot as it lies on disk now. */
export interface ListedBot {
  readonly name: string;
  readonly path: string;
  readonly source: string;
  /** Absent when there are errors. */
  readonly definition?: BotDefinition;
  readonly tools?: BotTools;
  readonly problems: number;
}

/** All bots that can be called, by name; one that is shadowed by another of its name is left out. */
export async function listBots({ catalog }: EngineContext): Promise<readonly ListedBot[]> {
  const { botToolNames, recogniseBot } = await import("../definition/index.ts");
  const listed = (await catalog.list()).filter((entry) => !entry.shadowed && recogniseBot(entry.path) !== undefined);
  const bots: ListedBot[] = [];
  for (const { name, path, source } of listed) {
    const { program, diagnostics } = await catalog.load(name);
    const definition = program?.parts[program.main]?.config["bot"] as unknown as BotDefinition | undefined;
    const problems = diagnostics.filter((problem) => problem.severity === "error").length;
    bots.push({ name, path, source, problems, ...(definition === undefined ? {} : { definition, tools: botToolNames(definition) }) });
  }
  return bots;
}
