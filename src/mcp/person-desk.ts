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
export interface AskedQuestion {
  readonly run: string;
  readonly decision: string;
  readonly revision: number;
}

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
    ask: async (question) =>
      askFor(question, await seal.mint({ run: question.run, decision: question.decision, revision: question.revision }, ctx)),
  };
}

/** Only a reply that carries this server's own seal counts; it was opened before the call got here. */
function replyOf(ctx: ServerContext): PersonReply | undefined {
  const asked = ctx.mcpReq.requestState<AskedQuestion>();
  const reply = inputResponse(ctx.mcpReq.inputResponses, inputKey);
  if (reply.kind !== "elicit" || !isObject(asked)) return undefined;
  return {
    action: reply.action,
    answer: (reply.content?.[inputKey] ?? null) as Json,
    run: asked.run,
    decision: asked.decision,
    revision: asked.revision,
  };
}

function askFor(question: PersonQuestion, requestState: string): InputRequiredResult {
  const options = question.options;
  const answer =
    options.length === 0
      ? { type: "string" as const, title: "Answer" }
      : {
          type: "string" as const,
          title: "Answer",
          oneOf: options.map((option) => ({ const: option.value, title: option.label ?? option.value })),
        };
  const message = `${cutText(question.text, longestQuestion)}\n(run ${question.run}, question ${question.decision})`;
  return inputRequired({
    inputRequests: {
      [inputKey]: inputRequired.elicit({
        message,
        requestedSchema: { type: "object", properties: { [inputKey]: answer }, required: [inputKey] },
      }),
    },
    requestState,
  });
}
