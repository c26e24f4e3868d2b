/** A folder that people work on in a chat. */
export interface Codebase {
  readonly id: string;
  readonly name: string;
  /** Absolute, with `/`; no two codebases have the same. */
  readonly folder: string;
  /** Where it was cloned from. */
  readonly repository?: string;
}

/** A place of a platform where people and Waymark write to each other. */
export interface Conversation {
  readonly id: string;
  /** The adapter's type, such as `terminal`. */
  readonly platform: string;
  readonly platformId: string;
  readonly codebase?: string;
  /** The folder that it works in, where that is not its codebase's own. */
  readonly folder?: string;
}

/** The conversation of an agent that a chat continues. */
export interface ChatSession {
  readonly conversation: string;
  readonly agent: string;
  /** As the agent calls it. */
  readonly session: string;
}

export interface Message {
  readonly id: string;
  readonly conversation: string;
  /** The platform's id of it: no two of a conversation have the same. */
  readonly key: string;
  /** The platform's id of who wrote it. */
  readonly person: string;
  readonly text: string;
  /** The run that it starts, decided once and before the run begins. */
  readonly start?: MessageStart;
}

export interface MessageStart {
  readonly run: string;
  readonly workflow: string;
  readonly intent: string;
  readonly codebase: string;
}

/** A run that a conversation follows, and how much of it was sent there. */
export interface FollowedRun {
  readonly run: string;
  readonly conversation: string;
  readonly codebase: string;
  /** Position of the last record of its journal, and of the last entry of its transcript, that is dealt with. */
  readonly record: number;
  readonly entry: number;
  /** What was said last beside these: why it is parked. */
  readonly note: string;
  /** Its end was sent. */
  readonly over: boolean;
}

export interface CommandTemplate {
  readonly name: string;
  readonly description: string;
  readonly content: string;
}

/**
 * What a chat remembers. Several processes may use it at the same time; what a method wrote is durable when it resolves. Every method
 * rejects with a `STORE_*` WaymarkError.
 */
export interface Conversations {
  /** The conversation of this place, which is made with the codebase where there is none. */
  openConversation(place: Pick<Conversation, "platform" | "platformId" | "codebase">): Promise<Conversation>;
  readConversation(id: string): Promise<Conversation | undefined>;
  /** It works there from now on; without a folder in that of the codebase. */
  moveConversation(id: string, to: Pick<Conversation, "codebase" | "folder">): Promise<void>;

  /** The codebase of this folder, which is made where there is none. A repository that is given replaces the one before. */
  keepCodebase(codebase: Omit<Codebase, "id">): Promise<Codebase>;
  readCodebase(id: string): Promise<Codebase | undefined>;
  /** By name. */
  listCodebases(): Promise<readonly Codebase[]>;

  activeSession(conversation: string): Promise<ChatSession | undefined>;
  /** It is the active one from now on, and the one before is over. */
  keepSession(session: ChatSession): Promise<void>;
  endSession(conversation: string): Promise<void>;

  /** Keeps a message that was not here before; undefined for one that was, in this process or an earlier one. */
  takeMessage(message: Pick<Message, "conversation" | "key" | "person" | "text">): Promise<Message | undefined>;
  /** Answers what the message starts: what was decided first, however often it is decided. */
  decideStart(message: string, start: MessageStart): Promise<MessageStart>;
  /** All of it is done. */
  settleMessage(message: string): Promise<void>;
  /** Removes messages of all conversations that were settled at least so many milliseconds ago; answers how many. One that comes again after that is another message. */
  removeSettled(olderMs: number): Promise<number>;
  /** How many these are. */
  countSettled(olderMs: number): Promise<number>;
  /** Messages of a platform that were taken and not settled, in the order in which they came. */
  openMessages(platform: string): Promise<readonly (Message & { readonly platformId: string })[]>;

  /** The conversation follows the run from its beginning. Nothing changes where a conversation follows it already; answers how it is followed. */
  followRun(run: Pick<FollowedRun, "run" | "conversation" | "codebase">): Promise<FollowedRun>;
  /** It was sent up to there. */
  sentRun(run: string, sent: Partial<Pick<FollowedRun, "record" | "entry" | "note" | "over">>): Promise<void>;
  /** Runs of a conversation, the newest first. */
  runsFollowed(conversation: string): Promise<readonly FollowedRun[]>;
  /** Runs of all conversations of a platform whose end was not sent, oldest first. */
  runsToSend(platform: string): Promise<readonly (FollowedRun & { readonly platformId: string })[]>;

  /** People write templates into the seed's table `remote_agent_command_templates`. */
  readTemplate(name: string): Promise<CommandTemplate | undefined>;
  /** By name. */
  listTemplates(): Promise<readonly CommandTemplate[]>;

  /** Whether it can be read and written. */
  check(): Promise<void>;
  close(): Promise<void>;
}
