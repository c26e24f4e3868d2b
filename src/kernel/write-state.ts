import { forbiddenKeys, isList, isObject, formatPath, type Json, type JsonObject } from "../base/index.ts";
import type { Update } from "./event.ts";
import type { Scope } from "./run-state.ts";

export type Written<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Applies an update list in order, all or nothing. */
export function applyUpdates(scope: Scope, updates: readonly Update[]): Written<Scope> {
  let tiers = { raw: scope.raw, state: scope.state };
  for (const update of updates) {
    const written = writeInto(tiers[update.tier], update, 0);
    if (!written.ok) return written;
    tiers = { ...tiers, [update.tier]: written.value as JsonObject };
  }
  return { ok: true, value: { ...scope, ...tiers, version: scope.version + 1 } };
}

function writeInto(container: Json | undefined, update: Update, depth: number): Written<Json> {
  const { keys } = update;
  const key = keys[depth];
  if (key === undefined) return operate(container, update);
  if (forbiddenKeys.has(key)) return refuse(`\`${shown(update)}\` uses the reserved key \`${key}\`.`);
  if (isList(container)) {
    const index = /^\d+$/.test(key) ? Number(key) : Number.NaN;
    if (!(index <= container.length))
      return refuse(`\`${shown(update)}\`: \`${key}\` is not an index of the list there, which has ${container.length} entries.`);
    const inner = writeInto(container[index], update, depth + 1);
    return inner.ok ? { ok: true, value: [...container.slice(0, index), inner.value, ...container.slice(index + 1)] } : inner;
  }
  if (container !== undefined && !isObject(container)) {
    return refuse(
      `\`${shown(update)}\`: \`${formatPath(keys.slice(0, depth))}\` holds ${nameOf(container)}, so nothing can be written below it.`,
    );
  }
  const held = container !== undefined && Object.hasOwn(container, key) ? container[key] : undefined;
  const inner = writeInto(held, update, depth + 1);
  return inner.ok ? { ok: true, value: { ...container, [key]: inner.value } } : inner;
}

/** The full path, for messages. */
function shown(update: Update): string {
  return `${update.tier}.${formatPath(update.keys)}`;
}

function operate(held: Json | undefined, update: Update): Written<Json> {
  const { op, value } = update;
  switch (op) {
    case "set":
      return { ok: true, value };
    case "append":
      if (held !== undefined && held !== null && !isList(held))
        return refuse(`Cannot append to \`${shown(update)}\`: it holds ${nameOf(held)}, not a list.`);
      return { ok: true, value: [...(held ?? []), value] };
    case "merge":
      if (!isObject(value)) return refuse(`Cannot merge ${nameOf(value)} into \`${shown(update)}\`: only an object can be merged.`);
      if (held !== undefined && held !== null && !isObject(held))
        return refuse(`Cannot merge into \`${shown(update)}\`: it holds ${nameOf(held)}, not an object.`);
      for (const key of Object.keys(value))
        if (forbiddenKeys.has(key)) return refuse(`\`${shown(update)}\` uses the reserved key \`${key}\`.`);
      return { ok: true, value: { ...held, ...value } };
    case "increment":
    case "decrement":
    case "multiply": {
      const before = held ?? 0;
      if (typeof before !== "number") return refuse(`Cannot ${op} \`${shown(update)}\`: it holds ${nameOf(before)}, not a number.`);
      if (typeof value !== "number") return refuse(`Cannot ${op} \`${shown(update)}\` by ${nameOf(value)}: a number is needed.`);
      const after = op === "increment" ? before + value : op === "decrement" ? before - value : before * value;
      return Number.isFinite(after)
        ? { ok: true, value: after }
        : refuse(`Cannot ${op} \`${shown(update)}\`: the result is not a finite number.`);
    }
  }
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  return isList(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Turns the keys of a full path (`raw`, `file_results`, `a.ts`) into the target of an update. */
export function targetOf(keys: readonly string[]): Written<Pick<Update, "tier" | "keys">> {
  const [tier, ...rest] = keys;
  const path = formatPath(keys);
  if (tier === "computed") return refuse(`\`${path}\` is computed and cannot be written. Write the raw fields it is derived from.`);
  if (tier !== "raw" && tier !== "state") return refuse(`\`${path}\` cannot be written: a path must start with \`raw.\` or \`state.\`.`);
  if (rest.length === 0) return refuse(`\`${path}\` names a whole tier: add the field, e.g. \`${tier}.name\`.`);
  const bad = rest.find((key) => key === "" || forbiddenKeys.has(key));
  if (bad !== undefined) return refuse(bad === "" ? `\`${path}\` has an empty segment.` : `\`${path}\` uses the reserved key \`${bad}\`.`);
  return { ok: true, value: { tier, keys: rest } };
}
