import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Json } from "../base/index.ts";
import type { AgentEvent, AgentProvider, Turn } from "../ports/index.ts";
import { hide } from "./mask-variables.ts";
import { messageOf } from "./stream-turn.ts";

/**
 * The same agent, with every message of its wire added to a file, one JSON a line. Tokens of the servers that it is given are hidden. A file that
 * cannot be written is a notice of the turn.
 */
export function keepWire(provider: AgentProvider, file: string, now: () => number): AgentProvider {
  let writing: Promise<void> = mkdir(dirname(file), { recursive: true, mode: 0o700 }).then(() => undefined);
  const run = async function* (turn: Turn): AsyncGenerator<AgentEvent, void, undefined> {
    const tokens = (turn.mcp ?? []).flatMap(({ headers = {} }) => Object.values(headers));
    const onRaw: NonNullable<Turn["onRaw"]> = (direction, message) => {
      const line = JSON.stringify({ at: new Date(now()).toISOString(), direction, message: hide(message as Json, tokens) });
      writing = writing.then(() => appendFile(file, `${line}\n`, { mode: 0o600 }));
      // Looked at when the turn ends.
      writing.catch(() => undefined);
      turn.onRaw?.(direction, message);
    };
    for await (const event of provider.run({ ...turn, onRaw })) {
      if (event.type === "result") {
        const problem = await writing.then(
          () => undefined,
          (cause: unknown) => messageOf(cause),
        );
        if (problem !== undefined) yield { type: "notice", level: "warn", text: `The wire could not be written to ${file}: ${problem}` };
      }
      yield event;
    }
  };
  return {
    id: provider.id,
    run,
    close: async () => {
      await provider.close();
      await writing.catch(() => undefined);
    },
  };
}
