import {
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isObject, visibleText, type Json } from "../base/index.ts";
import type { EngineContext, NextRequest } from "../engine/index.ts";
import { fitsForm, workingText } from "../views/index.ts";
import type { AskedQuestion, PersonDesk, PersonQuestion, PersonReply } from "./tool.ts";

const inputKey = "answer";
const reasonKey = "reason";

/** The client's user, as far as this request can reach them. */
export function personDesk(ctx: ServerContext, canAsk: boolean, seal: RequestStateCodec<AskedQuestion>): PersonDesk {
  return {
    canAsk: (question) => canAsk && fitsForm(question),
    reply: replyOf(ctx),
    ask: async ({ text, options, reasons = false, ...asked }) => askFor({ text, options, reasons, ...asked }, await seal.mint(asked, ctx)),
  };
}

/** Only a reply that carries this server's own seal counts; it was opened before the call got here. */
function replyOf(ctx: ServerContext): PersonReply | undefined {
  const asked = ctx.mcpReq.requestState<AskedQuestion>();
  const reply = inputResponse(ctx.mcpReq.inputResponses, inputKey);
  if (reply.kind !== "elicit" || !isObject(asked)) return undefined;
  const { run, decision, revision } = asked;
  const reason = reply.content?.[reasonKey];
  const why = typeof reason === "string" && reason.trim() !== "" ? { reason: reason.trim() } : {};
  return { action: reply.action, answer: (reply.content?.[inputKey] ?? null) as Json, run, decision, revision, ...why };
}

function askFor({ run, decision, text, options, reasons = false }: PersonQuestion, requestState: string): InputRequiredResult {
  const choices = options.map(({ value, label = value }) => ({ const: value, title: visibleText(label) }));
  const plain = { type: "string" as const, title: "Answer" };
  const properties = {
    [inputKey]: choices.length === 0 ? plain : { ...plain, oneOf: choices },
    ...(reasons ? { [reasonKey]: { type: "string" as const, title: "Why (optional)" } } : {}),
  };
  const message = `${visibleText(text)}\n(run ${run}, question ${decision})`;
  const asking = inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [inputKey] } });
  return inputRequired({ inputRequests: { [inputKey]: asking }, requestState });
}

/** At least so long between two notifications about the same thing. */
const pauseMs = 2000;

/** Sends a line to a waiting client. */
type Tell = (message: string) => void;

/** Numbers always grow; a lost message costs nothing. */
export function progressTeller(ctx: ServerContext, token: string | number, host: EngineContext["host"]): Tell {
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
export function progressSender(tell: Tell): NonNullable<NextRequest["onProgress"]> {
  return (standing) =>
    tell(standing.kind === "working" ? `The engine is ${workingText(standing).replaceAll("`", "")}.` : "Waiting for open tasks.");
}
