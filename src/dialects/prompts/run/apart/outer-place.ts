import { apartFolder, mustGit, type EngineContext, type GitPlace } from "../../../../engine/index.ts";
import { artifactsFolder, logsFolder, stateFolder } from "../../definition/index.ts";

/** What strands of a node are brought into: the worktree of the run, or that of the strand that the node itself is in. */
export interface OuterPlace extends GitPlace {
  /** Where the run works in it: empty at its top, else with `/` behind it. */
  readonly prefix: string;
  /** Folders that Waymark itself keeps there: what is in them is never committed. */
  readonly left: readonly string[];
}

export async function outerPlace(context: EngineContext, folder: string): Promise<OuterPlace> {
  const here = { context, folder, failure: "PROMPTS_GIT_FAILED" };
  const prefix = await mustGit(here, "rev-parse", "--show-prefix");
  const top = prefix === "" ? folder : folder.slice(0, -prefix.length);
  const left = [artifactsFolder(""), stateFolder, logsFolder].map((path) => `${prefix}${path.replace(/\/$/, "")}`);
  return { ...here, folder: top, prefix, left };
}

/** The worktree of a strand, and the folder that the run's own is in it. */
export function worktreeOf({ folder, prefix }: OuterPlace, name: string): { readonly worktree: string; readonly inner: string } {
  const worktree = apartFolder(folder, name);
  return { worktree, inner: prefix === "" ? worktree : `${worktree}/${prefix.slice(0, -1)}` };
}

/** A node in one of the calls of its graph. */
export interface OfNode {
  readonly scope: string;
  readonly block: string;
}

/** How worktrees of a node are called; ids have no dots. The effect's id is in it: a try that was given up never writes into that of a later one. */
export function nameFor({ scope, block }: OfNode, index: number, effect: string): string {
  return `${prefixFor({ scope, block })}${index}-${effect}`;
}

/** Whether a worktree is one of a node, or of one of its items, by its name; those of nodes inside are too. */
export function isOf(of: OfNode, index?: number): (name: string) => boolean {
  const prefix = prefixFor(of);
  return (name) => {
    const [, item] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    return item !== undefined && (index === undefined || Number(item) === index);
  };
}

function prefixFor({ scope, block }: OfNode): string {
  return `${scope}.${block.replaceAll("/", ".")}.`;
}
