import { defined } from "../base/index.ts";
import { talkToAgent } from "../runner/index.ts";
import { whereIs, type Desk } from "./desk.ts";
import type { Reply } from "./reply.ts";
import { toolLine } from "./tool-line.ts";

/**
 * Gives a prompt to the agent of the chat, in the session of the conversation, and answers what it says as it comes. It may read and nothing else. Calls
 * of tools are shown beside.
 */
export async function* talk(desk: Desk, agent: string, prompt: string, reply: Reply): AsyncGenerator<string, void, undefined> {
  const { parts, place } = desk;
  const { conversations } = parts;
  const { folder, engine } = await whereIs(desk);
  const { conversation } = place;
  const held = await conversations.activeSession(conversation);
  const session = held?.agent === agent ? held.session : undefined;
  const request = {
    agents: engine.parts.agents,
    agent,
    folder,
    prompt,
    signal: parts.cancel ?? new AbortController().signal,
    ...defined({ session, idleMs: engine.usual.idleMs }),
  };
  for await (const event of talkToAgent(request)) {
    if (event.type === "text") yield event.text;
    else if (event.type === "tool") reply.tool(toolLine(event.name, event.input));
    else if (event.session !== undefined && (await conversations.activeSession(conversation))?.session === held?.session)
      // A conversation that was ended meanwhile stays so.
      await conversations.keepSession({ conversation, agent, session: event.session });
  }
}
