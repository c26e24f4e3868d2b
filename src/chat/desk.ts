import type { Caller } from "../engine/index.ts";
import type { Codebase, Message } from "../ports/index.ts";
import type { ChatEngine, ChatParts, Right } from "./chat-parts.ts";
import { refusal } from "./codes.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Place } from "./place.ts";
import { chatSurface } from "./run-messages.ts";

/** Who wrote a message, as the configuration knows them. */
export interface Person {
  /** The platform's id. */
  readonly id: string;
  readonly name: string;
  readonly may: ReadonlySet<Right>;
}

/** What one message is handled with. */
export interface Desk {
  readonly parts: ChatParts;
  readonly runs: OpenRuns;
  readonly engineOf: (codebase: string) => Promise<ChatEngine>;
  readonly place: Place;
  readonly message: Message;
  readonly person: Person;
  /** It was taken by a process that did not come to its end: it may be done in part, and what is open now may not be what its author saw. */
  readonly isAgain: boolean;
  readonly say: (text: string) => Promise<void>;
}

/** Where a conversation works. */
export interface Here {
  readonly codebase: Codebase;
  /** Absolute; within the codebase. */
  readonly folder: string;
  readonly engine: ChatEngine;
}

const rightTexts: Readonly<Record<Right, string>> = {
  start: "start workflows",
  decide: "decide questions",
  clone: "clone repositories or change the folder",
};

/** Refuses what the person may not do, before anything else happens. */
export function requireRight({ person }: Pick<Desk, "person">, right: Right): void {
  if (person.may.has(right)) return;
  throw refusal(
    "CHAT_MAY_NOT",
    `You may not ${rightTexts[right]} here. Nothing was done.`,
    `Who runs Waymark can add \`${right}\` to what \`${person.name}\` may do, in the configuration.`,
  );
}

/** Refuses with the words of the format where the conversation has no codebase. */
export async function whereIs({ parts: { conversations }, place, engineOf }: Desk): Promise<Here> {
  const conversation = await conversations.readConversation(place.conversation);
  if (conversation?.codebase === undefined) throw refusal("CHAT_NO_CODEBASE", "No codebase configured. Use /clone first.", "");
  const codebase = await conversations.readCodebase(conversation.codebase);
  if (codebase === undefined) throw refusal("CHAT_NO_CODEBASE", "Codebase not found.", "");
  return { codebase, folder: conversation.folder ?? codebase.folder, engine: await engineOf(codebase.id) };
}

/** The person as the engine records who did something: by the platform's id. */
export function callerOf({ place, person }: Pick<Desk, "place" | "person">): Caller {
  const id = `${place.platform.getPlatformType()}:${person.id}`;
  return { holder: { kind: "person", name: person.name, session: id }, surface: chatSurface, leaseOwner: `chat:${id}` };
}
