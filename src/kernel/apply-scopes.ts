import { without } from "./copy-state.ts";
import type { Event } from "./event.ts";
import type { RunState, Scope } from "./run-state.ts";
import { withoutStored } from "./stored-writes.ts";
import { applyUpdates } from "./write-state.ts";

export type ScopeEvent = Extract<Event, { readonly type: "scope_opened" | "scope_closed" | "wrote" | "put_back" }>;

/** Opens, writes and closes scopes, and lets go of those that have ended. */
export function applyScopes(scopes: RunState["scopes"], event: ScopeEvent): RunState["scopes"] {
  if (event.type === "scope_opened") {
    const scope: Scope = {
      part: event.part,
      raw: event.raw,
      state: event.state,
      inputs: event.inputs,
      fixed: event.fixed,
      version: 0,
      calls: {},
      ...(event.parent === undefined ? {} : { parent: event.parent }),
    };
    return { ...withoutAll(scopes, event.gone ?? []), [event.scope]: scope };
  }
  if (event.type === "wrote") {
    const scope = scopes[event.scope];
    const written = scope === undefined ? undefined : applyUpdates(scope, event.updates);
    return written?.ok ? { ...scopes, [event.scope]: written.value } : scopes;
  }
  if (event.type === "put_back") {
    const scope = scopes[event.scope];
    if (scope === undefined) return scopes;
    return { ...scopes, [event.scope]: { ...withoutStored(scope, event.stored), version: scope.version + 1 } };
  }
  const into = scopes[event.into];
  if (into === undefined) return scopes;
  const replaced = into.calls[event.as];
  const kept = { ...scopes, [event.into]: { ...into, calls: { ...into.calls, [event.as]: event.scope } } };
  return withoutAll(kept, event.gone ?? (replaced === undefined || replaced === event.scope ? [] : [replaced]));
}

function withoutAll(scopes: RunState["scopes"], gone: readonly string[]): RunState["scopes"] {
  let rest = scopes;
  for (const id of gone) rest = without(rest, id);
  return rest;
}
