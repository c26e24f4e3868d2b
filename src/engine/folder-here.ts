import { defined, type WaymarkError } from "../base/index.ts";
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
  throw elsewhere(run, folder, context.host.computer);
}

/** `here`: the name of this computer, which can have removed what was on it. */
export function elsewhere({ id, state }: Placed, folder: string, here: string): WaymarkError {
  const { computer } = state.options;
  const wasHere = computer === here;
  return refused(
    "ENGINE_FOLDER_ELSEWHERE",
    `This part of run \`${id}\` works in \`${folder}\`, ${wasHere ? "which is not there any more" : `which is on ${computerText(computer)}`}. Nothing was taken up.`,
    wasHere
      ? `Put the folder back, or let a person end the run with \`waymark abort ${id}\`.`
      : `Continue the run on ${computerText(computer)}: it is the only one that can.`,
    { run_id: id, folder, ...defined({ computer }) },
  );
}

/** The computer that has a run's folder, in a sentence; earlier versions did not record its name. */
export function computerText(computer: string | undefined): string {
  return computer === undefined ? "the computer where the run was started" : `the computer \`${computer}\``;
}
