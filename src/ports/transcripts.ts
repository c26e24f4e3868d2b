import type { AgentEvent } from "./agent.ts";

/** Something that an agent was given or did while it worked on one action. */
export interface TranscriptEntry {
  readonly at: number;
  readonly run: string;
  readonly action: string;
  readonly step: string;
  readonly strand: string;
  readonly agent: string;
  readonly event: AgentEvent | Prompt;
}

/** What an agent was asked, and the model that was asked for, where one was named. */
interface Prompt {
  readonly type: "prompt";
  readonly text: string;
  readonly model?: string;
}

/**
 * What agents did in runs, for people to read. A run continues in the same way without its transcript, except that what a killed turn used of
 * a budget is then unknown.
 */
export interface Transcripts {
  /**
   * Adds entries in their order, batched by the caller; what it added survives a kill of the process. Deltas of text are left out, and
   * large inputs and outputs of tools are cut, with a mark that says so.
   */
  append(entries: readonly TranscriptEntry[]): Promise<void>;
  /**
   * Entries of a run in the order in which they were added, by any process; none for a run without a transcript. Positions grow, and
   * `after` one of them gives exactly what was added behind it.
   */
  read(
    run: string,
    wish?: { readonly action?: string; readonly step?: string; readonly after?: number; readonly limit?: number },
  ): AsyncIterable<TranscriptEntry & { readonly position: number }>;
  remove(run: string): Promise<void>;
}
