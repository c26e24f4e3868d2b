import type { ServerContext } from "@modelcontextprotocol/server";
import type { EngineContext, NextRequest } from "../engine/index.ts";

/** At least so long between two notifications about the same thing. */
const pauseMs = 2000;

/** Sends a line to a waiting client; undefined when the client did not ask for progress. */
export type Tell = (message: string) => void;

/** Numbers always grow; a lost message costs nothing. */
export function progressTeller(ctx: ServerContext, host: EngineContext["host"]): Tell | undefined {
  const token = ctx.mcpReq._meta?.progressToken;
  if (token === undefined) return undefined;
  let progress = 0;
  let said = "";
  let at = 0;
  return (message) => {
    const now = Date.now();
    if (ctx.mcpReq.signal.aborted || (message === said && now - at < pauseMs)) return;
    said = message;
    at = now;
    progress += 1;
    ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress, message } }).catch((error: unknown) => {
      host.log("debug", "A progress notification could not be sent.", { error: String(error) });
    });
  };
}

/** Tells a waiting client in words what the engine is doing. */
export function progressSender(tell: Tell | undefined): NonNullable<NextRequest["onProgress"]> {
  return (standing) => tell?.(standing.kind === "working" ? `The engine is working on ${standing.on}.` : "Waiting for open tasks.");
}
