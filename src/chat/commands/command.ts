import type { Desk } from "../desk.ts";
import type { ParsedCommand } from "../parse-command.ts";

/** A slash command. Throws what the person is to be answered instead. */
export interface Command {
  readonly name: string;
  /** Lines for `/help`: how it is written, and what it does. */
  readonly help: readonly string[];
  /** It waits for the turn of the conversation, because it talks to its agent. */
  readonly inTurn?: true;
  run(desk: Desk, parsed: ParsedCommand): Promise<void>;
}

/** What follows the word: as it was written, and its words. */
export interface Rest {
  readonly text: string;
  readonly words: readonly string[];
}
