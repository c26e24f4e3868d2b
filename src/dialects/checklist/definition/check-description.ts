import type { JsonObject } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";

/** Everything an agent needs for its entry, gathered when it is shown. */
export interface CheckDescription {
  readonly action: string;
  readonly item: JsonObject;
  /** Lines around an instance, as they are now. */
  readonly context?: string;
  /** Of an instance: what matters for its kind, the first time it is handed out. */
  readonly guidance?: string;
  readonly section?: { readonly heading: string; readonly text: string };
  /** The pattern that found it, by name and description. */
  readonly pattern?: { readonly name: string; readonly description: string; readonly topic?: string; readonly specialist?: string };
  /** Of an entry: whose field its phase is handed to. */
  readonly specialist?: string;
  readonly tool?: { readonly name: string; readonly arguments: JsonObject };
  /** Of a topic: where it is written down, for who has no tool that reads it. */
  readonly topicFile?: string;
  /** How often it was reported as done and found again. */
  readonly again: number;
  readonly checklist: readonly Item[];
  /** Of the phase it belongs to: conditions that are not phases, and lines of its own list. */
  readonly phase: readonly string[];
  /** Of the definition: keys that are only for the agent, as written; given with the first entry of a run. */
  readonly guidanceKeys?: JsonObject;
  /** Open instances elsewhere with the same text; a skip may cover them all. */
  readonly identical: number;
  readonly notes: readonly string[];
}
