import type { Holder } from "./run-state.ts";

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly from: Holder;
  readonly target?: string;
  readonly at: number;
  readonly deliveredWith?: string;
}

export interface Mark {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
  readonly at: number;
  readonly statePath?: string;
}
