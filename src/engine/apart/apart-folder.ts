import { isObject } from "../../base/index.ts";
import type { RunState } from "../../kernel/index.ts";

/** The name under which a strand that works apart from the others has its `folder`. */
const apartName = "$apart";

/** The folder of a strand: beside the run's own, with a name that begins with it. `name` says whose it is and which try. */
export function apartFolder(folder: string, name: string): string {
  return `${folder}+${apartWord(name)}`;
}

/** A name as it is in the names of folders. */
export function apartWord(name: string): string {
  return name.replace(/[^\w.-]/g, "_");
}

/** Whether a folder can be one of a strand of what works on `folder`: that folder itself in a worktree beside, whose name has something behind a `+`. */
export function isApart(folder: string, other: string): boolean {
  const [own, others] = [folder.split("/"), other.split("/")];
  const at = own.findIndex((name, index) => others[index] !== name);
  const beside = others[at] ?? "";
  const rest = beside.slice((own[at]?.length ?? 0) + 1);
  if (at < 0 || own.length !== others.length || beside !== `${own[at]}+${rest}` || !/^[\w.-]+$/.test(rest)) return false;
  return own.every((name, index) => index === at || others[index] === name);
}

/**
 * The folders that a strand works on, the run's own first: each further one is in the place of the one before, for the strand alone and for
 * all below it. Names of a strand can come from agents, so only a folder beside the one before counts. None for a run on the workspace.
 */
export function foldersOf(state: RunState, strand: string): readonly string[] {
  const { folder } = state.options;
  if (folder === undefined) return [];
  const found = [folder];
  for (const own of apartsOf(state, strand)) if (isApart(found.at(-1)!, own)) found.push(own);
  return found;
}

/** Outermost first. What a strand was begun in counts for it too, also across calls, which its names do not. */
function apartsOf(state: Pick<RunState, "strands">, id: string): readonly string[] {
  const { parent, frames = [] } = state.strands[id] ?? {};
  const above = parent === undefined ? [] : apartsOf(state, parent);
  const own = frames.flatMap(({ locals = {} }) => {
    const apart = locals[apartName];
    return isObject(apart) && typeof apart["folder"] === "string" ? [apart["folder"]] : [];
  });
  return [...above, ...own];
}
