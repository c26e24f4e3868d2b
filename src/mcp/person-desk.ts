import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isObject, type Json } from "../base/index.ts";
import { cutText } from "./reply-text.ts";
import type { PersonDesk, PersonQuestion, PersonReply } from "./tool.ts";

/** Which question was sent; signed, because it comes back through the client. */
type AskedQuestion = Pick<PersonQuestion, "run" | "decision" | "revision">;

/** Seals and opens the note that travels with a question. A note of another process, or an old one, is refused. */
export function createQuestionSeal(key: Uint8Array): RequestStateCodec<AskedQuestion> {
  return createRequestStateCodec<AskedQuestion>({ key });
}

const inputKey = "answer";
const longestQuestion = 4000;

/** The client's user, as far as this request can reach them. */
export function personDesk(ctx: ServerContext, canAsk: boolean, seal: RequestStateCodec<AskedQuestion>): PersonDesk {
  return {
    canAsk,
    reply: replyOf(ctx),
    ask: async ({ text, options, ...asked }) => askFor({ text, options, ...asked }, await seal.mint(asked, ctx)),
  };
}

/** Only a reply that carries this server's own seal counts; it was opened before the call got here. */
function replyOf(ctx: ServerContext): PersonReply | undefined {
  const asked = ctx.mcpReq.requestState<AskedQuestion>();
  const reply = inputResponse(ctx.mcpReq.inputResponses, inputKey);
  if (reply.kind !== "elicit" || !isObject(asked)) return undefined;
  const { run, decision, revision } = asked;
  return { action: reply.action, answer: (reply.content?.[inputKey] ?? null) as Json, run, decision, revision };
}

function askFor({ run, decision, text, options }: PersonQuestion, requestState: string): InputRequiredResult {
  const choices = options.map(({ value, label = value }) => ({ const: value, title: label }));
  const plain = { type: "string" as const, title: "Answer" };
  const properties = { [inputKey]: choices.length === 0 ? plain : { ...plain, oneOf: choices } };
  const message = `${cutText(text, longestQuestion)}\n(run ${run}, question ${decision})`;
  const asking = inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [inputKey] } });
  return inputRequired({ inputRequests: { [inputKey]: asking }, requestState });
}
