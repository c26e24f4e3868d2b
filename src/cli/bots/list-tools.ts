import { listBots, type EngineContext, type ListedBot } from "../../engine/index.ts";
import { counted, didYouMean, exitCodes, failure, type Session } from "../index.ts";

/** Lists the tools that are made from the bots on disk: the same as a server with the toolset `bots` offers. */
export async function listTools(session: Session, context: EngineContext, name: string | undefined, compact: boolean): Promise<number> {
  const { out } = session;
  const all = await listBots(context);
  const chosen = name === undefined ? all : all.filter((bot) => bot.name === name);
  if (name !== undefined && chosen.length === 0)
    throw failure(
      "CLI_BAD_VALUE",
      `There is no bot \`${name}\` here.${didYouMean(
        name,
        all.map((bot) => bot.name),
      )}`,
      "A bot is a folder with `bot_config.json` below a workflows folder.",
    );
  out.document({ bots: chosen.map((bot) => documentOf(bot, compact)) });
  if (chosen.length === 0) out.line("There are no bots here: a bot is a folder with `bot_config.json` below a workflows folder.");
  for (const bot of chosen) showTools(session, bot, compact);
  return chosen.some((bot) => bot.tools === undefined) ? exitCodes.failed : exitCodes.done;
}

function toolsOf({ tools }: ListedBot, compact: boolean): NonNullable<ListedBot["tools"]>["full"] {
  return (compact ? tools?.compact : tools?.full) ?? [];
}

function documentOf(bot: ListedBot, compact: boolean): object {
  return {
    bot: bot.name,
    path: bot.path,
    source: bot.source,
    problems: bot.problems,
    tools: toolsOf(bot, compact).map(({ inputSchema, behaviour, ...tool }) => ({
      ...tool,
      behavior: behaviour,
      input_schema: inputSchema,
    })),
  };
}

function showTools({ out }: Session, bot: ListedBot, compact: boolean): void {
  const tools = toolsOf(bot, compact);
  if (bot.tools === undefined) {
    out.line(`${out.paint("red", "✗")} ${bot.name} has ${counted(bot.problems, "error")} and gets no tools: waymark validate ${bot.name}`);
    return;
  }
  out.line(`${out.paint("bold", bot.name)}  ${counted(tools.length, "tool")}  ${out.paint("dim", bot.path)}`);
  out.table(
    ["TOOL", "DOES"],
    tools.map((tool) => [tool.name, tool.description]),
    "  ",
  );
}
