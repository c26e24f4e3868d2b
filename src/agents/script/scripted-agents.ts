import type { AgentInfo, Agents } from "../../ports/index.ts";
import type { AgentTime } from "../stream-turn.ts";
import { openScript, type ScriptSource } from "./script-provider.ts";

/** Agents that are all one script, whatever a workflow calls them: nothing is started. Throws `AGENTS_SCRIPT`. */
export async function scriptedAgents(source: ScriptSource, time: AgentTime): Promise<Agents> {
  const provider = await openScript("script", source, time);
  return {
    list: () => Promise.resolve([infoOf(provider.id)]),
    resolve: (name) => Promise.resolve(infoOf(name)),
    open: () => Promise.resolve(provider),
    probe: () => Promise.resolve({ answers: true, modes: [], models: [] }),
  };
}

function infoOf(name: string): AgentInfo {
  return {
    name,
    title: "Script",
    from: "user",
    protocol: "script",
    command: [],
    found: true,
    modes: {},
    account: name,
    permission: "edit",
    resume: "resume",
    tried: false,
  };
}
