import { asObject, objectIn, type MachineRun } from "../machine-run.ts";
import type { Json, JsonObject } from "../../../../base/index.ts";

/** What a role did for a task ahead of its turn. */
export interface AheadRecord {
  readonly role: string;
  /** The commit of its worktree; null where nothing was changed. */
  readonly commit: string | null;
  /** A line of the commit's message that no other one has. */
  readonly mark: string;
  readonly output: JsonObject;
  /** It is in the run's folder. */
  readonly brought?: boolean;
  /** Its task has come to it. */
  readonly used?: boolean;
}

/** How the reason begins why nothing is worked on ahead. */
export const oneAtATime = "Tasks are done one at a time:";

export function aheadOf({ raw }: Pick<MachineRun, "raw">, task: string): AheadRecord | undefined {
  const held: Json | undefined = objectIn(raw, "ahead")[task];
  return held === undefined || held === null ? undefined : (asObject(held) as unknown as AheadRecord);
}
