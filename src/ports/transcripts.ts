import type { AgentEvent } from "./agent.ts";

/** One thing that an agent was told, said or did while it was driven. */
export interface TranscriptEntry {
  readonly at: number;
  readonly run: string;
  readonly action: string;
  readonly step: string;
  readonly strand: string;
  readonly agent: string;
  readonly event: AgentEvent | { readonly type: "prompt"; readonly text: string };
}

export interface Transcripts {
  /** Batched by the caller; survives a kill of the process. */
  append(entries: readonly TranscriptEntry[]): Promise<void>;
  read(
    run: string,
    wish?: { readonly action?: string; readonly step?: string; readonly after?: number; readonly limit?: number },
  ): AsyncIterable<TranscriptEntry & { readonly position: number }>;
  remove(run: string): Promise<void>;
}
