import { formatPath, readPath } from "../base/index.ts";
import type { Place } from "./names.ts";

/** What keys that went through `path_to_key` were before it. */
export interface KeyOrigins {
  /** Keys that this process wrote, by run. */
  readonly written: Map<string, Map<string, string>>;
  /** Keys of this list of updates, which the state does not hold yet. */
  readonly together: Map<string, string>;
}

/**
 * Why a path may not be written: `path_to_key` turned another text into the same key, and the write would silently replace what belongs
 * to that one. `origins` are the keys that went through the filter, as they were before. A key that the state no longer holds is free
 * again. Only what this process wrote is known: the state keeps the keys alone.
 */
export function keyClash(
  { written, together }: KeyOrigins,
  { run, scopes, scope }: Place,
  keys: readonly string[],
  origins: readonly (string | undefined)[],
): string | undefined {
  const before = written.get(run) ?? new Map<string, string>();
  written.set(run, before);
  const tiers = scopes[scope];
  for (const [index, origin] of origins.entries()) {
    if (origin === undefined) continue;
    const path = keys.slice(0, index + 1);
    const id = JSON.stringify([scope, ...path]);
    const held = tiers !== undefined && readPath({ raw: tiers.raw, state: tiers.state }, path) !== undefined;
    const earlier = together.get(id) ?? (held ? before.get(id) : undefined);
    if (earlier !== undefined && earlier !== origin)
      return `\`${origin}\` and \`${earlier}\` both become the key \`${formatPath(path)}\`, which belongs to \`${earlier}\` already. Leave \`path_to_key\` out: a path can use the value itself as its key.`;
    together.set(id, origin);
    before.set(id, origin);
  }
  return undefined;
}
