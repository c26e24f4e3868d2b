import type { DialectTools } from "../../../mcp/index.ts";
import { botPart } from "./bot-arguments.ts";

/** Bots: tools that are made from their folders. */
export const botTools: DialectTools = {
  dialect: "bots",
  toolsets: [
    { name: "bots", adds: "The tools of the bots found on disk: one per bot, behaviour and action, and one to close the current action." },
    { name: "bots-compact", adds: "The same with three tools per bot." },
  ],
  made: async (engine, toolsets) => {
    const mode = ["bots", "all"].some((name) => toolsets.includes(name)) ? "bots" : "bots-compact";
    if (mode !== "bots" && !toolsets.includes(mode)) return [];
    return (await import("./generate-tools.ts")).generateTools(engine, mode);
  },
  values: { [botPart]: async (call, position) => (await (await import("./bot-reply.ts")).viewOf(call, position))?.data },
};
