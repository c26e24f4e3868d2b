import type { Json } from "../base/index.ts";
import { badBinding } from "./codes.ts";
import type { KeptChanges, KeptValue } from "./protocol.ts";

/** Text shorter than this is sent with every call. */
const shortLength = 256;
/** JSON text up to this length is parsed by every call; longer values live inside the interpreter of their space. */
const textLength = 1024;
const mostTexts = 5000;
const mostTextLength = 8 << 20;
/** Spaces that may have values inside an interpreter at the same time. */
const mostSpaces = 4;
/** What an object takes in the interpreter per character of its JSON, about. */
const bytesPerCharacter = 6;

interface Sent {
  readonly names: string;
  readonly values: string | readonly (string | number)[];
  readonly rooted: boolean;
  readonly changes?: KeptChanges;
}
interface Draft {
  readonly space: string;
  readonly keep: KeptValue[];
  readonly used: Set<number>;
  rooted: boolean;
}

/**
 * The host's book of what the worker keeps. An object is known by identity, a long string by content; both go over once and
 * are named by id from then on, until newer ones need the room. One book belongs to one worker and its calls in order.
 */
export class KeptValues {
  readonly #budget: number;
  readonly #objects = new WeakMap<object, { readonly id: number; readonly small: boolean }>();
  readonly #texts = new ValueCache();
  /** Least recently used first. */
  readonly #spaces = new Map<string, ValueCache>();
  #next = 1;
  /** Objects and long strings that were sent, and the characters of all values. */
  valuesSent = 0;
  lengthSent = 0;

  /** `budget`: bytes that values inside interpreters may take together, estimated. */
  constructor(budget: number) {
    this.#budget = budget;
  }

  /** The part of a call message that names and carries the bindings. */
  send(space: string, bindings: Readonly<Record<string, Json>>): Sent {
    const draft: Draft = { space, keep: [], used: new Set(), rooted: false };
    const names = Object.keys(bindings);
    const values = this.#placeAll(draft, names, bindings);
    let own = 0;
    for (const value of values) {
      if (typeof value !== "string") own++;
      else this.lengthSent += value.length;
    }
    const sent = { names: names.join(","), values: own === 0 ? `[${values.join(",")}]` : values, rooted: draft.rooted };
    return draft.keep.length === 0
      ? sent
      : { ...sent, changes: { keep: draft.keep, dropTexts: this.#trimTexts(draft), ...this.#makeRoom(draft) } };
  }

  /** The worker threw the interpreter of this space away. */
  lose(space: string): void {
    this.#spaces.delete(space);
  }

  #placeAll(draft: Draft, names: readonly string[], bindings: Readonly<Record<string, Json>>): (string | number)[] {
    try {
      return names.map((name) => this.#place(draft, name, bindings[name]));
    } catch (error) {
      // Nothing of this call is sent, so nothing of it is kept.
      for (const { id, as } of draft.keep) this.#cacheOf(draft, as === "text").remove(id);
      throw error;
    }
  }

  /** JSON text to send with the call, or the id of a kept value. */
  #place(draft: Draft, name: string, value: Json | undefined): string | number {
    if (typeof value === "object" && value !== null) return this.#placeObject(draft, name, value);
    if (typeof value === "string" && value.length >= shortLength) return this.#placeText(draft, value);
    return encode(name, value ?? null);
  }

  /** Too large to be kept: sent again with every call. */
  #once(text: string): string {
    this.valuesSent++;
    return text;
  }

  #placeText(draft: Draft, value: string): string | number {
    const small = value.length <= textLength;
    const cache = this.#cacheOf(draft, small);
    const known = cache.findText(value);
    if (known !== undefined && cache.touch(known)) return this.#use(draft, known, small);
    if (!small && value.length * 2 > this.#budget) return this.#once(JSON.stringify(value));
    const id = this.#next++;
    cache.add(id, small ? value.length : value.length * 2, value);
    return this.#keep(draft, small ? { id, as: "text", body: JSON.stringify(value) } : { id, as: "string", body: value });
  }

  #placeObject(draft: Draft, name: string, value: object): string | number {
    const known = this.#objects.get(value);
    if (known && this.#cacheOf(draft, known.small).touch(known.id)) return this.#use(draft, known.id, known.small);
    const body = encode(name, value);
    const small = body.length <= textLength;
    const weight = small ? body.length : body.length * bytesPerCharacter;
    if (!small && weight > this.#budget) return this.#once(body);
    const id = known?.id ?? this.#next++;
    if (!known) this.#objects.set(value, { id, small });
    this.#cacheOf(draft, small).add(id, weight);
    return this.#keep(draft, { id, as: small ? "text" : "json", body });
  }

  #cacheOf(draft: Draft, small: boolean): ValueCache {
    if (small) return this.#texts;
    const cache = this.#spaces.get(draft.space) ?? new ValueCache();
    this.#spaces.set(draft.space, cache);
    return cache;
  }

  #keep(draft: Draft, value: KeptValue): number {
    draft.keep.push(value);
    this.valuesSent++;
    this.lengthSent += value.body.length;
    return this.#use(draft, value.id, value.as === "text");
  }

  #use(draft: Draft, id: number, small: boolean): number {
    draft.used.add(id);
    draft.rooted ||= !small;
    return id;
  }

  #trimTexts({ used }: Draft): number[] {
    const texts = this.#texts;
    if (texts.size <= mostTexts && texts.weight <= mostTextLength) return [];
    return texts.trim(used, () => texts.size <= mostTexts * 0.9 && texts.weight <= mostTextLength * 0.9);
  }

  /** Other spaces give way first, oldest first; then the oldest values of this one that the call does not use. */
  #makeRoom({ space, used, rooted }: Draft): { close: string[]; drop: number[] } {
    const cache = this.#spaces.get(space);
    if (!rooted || !cache) return { close: [], drop: [] };
    this.#spaces.delete(space);
    this.#spaces.set(space, cache);
    const close: string[] = [];
    const total = (): number => [...this.#spaces.values()].reduce((sum, { weight }) => sum + weight, 0);
    for (const other of this.#spaces.keys()) {
      if (other === space || (this.#spaces.size <= mostSpaces && total() <= this.#budget)) break;
      this.#spaces.delete(other);
      close.push(other);
    }
    return { close, drop: cache.weight > this.#budget ? cache.trim(used, () => cache.weight <= this.#budget) : [] };
  }
}

function encode(name: string, value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (cause) {
    throw badBinding(name, cause);
  }
  throw badBinding(name, new TypeError(`a ${typeof value} is not JSON`));
}

/** Ids of values that the other side keeps, least recently used first, with what each weighs. */
class ValueCache {
  readonly #weights = new Map<number, { readonly weight: number; readonly text?: string }>();
  readonly #byText = new Map<string, number>();
  weight = 0;

  get size(): number {
    return this.#weights.size;
  }

  /** Whether the id is kept; if so it counts as used just now. */
  touch(id: number): boolean {
    const held = this.#weights.get(id);
    if (held === undefined) return false;
    this.#weights.delete(id);
    this.#weights.set(id, held);
    return true;
  }

  findText(text: string): number | undefined {
    return this.#byText.get(text);
  }

  add(id: number, weight: number, text?: string): void {
    this.#weights.set(id, text === undefined ? { weight } : { weight, text });
    if (text !== undefined) this.#byText.set(text, id);
    this.weight += weight;
  }

  remove(id: number): void {
    const held = this.#weights.get(id);
    if (held === undefined) return;
    this.#weights.delete(id);
    if (held.text !== undefined) this.#byText.delete(held.text);
    this.weight -= held.weight;
  }

  /** Gives up the oldest ids, but none of `used`, until `fits`; answers them. */
  trim(used: ReadonlySet<number>, fits: () => boolean): number[] {
    const dropped: number[] = [];
    for (const id of this.#weights.keys()) {
      if (fits()) break;
      if (used.has(id)) continue;
      this.remove(id);
      dropped.push(id);
    }
    return dropped;
  }
}
