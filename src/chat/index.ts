/**
 * Conversations with people: what they write starts runs, answers questions or is answered, and what runs do is shown to them. Knows no
 * platform, opens no store and starts no process: adapters implement `Platform`, and `ChatParts` brings the rest. Begin with `platform.ts`.
 */
export type { Chat, ChatEngine, ChatParts, People, Right } from "./chat-parts.ts";
export type { Incoming, Platform, Receive, StreamingMode } from "./platform.ts";
