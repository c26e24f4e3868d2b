import { counted } from "../../../base/index.ts";
import { listBots, type ListedBot } from "../run/index.ts";
import type { BotTools } from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { badValue, didYouMean, exitCodes, type Session } from "../../../cli/index.ts";

const whatItIs = "a folder with `bot_config.json` below a workflows folder.";

/** Lists the tools that are made from the bots on disk: the same as a server with the toolset `bots` offers. */
export async function listTools(session: Session, context: EngineContext, name: string | undefined, compact: boolean): Promise<number> {
  const { out } = session;
  const all = await listBots(context);
  const chosen = name === undefined ? all : all.filter((bot) => bot.name === name);
  const known = all.map((bot) => bot.name);
  if (name !== undefined && chosen.length === 0)
    throw badValue(`There is no bot \`${name}\` here.${didYouMean(name, known)}`, `A bot is ${whatItIs}`);
  const toolsOf = ({ tools }: ListedBot): BotTools["full"] => (compact ? tools?.compact : tools?.full) ?? [];
  out.document({
    bots: chosen.map((bot) => ({
      bot: bot.name,
      path: bot.path,
      source: bot.source,
      problems: bot.problems,
      tools: toolsOf(bot).map(({ inputSchema, behaviour, ...tool }) => ({ ...tool, behavior: behaviour, input_schema: inputSchema })),
    })),
  });
  if (chosen.length === 0) out.line(`There are no bots here: a bot is ${whatItIs}`);
  for (const bot of chosen) {
    const tools = toolsOf(bot);
    if (bot.tools === undefined)
      out.advice(
        `${out.paint("red", "✗")} ${bot.name} has ${counted(bot.problems, "error")} and gets no tools: waymark validate ${bot.name}`,
      );
    else {
      out.line(`${out.paint("bold", bot.name)}  ${counted(tools.length, "tool")}  ${out.paint("dim", bot.path)}`);
      const rows = tools.map((tool) => [tool.name, tool.description]);
      out.table(["TOOL", "DOES"], rows, "  ");
    }
  }
  return chosen.some((bot) => bot.tools === undefined) ? exitCodes.failed : exitCodes.done;
}
