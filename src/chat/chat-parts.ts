import type { EngineContext } from "../engine/index.ts";
import type { Alarms, Codebase, Conversations } from "../ports/index.ts";
import type { DriveRequest, RunnerParts } from "../runner/index.ts";
import type { CommandLines } from "./command-lines.ts";
import type { Incoming, Platform } from "./platform.ts";

/** What a person may do beside reading and talking. */
export type Right = "start" | "decide" | "clone";

/** Who may do what; asked before anything else happens, also before a model is asked. */
export interface People {
  /** `person`: the platform's id. `name` is undefined for a stranger. `instead`: what to do about a right that nobody can be given there. */
  of(
    platform: string,
    person: string,
  ): {
    readonly name: string | undefined;
    readonly may: ReadonlySet<Right>;
    readonly instead?: Readonly<Partial<Record<Right, string>>> | undefined;
  };
  /** Names of those who may decide there. */
  deciders(platform: string): readonly string[];
}

/** An engine on the folder of a codebase, and what driving its runs needs. Opened once, closed with the chat. */
export interface ChatEngine {
  readonly context: EngineContext;
  readonly parts: RunnerParts;
  readonly usual: NonNullable<DriveRequest["usual"]>;
  readonly workers: number;
}

export interface ChatParts {
  readonly conversations: Conversations;
  /** Of the folder where the chat was started: what a new conversation works on. */
  readonly home: Omit<Codebase, "id">;
  readonly open: (folder: string) => Promise<ChatEngine>;
  readonly people: People;
  /** Folders below which people may work; absolute. */
  readonly roots: readonly string[];
  /** Clones from an address that the configuration allows, and answers the folder; rejects with the reason where it does not. */
  readonly clone: (from: string, name: string) => Promise<string>;
  /** The agent that routes and talks; without one words decide. */
  readonly agent?: string;
  /** The workflow of messages that name none; without one they are routed. */
  readonly workflow?: string;
  readonly lines: CommandLines;
  readonly alarms: Alarms;
  /** Turns that are under way are cancelled too; what they were about is taken up by the next process. */
  readonly cancel?: AbortSignal;
  readonly log: (level: "warn" | "info", text: string) => void;
}

export interface Chat {
  /** Makes the adapter known; what its earlier messages and runs left open continues. */
  join(platform: Platform): Promise<void>;
  receive(platform: Platform, message: Incoming): Promise<"taken" | "repeated" | "refused">;
  /** How many conversations are worked on, how many messages wait, and how many conversations may be worked on at once. */
  concurrency(): { readonly active: number; readonly queued: number; readonly max: number };
  /** Something is being done, in any conversation. Runs that wait for a person do not count. */
  isBusy(): boolean;
  /**
   * Resolves when nothing of the conversation, by the platform's id, or of any, is being done and nothing waits. Runs that wait for a person do not
   * count.
   */
  idle(conversation?: string): Promise<void>;
  /** Turns come to their end, nothing new begins; what is open is taken up by the next process. */
  close(): Promise<void>;
}
