import { WaymarkError, isList, isObject, type Json, type JsonObject } from "../base/index.ts";
import type { Scope } from "../kernel/index.ts";
import type { ComputedField, Expr, Part } from "../program/index.ts";
import { compileField, sourceName, type CompiledField } from "./compile-field.ts";
import { dependencyGraph } from "./dependency-graph.ts";
import { scopeName, scopePath, spacesOf, type FieldReader, type FieldValue, type RunScope } from "./names.ts";
import { nowName, uuidName } from "./run-script.ts";
import type { EvaluateRequest, Evaluated, FieldTrace, Functions, Runner } from "./runner.ts";

type Inputs = readonly (Json | undefined)[];

interface Cached {
  /** The scopes for which the result was last found to hold. */
  scopes: RunScope["scopes"];
  inputs: Inputs;
  readonly result: Promise<FieldValue>;
  /** The value, once it is known. */
  output?: Json;
}

interface Fields {
  readonly byName: ReadonlyMap<string, ComputedField>;
  readonly circles: ReadonlyMap<string, readonly string[]>;
}

interface Work {
  readonly place: RunScope;
  readonly compiled: CompiledField;
  readonly inputs: Inputs;
  readonly trigger: string;
  readonly functions?: Functions;
}

interface Outcome {
  readonly output?: Json;
  readonly error?: string;
  readonly ms: number;
  /** It ran into a limit. */
  readonly limited?: boolean;
}

const runsKept = 32;
const fieldsKept = 5000;

/**
 * Derived values, computed when read and only when something they depend on is another value than before. Values are
 * immutable, so identity tells; a result that equals the one before it keeps that one's identity.
 */
export class ComputedFields implements FieldReader {
  readonly #runner: Runner;
  readonly #onTrace: ((trace: FieldTrace) => void) | undefined;
  /** By run, least recently used first; in each, by scope and field. */
  readonly #cache = new Map<string, Map<string, Cached>>();
  readonly #objects = new Map<string, { readonly values: readonly unknown[]; readonly object: JsonObject }>();
  readonly #fields = new WeakMap<Part, Fields>();
  #computed = 0;

  constructor(runner: Runner, onTrace?: (trace: FieldTrace) => void) {
    this.#runner = runner;
    this.#onTrace = onTrace;
  }

  get computations(): number {
    return this.#computed;
  }

  forget(run: string): void {
    this.#cache.delete(run);
    for (const id of this.#objects.keys()) if (id.startsWith(`${run}\n`)) this.#objects.delete(id);
  }

  names(place: RunScope): readonly string[] {
    return [...(this.#fieldsOf(place)?.byName.keys() ?? [])];
  }

  async value(place: RunScope, name: string, above: readonly string[] = []): Promise<FieldValue | undefined> {
    const fields = this.#fieldsOf(place);
    const field = fields?.byName.get(name);
    if (fields === undefined || field === undefined) return undefined;
    if (field.fixed === true) {
      const fixed = place.scopes[place.scope]?.fixed ?? {};
      return Object.hasOwn(fixed, name) ? { value: fixed[name] ?? null } : { value: null, ignored: true };
    }
    const id = `${place.scope}\n${name}`;
    const circle = fields.circles.get(name) ?? (above.includes(id) ? [name] : undefined);
    if (circle !== undefined) return failed(field, `\`${circle.join("` → `")}\` depend on each other in a circle.`);
    const cache = this.#cacheOf(place.run);
    const held = cache.get(id);
    return held?.scopes === place.scopes ? held.result : this.#refresh(place, field, [...above, id], cache);
  }

  /** A field that is fixed when its scope opens: the only kind that may ask for the time or an id. */
  async fixedValue(place: RunScope, field: ComputedField, functions: Functions): Promise<FieldValue> {
    const compiled = compileField(field, spacesOf(place, this));
    const { inputs, error } = await this.#inputs(place, compiled, []);
    if (error !== undefined) return failed(field, error);
    return (await this.#compute({ place, compiled, inputs, trigger: "start", functions })).value;
  }

  kept(id: string, entries: readonly (readonly [string, Json])[]): JsonObject {
    const values = entries.flat();
    const known = this.#objects.get(id);
    if (known && sameAll(known.values, values)) return known.object;
    const object = Object.fromEntries(entries);
    this.#objects.set(id, { values, object });
    dropOldest(this.#objects, fieldsKept);
    return object;
  }

  async #refresh(place: RunScope, field: ComputedField, above: readonly string[], cache: Map<string, Cached>): Promise<FieldValue> {
    const id = above.at(-1)!;
    const compiled = compileField(field, spacesOf(place, this));
    const { inputs, error } = await this.#inputs(place, compiled, above);
    if (error !== undefined) return failed(field, error);
    // Another reader may have come to this point meanwhile; it is looked up again.
    const held = cache.get(id);
    if (held !== undefined && sameAll(held.inputs, inputs)) {
      held.scopes = place.scopes;
      return held.result;
    }
    const computing = this.#compute({ place, compiled, inputs, trigger: changedInput(compiled, held, inputs) });
    const fresh: Cached = { scopes: place.scopes, inputs, result: computing.then(({ value }) => keepEqual(held, value)) };
    fresh.result.catch(() => undefined);
    cache.delete(id);
    cache.set(id, fresh);
    dropOldest(cache, fieldsKept);
    try {
      const { limited } = await computing;
      const result = await fresh.result;
      fresh.output = result.value;
      // A limit may have been hit because the machine was busy: not remembered beyond this state of the run.
      if (limited) fresh.inputs = [];
      return result;
    } catch (thrown) {
      if (cache.get(id) === fresh) cache.delete(id);
      throw thrown;
    }
  }

  /** Everything a field depends on, in order; a field it needs that must not fail and did is the reason it cannot be computed. */
  async #inputs(
    place: RunScope,
    compiled: CompiledField,
    above: readonly string[],
  ): Promise<{ readonly inputs: Inputs; readonly error?: string }> {
    const failures: string[] = [];
    const fields: FieldReader = {
      names: (where) => this.names(where),
      kept: (id, entries) => this.kept(id, entries),
      value: async (where, name, chain) => {
        const result = await this.value(where, name, chain);
        if (result?.error !== undefined && this.#fieldsOf(where)?.byName.get(name)?.onError === "propagate") failures.push(result.error);
        return result;
      },
    };
    const reading = { place, fields, above };
    const inputs: (Json | undefined)[] = [];
    for (const keys of compiled.from) inputs.push(await scopePath(reading, keys));
    for (const { name, key } of compiled.reads)
      inputs.push(key === undefined ? await scopeName(reading, name) : await scopePath(reading, [name, key]));
    const [error] = failures;
    return error === undefined ? { inputs } : { inputs, error };
  }

  async #compute(work: Work): Promise<{ readonly value: FieldValue; readonly limited: boolean }> {
    const { place, compiled, inputs, trigger } = work;
    const { field, from, problem } = compiled;
    if (problem !== undefined) return { value: failed(field, problem), limited: false };
    this.#computed += 1;
    const { output: given = null, error, ms, limited = false } = await this.#run(work);
    const input = field.single ? (inputs[0] ?? null) : inputs.slice(0, from.length).map((each) => each ?? null);
    const value = error === undefined ? { value: given } : failed(field, error);
    const failure = error === undefined ? {} : { error };
    this.#onTrace?.({ run: place.run, scope: place.scope, field: field.name, trigger, input, output: value.value, ms, ...failure });
    return { value, limited };
  }

  async #run({ place, compiled, inputs, functions }: Work): Promise<Outcome> {
    const { from, reads, code, usesNow, usesUuid } = compiled;
    if ((usesNow || usesUuid) && functions === undefined)
      return { error: "`now()` and `uuid()` give something else every time, so only static fields can use them.", ms: 0 };
    const bindings: Record<string, Json> = {};
    for (const index of from.keys()) bindings[sourceName(index)] = inputs[index] ?? null;
    for (const [index, { bind }] of reads.entries()) bindings[bind] = inputs[from.length + index] ?? null;
    if (usesNow && functions) bindings[nowName] = functions.now();
    if (usesUuid && functions) bindings[uuidName] = functions.uuid();
    const result = await this.#runner.evaluate({ space: place.run, code, bindings });
    const { ms } = result;
    if (!result.ok) return { error: result.message, ms, limited: /TIMEOUT|MEMORY/.test(result.code) };
    const [output = null, valid] = result.value as readonly Json[];
    return valid === true ? { output, ms } : { error: "The result does not pass `validate`.", ms };
  }

  #fieldsOf(place: RunScope): Fields | undefined {
    const part = place.program.parts[place.scopes[place.scope]?.part ?? ""];
    if (part === undefined) return undefined;
    const held = this.#fields.get(part);
    if (held !== undefined) return held;
    const circles = new Map(dependencyGraph(part).cycles.flatMap((cycle) => cycle.map((name) => [name, cycle] as const)));
    const fresh = { byName: new Map(part.computed.map((field) => [field.name, field])), circles };
    this.#fields.set(part, fresh);
    return fresh;
  }

  #cacheOf(run: string): Map<string, Cached> {
    const all = this.#cache.get(run) ?? new Map<string, Cached>();
    this.#cache.delete(run);
    this.#cache.set(run, all);
    dropOldest(this.#cache, runsKept);
    return all;
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  if (map.size > most) for (const oldest of map.keys()) return void map.delete(oldest);
}

function sameAll(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
}

function keepEqual(held: Cached | undefined, result: FieldValue): FieldValue {
  return held?.output !== undefined && sameJson(held.output, result.value) ? { ...result, value: held.output } : result;
}

function failed(field: ComputedField, error: string): FieldValue {
  if (field.onError === "ignore") return { value: null, ignored: true, error };
  return { value: field.onError === "use_fallback" ? field.fallback : null, error };
}

function changedInput({ field, from, reads }: CompiledField, held: Cached | undefined, inputs: Inputs): string {
  if (held === undefined) return "first read";
  const index = held.inputs.length === inputs.length ? held.inputs.findIndex((value, at) => !Object.is(value, inputs[at])) : -1;
  if (index < 0) return "another try";
  const read = reads[index - from.length];
  return field.from[index] ?? (read === undefined ? "" : read.key === undefined ? read.name : `${read.name}.${read.key}`);
}

/** Whether two values are equal, however they came about. */
function sameJson(a: Json, b: Json): boolean {
  if (Object.is(a, b)) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]!));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key]!, b[key]!));
}

/** What a scope opens with. */
export type Tiers = Pick<Scope, "raw" | "state" | "fixed">;

export interface OpeningScope extends Pick<RunScope, "run" | "program"> {
  readonly functions: Functions;
  readonly part: string;
  readonly inputs: JsonObject;
}

/** Templates see inputs and config; static fields see what the templates gave, and static fields before them. */
export async function initialTiers(
  fields: ComputedFields,
  request: OpeningScope,
  evaluate: (request: EvaluateRequest) => Promise<Evaluated>,
): Promise<Tiers> {
  const { run, program, part: name, inputs, functions } = request;
  const part = program.parts[name];
  const empty: Tiers = { raw: {}, state: {}, fixed: {} };
  if (part === undefined) return empty;
  const scope = `\nnew ${name}`;
  const place = (made: Tiers): RunScope => {
    return { run, program, scope, scopes: { [scope]: { part: name, inputs, version: 0, calls: {}, ...made } } };
  };
  const exprs: Record<string, Expr> = { raw: { as: "value", of: part.defaults.raw }, state: { as: "value", of: part.defaults.state } };
  const globals = { workflow_id: run, run_id: run };
  const outcome = await evaluate({ ...place(empty), exprs, locals: {}, globals, functions });
  if (!outcome.ok)
    throw new WaymarkError({
      code: outcome.code,
      message: `The default state of \`${name}\` cannot be computed: ${outcome.message}`,
      fix: "Correct the template under `default_state`, or give the inputs it needs.",
    });
  let made: Tiers = { ...empty, ...outcome.values };
  for (const next of dependencyGraph(part).order) {
    const field = part.computed.find((each) => each.name === next);
    if (field?.fixed !== true) continue;
    const result = await fields.fixedValue(place(made), field, functions);
    if (result.error !== undefined && field.onError === "propagate")
      throw new WaymarkError({
        code: "EXPRESSION_FAILED",
        message: `The static field \`${next}\` cannot be computed: ${result.error}`,
        fix: "Correct its `value`, or give it a `fallback`.",
      });
    if (result.ignored !== true) made = { ...made, fixed: { ...made.fixed, [next]: result.value } };
  }
  return made;
}
