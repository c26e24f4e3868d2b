import type { DoBlock, Program } from "../program/index.ts";

/** Effects that workflows of every kind have, so that their blocks are steps of an author; any other effect is work that Waymark makes of a definition. */
export const commonEffects: ReadonlySet<string> = new Set(["shell", "mcp", "wait", "set"]);

/**
 * A block as its author calls it, behind the workflow that it is of, and which use it is of a step that is used several times; undefined for
 * names with other characters, which are those of parts that Waymark makes of a definition.
 */
export function authorsName(block = ""): string | undefined {
  const [, name, use] = /^((?:[^$/]+\/)*[\w-]+)(?:\$(\d+))?$/.exec(block) ?? [];
  return use === undefined ? name : `${name} (${use})`;
}

/** The same of a block of a program: work that Waymark makes of a definition has no name, however its block is called. */
export function nameOfBlock({ blocks }: Pick<Program, "blocks">, id = ""): string | undefined {
  const block = blocks[id];
  const isOwn = block?.kind === "do" && block.who === "engine" && !commonEffects.has(block.what) && !isNamed(block);
  return isOwn ? undefined : authorsName(id);
}

/** A block of a called workflow keeps the id that it had as its name. */
function isNamed({ id, name }: DoBlock): boolean {
  return name !== undefined && !(name.as === "text" && id.endsWith(`/${name.of}`));
}
