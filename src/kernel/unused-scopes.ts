import type { Frame, RunState, Strand } from "./run-state.ts";

/**
 * Scopes that nothing can read or write any more: no strand works in them or goes back to them, no `onComplete` of their call is
 * running, no stopped task stands in them, and no scope in use has them under a name. The newest scope of a part is always in use:
 * a call that was broken off tells the next one what it left.
 */
export function unusedScopes({ scopes, strands }: Pick<RunState, "scopes" | "strands">): string[] {
  const used = new Set<string>();
  const open = [...Object.keys(scopes).filter((id) => scopes[id]?.parent === undefined), ...newestOfParts(scopes)];
  for (const strand of Object.values(strands)) open.push(...scopesOf(strand));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const scope = used.has(id) ? undefined : scopes[id];
    if (scope === undefined) continue;
    used.add(id);
    open.push(...Object.values(scope.calls), ...(scope.parent === undefined ? [] : [scope.parent]));
  }
  return Object.keys(scopes).filter((id) => !used.has(id));
}

/** Ids count up, so the newest of two is the longer one, or the later in the alphabet. */
function newestOfParts(scopes: RunState["scopes"]): Iterable<string> {
  const newest = new Map<string, string>();
  for (const [id, { part }] of Object.entries(scopes)) {
    const held = newest.get(part) ?? "";
    if (id.length > held.length || (id.length === held.length && id > held)) newest.set(part, id);
  }
  return newest.values();
}

function scopesOf({ scope, frames }: Pick<Strand, "scope" | "frames">): string[] {
  return [scope, ...frames.flatMap(scopesOfFrame)];
}

function scopesOfFrame(frame: Frame): string[] {
  switch (frame.kind) {
    case "call":
      return [frame.scope, frame.outer].filter((id) => id !== undefined);
    case "rescue":
      return frame.inner === undefined ? [] : [frame.inner];
    case "choose":
      return frame.before?.frames.flatMap(scopesOfFrame) ?? [];
    case "work":
      return Object.values(frame.kept ?? {}).flatMap(scopesOf);
    default:
      return [];
  }
}
