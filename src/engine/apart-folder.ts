import { defined, isObject } from "../base/index.ts";
import { localsOf, type RunState } from "../kernel/index.ts";

/** The name under which a strand that works apart from the others has its `folder`. */
const apartName = "$apart";

/** The folder of a strand: beside the run's own, with a name that begins with it. `name` says whose it is and which try. */
export function apartFolder(folder: string, name: string): string {
  return `${folder}+${name.replace(/[^\w.-]/g, "_")}`;
}

/** Whether a folder can be one of a strand of the run that works on `folder`. */
export function isApart(folder: string, other: string): boolean {
  return other.startsWith(`${folder}+`) && /^[\w.-]+$/.test(other.slice(folder.length + 1));
}

/**
 * The folder that a strand works on: its own where an effect made one, kept under a name of the strand, else that of the run. Names of a strand can
 * come from agents, so only a folder beside the run's own counts.
 */
export function folderOf(state: RunState, strand: string): { readonly folder?: string } {
  const { folder } = state.options;
  const apart = localsOf(state.strands[strand]?.frames ?? [])[apartName];
  const own = isObject(apart) ? apart["folder"] : undefined;
  if (folder === undefined || typeof own !== "string") return defined({ folder });
  return { folder: isApart(folder, own) ? own : folder };
}
