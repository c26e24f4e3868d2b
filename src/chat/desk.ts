import { isWaymarkError } from "../base/index.ts";
import type { Caller } from "../engine/index.ts";
import type { Codebase, Message } from "../ports/index.ts";
import type { ChatEngine, ChatParts, Right } from "./chat-parts.ts";
import { inOtherWords, refusal } from "./codes.ts";
import type { Asked, OpenRuns } from "./open-runs.ts";
import type { Place } from "./place.ts";
import type { Platform } from "./platform.ts";
import { chatSurface } from "./run-messages.ts";

/** Who wrote a message, as the configuration knows them. */
export interface Person {
  /** The platform's id. */
  readonly id: string;
  readonly name: string;
  readonly may: ReadonlySet<Right>;
  /** What to do about a right that nobody can be given here. */
  readonly instead?: Readonly<Partial<Record<Right, string>>> | undefined;
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
  /** Questions that were open and shown when the message came: an answer is for one of these. */
  readonly asked: readonly Asked[];
  /** What the platform does not take is logged: what the message asked for is done all the same. */
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
export function requireRight(desk: Pick<Desk, "person" | "place">, right: Right): void {
  if (!desk.person.may.has(right)) throw mayNot(desk, right);
}

/** For who wrote a message and is not known. */
export function stranger(platform: Platform, person: string): Error {
  const id = `${platform.getPlatformType()}:${person}`;
  return refusal(
    "CHAT_STRANGER",
    "You are not known here, so nothing was done.",
    `Who runs Waymark can add \`${id}\` under \`people\` of their configuration.`,
  );
}

/** `who`: names of those who may, `more`: what else helps. */
export function mayNot(
  { person, place }: Pick<Desk, "person" | "place">,
  right: Right,
  { who = [], more = [] }: { readonly who?: readonly string[]; readonly more?: readonly string[] } = {},
): Error {
  const id = `${place.platform.getPlatformType()}:${person.id}`;
  const fix = `Who runs Waymark can add \`${right}\` to what \`${id}\` may do, under \`people\` of their configuration.`;
  const others = who.length === 0 ? [] : [`Who may: ${who.join(", ")}.`];
  const how = [...others, person.instead?.[right] ?? fix, ...more].join("\n\n");
  return refusal("CHAT_MAY_NOT", `You may not ${rightTexts[right]} here. Nothing was done.`, how);
}

/** Opens nothing, so that a conversation can leave a folder that is gone. Refuses with the words of the format where it has no codebase. */
export async function workplaceOf({ parts: { conversations }, place }: Desk): Promise<Omit<Here, "engine">> {
  const conversation = await conversations.readConversation(place.conversation);
  if (conversation?.codebase === undefined) throw refusal("CHAT_NO_CODEBASE", "No codebase configured. Use /clone first.", "");
  const codebase = await conversations.readCodebase(conversation.codebase);
  if (codebase === undefined) throw refusal("CHAT_NO_CODEBASE", "Codebase not found.", "");
  return { codebase, folder: conversation.folder ?? codebase.folder };
}

/** What is refused in it names its lines of the command line with the folder. */
export async function placed<T>({ parts: { lines } }: Desk, folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    const { message, fix } = error;
    throw inOtherWords(error, lines.placed(folder, message), fix === undefined ? undefined : lines.placed(folder, fix));
  }
}

export async function whereIs(desk: Desk): Promise<Here> {
  const at = await workplaceOf(desk);
  return { ...at, engine: await desk.engineOf(at.codebase.id) };
}

/** The person as the engine records who did something: by the platform's id. */
export function callerOf({ place, person }: Pick<Desk, "place" | "person">): Caller {
  const id = `${place.platform.getPlatformType()}:${person.id}`;
  return { holder: { kind: "person", name: person.name, session: id }, surface: chatSurface, leaseOwner: `chat:${id}` };
}
