import type { RunState } from "../kernel/index.ts";
import { foldersOf } from "./apart/apart-folder.ts";
import { refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";

type Placed = { readonly id: string; readonly state: RunState };

/** The folder that the strand works in where it is not on this computer: what is there can only be continued on the one that has it. */
export function folderElsewhere(
  { host }: Pick<EngineContext, "host">,
  { state }: Pick<Placed, "state">,
  strand: string,
): string | undefined {
  const folder = foldersOf(state, strand).at(-1);
  return folder === undefined || host.hasFolder(folder) ? undefined : folder;
}

/** Rejects with ENGINE_FOLDER_ELSEWHERE. */
export function refuseElsewhere(context: Pick<EngineContext, "host">, run: Placed, strand: string): void {
  const folder = folderElsewhere(context, run, strand);
  if (folder === undefined) return;
  throw refused(
    "ENGINE_FOLDER_ELSEWHERE",
    `This part of run \`${run.id}\` works in \`${folder}\`, which is not on this computer. Nothing was taken up.`,
    `Continue it on the computer that has this folder. If the folder was removed, a person ends the run with \`waymark abort ${run.id}\`.`,
    { run_id: run.id, folder },
  );
}
