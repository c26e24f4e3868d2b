import { isList, isObject, type Json, type JsonObject } from "../base/index.ts";
import type { Event } from "../kernel/index.ts";

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** Where large values are kept, by their content. */
interface Blobs {
  putBlob(bytes: Uint8Array): Promise<{ readonly hash: string; readonly bytes: number }>;
  readBlob(hash: string): Promise<Uint8Array | undefined>;
}

/** Texts shorter than this are never searched for large parts. */
const worthLooking = 64 * 1024;
/** A string of this many characters, or an object of four times as many, leaves the text and is kept once, by its content. */
const largePart = 16 * 1024;

const marker = "$blob";
/** Keys that look like the marker get one more `$`. */
const lookalike = /^\$+blob$/;

/**
 * References of values that this run keeps as blobs, by identity: values are immutable, so the same object need not be looked
 * at again. Belongs to one run, since another one may be removed together with its blobs.
 */
export type KeptParts = WeakMap<object, JsonObject>;

/** JSON text of a record, with large values kept as blobs beside it. */
export async function encodeJournal(store: Blobs, value: unknown, kept?: KeptParts): Promise<string> {
  const text = JSON.stringify(value);
  if (text.length < worthLooking && !text.includes(marker)) return text;
  return (await encodeSnapshot(store, value, kept)).text;
}

/** The same for a state, most of which may be kept already. `written` counts the characters of the text and of new blobs. */
export async function encodeSnapshot(
  store: Blobs,
  value: unknown,
  kept: KeptParts = new WeakMap(),
): Promise<{ readonly text: string; readonly written: number }> {
  const leaving: Leaving[] = [];
  const { value: small } = split(value as Json, leaving, kept);
  let written = 0;
  for (const { value: whole, part, reference } of leaving) {
    const text = JSON.stringify(part);
    const facts = await store.putBlob(new TextEncoder().encode(text));
    Object.assign(reference, { [marker]: facts.hash, bytes: facts.bytes });
    if (typeof whole === "object" && whole !== null) kept.set(whole, reference);
    written += text.length;
  }
  const text = JSON.stringify(small);
  return { text, written: written + text.length };
}

/** A value on its way into a blob, and the object that will refer to it from the text. */
interface Leaving {
  readonly value: Json;
  /** What the blob holds: the value, with keys kept apart from the marker. */
  readonly part: Json;
  readonly reference: Record<string, Json>;
}

interface Sized {
  readonly value: Json;
  readonly size: number;
  /** Whether a part of it leaves. Such a value stays in the text: references inside blobs would not be found again. */
  readonly parted: boolean;
}

/** The value itself when nothing of it leaves, else a copy with references. */
function split(value: Json, leaving: Leaving[], kept: KeptParts): Sized {
  if (typeof value === "string") return value.length < largePart ? { value, size: value.length + 2, parted: false } : leave(value, leaving);
  if (typeof value !== "object" || value === null) return { value, size: 8, parted: false };
  const known = kept.get(value);
  if (known !== undefined) return { value: known, size: 100, parted: true };
  const sized = isList(value) ? splitList(value, leaving, kept) : splitObject(value, leaving, kept);
  return sized.parted || sized.size < largePart * 4 ? sized : leave(value, leaving, sized.value);
}

function splitList(value: readonly Json[], leaving: Leaving[], kept: KeptParts): Sized {
  let copy: Json[] | undefined;
  let size = 2;
  let parted = false;
  for (let index = 0; index < value.length; index += 1) {
    const entry = value[index] ?? null;
    const part = split(entry, leaving, kept);
    if (part.value !== entry) copy ??= value.slice(0, index);
    copy?.push(part.value);
    size += part.size + 1;
    parted ||= part.parted;
  }
  return { value: copy ?? value, size, parted };
}

function splitObject(value: JsonObject, leaving: Leaving[], kept: KeptParts): Sized {
  const keys = Object.keys(value);
  const parts: Json[] = [];
  let size = 2;
  let parted = false;
  let same = true;
  for (const key of keys) {
    const entry = value[key];
    const part = entry === undefined ? { value: entry as unknown as Json, size: 0, parted: false } : split(entry, leaving, kept);
    parts.push(part.value);
    same &&= part.value === entry && !(key.endsWith(marker) && lookalike.test(key));
    size += part.size + key.length + 4;
    parted ||= part.parted;
  }
  if (same) return { value, size, parted };
  const copy: Record<string, Json> = {};
  keys.forEach((key, index) => define(copy, lookalike.test(key) ? `$${key}` : key, parts[index] as Json));
  return { value: copy, size, parted };
}

function leave(value: Json, leaving: Leaving[], part: Json = value): Sized {
  const reference: Record<string, Json> = {};
  leaving.push({ value, part, reference });
  return { value: reference, size: 100, parted: true };
}

/** The inverse of both. A blob that is gone is an error: the journal would be incomplete. */
export async function decodeJournal<T>(store: Blobs, text: string, kept?: KeptParts): Promise<T> {
  const value = JSON.parse(text) as Json;
  return (text.includes(marker) ? await join(store, value, kept) : value) as T;
}

/** The events of a record of the journal. */
export async function readEvents(store: Blobs, { events }: { readonly events: string }, kept?: KeptParts): Promise<readonly Event[]> {
  return decodeJournal(store, events, kept);
}

async function join(store: Blobs, value: Json, kept: KeptParts | undefined): Promise<Json> {
  if (isList(value)) {
    const parts: Json[] = [];
    for (const entry of value) parts.push(await join(store, entry, kept));
    return parts;
  }
  if (!isObject(value)) return value;
  const hash = value[marker];
  if (typeof hash === "string") return fetchBlob(store, hash, value, kept);
  const parts: Record<string, Json> = {};
  for (const [key, entry] of Object.entries(value)) define(parts, lookalike.test(key) ? key.slice(1) : key, await join(store, entry, kept));
  return parts;
}

async function fetchBlob(store: Blobs, hash: string, reference: JsonObject, kept: KeptParts | undefined): Promise<Json> {
  const bytes = await store.readBlob(hash);
  if (bytes === undefined) throw new Error(`The stored value ${hash} is missing.`);
  const value = await decodeJournal<Json>(store, new TextDecoder().decode(bytes));
  if (typeof value === "object" && value !== null) kept?.set(value, reference);
  return value;
}

/** Assigns an own property even for the name `__proto__`. */
function define(target: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
