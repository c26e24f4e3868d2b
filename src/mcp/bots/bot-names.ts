import type { ListedBot } from "../../dialects/bots/run/index.ts";

/** What the tools of one bot call each other. */
export interface BotNames {
  readonly bot: string;
  readonly botTool: string;
  readonly closeTool: string;
}

type BotTools = NonNullable<ListedBot["tools"]>;
export type BotTool = BotTools["full"][number];

export function namesOf(bot: string, tools: readonly BotTool[]): BotNames {
  const named = (kind: BotTool["kind"]): string => tools.find((tool) => tool.kind === kind)?.name ?? "";
  return { bot, botTool: named("bot"), closeTool: named("close") };
}
