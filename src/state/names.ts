import { formatPath, isList, isObject, nearest, own, pathToKey, readPath, textOf, type Json, type JsonObject } from "../base/index.ts";
import type { RunState, Warning } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import type { StateCode } from "./codes.ts";
import type { Read } from "./runner.ts";
import type { PlainPath } from "./analyse.ts";

/** The scope of a run whose values are read. Scopes are never changed, only replaced. */
export interface RunScope {
  readonly run: string;
  readonly program: Program;
  readonly scopes: RunState["scopes"];
  readonly scope: string;
}

/** `ignored`: the key does not exist. `error` is set when the field failed, whatever replaces it. */
export interface FieldValue {
  readonly value: Json;
  readonly ignored?: true;
  readonly error?: string;
}

/** What reading names needs of computed fields. `above` are the fields being computed, outermost first. */
export interface FieldReader {
  names(place: RunScope): readonly string[];
  value(place: RunScope, name: string, above?: readonly string[]): Promise<FieldValue | undefined>;
  /** An object of these entries; the same one as last time while they are the same. */
  kept(id: string, entries: readonly (readonly [string, Json])[]): JsonObject;
}

/** A read of a property of nothing: false in a condition, an error elsewhere. */
export class NothingThere extends Error {}

/** Instead of a value that must be computed first. */
const later = Symbol("later");

/** Where names come from: locals, then what a scope defines, then finished calls, then what every run has. */
export class Names {
  readonly #place: RunScope;
  readonly #fields: FieldReader;
  readonly #locals: JsonObject;
  readonly #globals: JsonObject;
  readonly #warnings: Warning[];
  /** Names of groups of values; see `prepareCode`. */
  readonly spaces: readonly string[];
  readonly #computed: ReadonlySet<string>;

  constructor({ place, fields }: Omit<Reading, "above">, locals: JsonObject, globals: JsonObject, warnings: Warning[]) {
    this.#warnings = warnings;
    this.#place = place;
    this.#fields = fields;
    this.#locals = locals;
    this.#globals = globals;
    this.#computed = new Set(computedNames(place, fields));
    this.spaces = spacesOf(place, fields).filter((name) => !Object.hasOwn(locals, name));
  }

  warn(code: StateCode, message: string): void {
    this.#warnings.push({ code, message });
  }

  warnUnknown(source: string, name: string): void {
    const scope = this.#place.scopes[this.#place.scope];
    const known = [this.#locals, scope?.raw, scope?.state, scope?.calls, this.#globals].flatMap((group) => Object.keys(group ?? {}));
    const [near] = nearest(name, new Set([...known, ...this.#fields.names(this.#place), "inputs", "config"]), 1);
    this.warn(
      "EXPRESSION_UNKNOWN_NAME",
      `\`${source}\` is not known here; it was left as written.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`,
    );
  }

  warnKey(key: string): void {
    this.warn("EXPRESSION_KEY_FALLBACK", `There is no key \`${key}\`; \`${pathToKey(key)}\` was read instead.`);
  }

  /** undefined when nothing defines the name. `key` is the one property wanted of it, if only one is. */
  async #compute(name: string, key?: string): Promise<Json | undefined> {
    const held = await scopeName({ place: this.#place, fields: this.#fields, above: [] }, name, key);
    return held === undefined ? own(this.#globals, name) : held;
  }

  /** What a name means, if nothing must be computed for it: most names, and waiting for nothing takes time too. */
  #known(name: string): Json | undefined | typeof later {
    if (Object.hasOwn(this.#locals, name)) return this.#locals[name];
    const scope = this.#place.scopes[this.#place.scope];
    if (scope === undefined) return own(this.#globals, name);
    if (name === "inputs") return scope.inputs;
    if (name === "config" || name === "computed" || this.#computed.has(name)) return later;
    if (Object.hasOwn(scope.raw, name)) return scope.raw[name];
    if (Object.hasOwn(scope.state, name)) return scope.state[name];
    if (name === "raw" || name === "state") return scope[name];
    return Object.keys(scope.calls).length > 0 ? later : own(this.#globals, name);
  }

  /** A value that prepared code needs. */
  bound({ name, key }: Read): Json | Promise<Json> {
    const pick = (held: Json | undefined): Json => (key === undefined ? held : isObject(held) ? own(held, key) : undefined) ?? null;
    const known = this.#known(name);
    return known === later ? this.#compute(name, key).then(pick) : pick(known);
  }

  /** Reads a plain path as JavaScript would. undefined means the first name is unknown. */
  async read(path: PlainPath): Promise<Json | undefined> {
    const known = this.#known(path.name);
    const [first] = path.keys;
    if (first === undefined && known !== later) return known;
    const key = first === undefined ? undefined : await this.#key(first);
    const held = known === later ? await this.#compute(path.name, key) : known;
    return held === undefined ? undefined : this.#follow(held, path);
  }

  /** The same where no text can stay as written: a property of an unknown name is one of nothing. */
  async value(path: PlainPath): Promise<Json | undefined> {
    const held = await this.read(path);
    const [first] = path.keys;
    if (held === undefined && first !== undefined && !first.optional)
      throw new NothingThere(`\`${path.name}\` is not known here, so \`${await this.#key(first)}\` cannot be read from it`);
    return held;
  }

  async #follow(start: Json, path: PlainPath): Promise<Json> {
    let held: Json = start;
    let shown = path.name;
    for (const step of path.keys) {
      const key = await this.#key(step);
      if (held === null) {
        if (step.optional) return null;
        throw new NothingThere(`\`${shown}\` is null, so \`${key}\` cannot be read from it`);
      }
      shown = `${shown}.${key}`;
      held = this.#property(held, key) ?? null;
    }
    return held;
  }

  async #key(step: PlainPath["keys"][number]): Promise<string> {
    if ("key" in step) return step.key;
    const key = (await this.value(step.path)) ?? null;
    if (isObject(key)) return "[object Object]";
    return isList(key) ? key.map((entry) => (entry === null ? "" : textOf(entry))).join(",") : String(key);
  }

  /** A key that was written through `path_to_key` is found by its original text too. */
  #property(held: Json, key: string): Json | undefined {
    if (typeof held === "string" && /^(?:0|[1-9]\d*)$/.test(key)) return held[Number(key)];
    if (!isObject(held) || Object.hasOwn(held, key)) return readPath(held, [key]);
    const plain = pathToKey(key);
    if (plain === key || !Object.hasOwn(held, plain)) return undefined;
    this.warnKey(key);
    return held[plain];
  }
}

/** Where names of a scope are read, and the computed fields that are being computed meanwhile. */
interface Reading {
  readonly place: RunScope;
  readonly fields: FieldReader;
  readonly above: readonly string[];
}

/** A name as a scope knows it by itself: its inputs, config, flat view and tiers, then finished calls. */
export async function scopeName(reading: Reading, name: string, key?: string): Promise<Json | undefined> {
  const { place } = reading;
  const scope = place.scopes[place.scope];
  if (scope === undefined) return undefined;
  if (name === "inputs") return scope.inputs;
  if (name === "config") return place.program.parts[scope.part]?.config;
  const flat = await flatName(reading, name);
  if (flat !== undefined) return flat;
  if (name === "raw" || name === "state") return scope[name];
  if (name === "computed") return computedObject(reading, key);
  return callName(reading, scope.calls, name, key);
}

/** A full path (`raw.a.b`) or one of the flat view (`a.b`). */
export async function scopePath(reading: Reading, [name = "", ...keys]: readonly string[]): Promise<Json | undefined> {
  const held = await scopeName(reading, name, keys[0]);
  return held === undefined ? undefined : readPath(held, keys);
}

/** A finished call by its name, else a bare name of the newest call that has it. */
async function callName(reading: Reading, calls: Readonly<Record<string, string>>, name: string, key?: string): Promise<Json | undefined> {
  const inside = (scope: string): Reading => ({ ...reading, place: { ...reading.place, scope } });
  if (Object.hasOwn(calls, name)) return callObject(inside(calls[name]!), key);
  for (const scope of Object.values(calls).reverse()) {
    const found = await flatName(inside(scope), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A name of the flat view: computed over raw over state. */
async function flatName({ place, fields, above }: Reading, name: string): Promise<Json | undefined> {
  const scope = place.scopes[place.scope];
  if (scope === undefined) return undefined;
  const computed = hasComputed(place) ? await fields.value(place, name, above) : undefined;
  if (computed !== undefined && computed.ignored !== true) return computed.value;
  return Object.hasOwn(scope.raw, name) ? scope.raw[name] : own(scope.state, name);
}

async function callObject(reading: Reading, key: string | undefined): Promise<JsonObject> {
  const { run, scope } = reading.place;
  if (key === undefined) return reading.fields.kept(`${run}\n${scope}\nflat`, Object.entries(await flatScope(reading)));
  return Object.fromEntries(await entriesOf([key, pathToKey(key)], (name) => flatName(reading, name)));
}

/** `computed` as an object: the wanted key alone, or all fields. */
async function computedObject({ place, fields, above }: Reading, key?: string): Promise<JsonObject> {
  const all = fields.names(place);
  const wanted = key === undefined ? all : all.filter((name) => name === key || name === pathToKey(key));
  const entries = await entriesOf(wanted, async (name) => {
    const result = await fields.value(place, name, above);
    return result?.ignored === true ? undefined : result?.value;
  });
  return key === undefined ? fields.kept(`${place.run}\n${place.scope}\ncomputed`, entries) : Object.fromEntries(entries);
}

/** Names with their values, of those that have one. */
async function entriesOf(names: readonly string[], read: (name: string) => Promise<Json | undefined>): Promise<[string, Json][]> {
  const entries: [string, Json][] = [];
  for (const name of new Set(names)) {
    const value = await read(name);
    if (value !== undefined) entries.push([name, value]);
  }
  return entries;
}

/** The whole flat view of a scope. */
export async function flatScope(reading: Reading): Promise<JsonObject> {
  const scope = reading.place.scopes[reading.place.scope];
  return scope === undefined ? {} : { ...scope.state, ...scope.raw, ...(await computedObject(reading)) };
}

/** Most workflows have no computed fields. */
function hasComputed({ program, scopes, scope }: RunScope): boolean {
  return (program.parts[scopes[scope]?.part ?? ""]?.computed.length ?? 0) > 0;
}

function computedNames(place: RunScope, fields: FieldReader): readonly string[] {
  return hasComputed(place) ? fields.names(place) : [];
}

/** Names of groups of values in this scope, which are never null. */
export function spacesOf(place: RunScope, fields: FieldReader): string[] {
  const scope = place.scopes[place.scope];
  if (scope === undefined) return [];
  const computed = new Set(computedNames(place, fields));
  const taken = (name: string): boolean => computed.has(name) || Object.hasOwn(scope.raw, name) || Object.hasOwn(scope.state, name);
  return ["inputs", "config", ...["raw", "state", "computed", ...Object.keys(scope.calls)].filter((name) => !taken(name))];
}

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
  { run, scopes, scope }: RunScope,
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
