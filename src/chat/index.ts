/**
 * Conversations with people on any platform: takes their messages, starts and shows runs, passes on answers. Never knows a protocol of a platform, a database,
 * or what an agent is started with; adapters are behind `Platform`. Begin at `create-chat.ts`, then `follow-run.ts`; record 030 says what a crash leaves.
 */
export type { Chat, ChatEngine, ChatParts, People, Right } from "./chat-parts.ts";
export type { CommandLines } from "./command-lines.ts";
export { chatCodes } from "./codes.ts";
export { createChat } from "./create-chat.ts";
export { longestText, tooLongText, type Incoming, type Platform, type Receive, type StreamingMode } from "./platform.ts";
export { growMessage } from "./grow-message.ts";
