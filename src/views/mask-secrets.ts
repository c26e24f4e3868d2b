import { cutMark, isList, isObject, type Json } from "../base/index.ts";
import type { RunState } from "../kernel/index.ts";
import type { InputSpec, Program } from "../program/index.ts";

export const mask = "********";

/** Shorter numbers, and shorter parts of keys, are too common to be taken for the secret. */
const telling = 4;

/** Hides the values of secret inputs, whole or inside a text or a key, plain or escaped, wherever they got to. */
export function maskSecrets<T extends Json>(value: T, program: Program, state: RunState): T {
  const hidden = hiddenOf(program, state);
  return hidden === undefined ? value : (hide(value, hidden) as T);
}

interface Hidden {
  readonly scopes: RunState["scopes"];
  readonly program: Program;
  readonly exact: ReadonlySet<string>;
  readonly inText: RegExp | undefined;
  readonly inKeys: RegExp | undefined;
  /** Values as JSON by the name of their input, where they are hidden whole whatever they are. */
  readonly named: ReadonlyMap<string, ReadonlySet<string>>;
}

type SecretNames = ReadonlyMap<string, readonly [name: string, spec: InputSpec][]>;
const namesKnown = new WeakMap<Program, SecretNames>();
const hiddenKnown = new WeakMap<RunState, Hidden>();

/** Secret inputs of each part that has any. */
function secretNames(program: Program): SecretNames {
  const known = namesKnown.get(program);
  if (known !== undefined) return known;
  const found = new Map<string, [string, InputSpec][]>();
  for (const [part, { inputs }] of Object.entries(program.parts)) {
    const secret = Object.entries(inputs).filter(([, spec]) => spec.secret === true);
    if (secret.length > 0) found.set(part, secret);
  }
  namesKnown.set(program, found);
  return found;
}

function hiddenOf(program: Program, state: RunState): Hidden | undefined {
  const names = secretNames(program);
  if (names.size === 0) return undefined;
  const known = hiddenKnown.get(state);
  if (known?.scopes === state.scopes && known.program === program) return known;
  const hidden = collect(names, program, state);
  hiddenKnown.set(state, hidden);
  return hidden;
}

function collect(names: SecretNames, program: Program, state: RunState): Hidden {
  const named = new Map<string, Set<string>>();
  const texts = new Set<string>();
  const take = (name: string, value: Json | undefined): void => {
    if (value === undefined || value === null || value === "") return;
    const values = named.get(name) ?? new Set<string>();
    const whole = JSON.stringify(value);
    if (values.has(whole)) return;
    named.set(name, values.add(whole));
    for (const leaf of leaves(value)) for (const form of formsOf(leaf)) texts.add(form);
  };
  for (const scope of Object.values(state.scopes)) for (const [name] of names.get(scope.part) ?? []) take(name, scope.inputs[name]);
  // The scope of a call or a task may be gone while the journal still shows what its inputs were by default.
  for (const [part, secret] of names) if (part !== program.main) for (const [name, spec] of secret) take(name, spec.default);
  const sorted = [...texts].toSorted((one, other) => other.length - one.length);
  return {
    scopes: state.scopes,
    program,
    exact: texts,
    inText: anyOf(sorted),
    inKeys: anyOf(sorted.filter((text) => text.length >= telling)),
    named,
  };
}

function leaves(value: Json): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value === "number") return String(value).length < telling ? [] : [String(value)];
  if (isList(value)) return value.flatMap(leaves);
  return isObject(value) ? Object.values(value).flatMap(leaves) : [];
}

/** A text as it is, in JSON, in JSON inside JSON, and as a word that the shell gets in quotes. */
function formsOf(text: string): string[] {
  const once = escaped(text);
  return [
    text,
    once,
    escaped(once),
    ascii(once),
    escaped(ascii(once)),
    text.replaceAll("'", "'\\''"),
    escaped(text.replaceAll("'", "'\\''")),
  ];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As writers of JSON do it that keep to ASCII. */
function ascii(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function anyOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  return new RegExp(texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "g");
}

function hide(value: Json, hidden: Hidden): Json {
  if (typeof value === "string") return hidden.inText === undefined ? value : hideCut(value.replaceAll(hidden.inText, mask), hidden);
  if (typeof value === "number") return hidden.exact.has(String(value)) ? mask : value;
  if (isList(value)) return value.map((entry) => hide(entry, hidden));
  return isObject(value) ? hideObject(value, hidden) : value;
}

/** In front of the mark of a cut, the beginning of a secret is hidden too. */
function hideCut(text: string, { exact }: Hidden): string {
  const end = text.search(cutMark);
  if (end === -1) return text;
  const kept = text.slice(0, end);
  const begun = Math.max(...[...exact].map((secret) => endThatBegins(kept, secret)));
  return begun < telling ? text : `${kept.slice(0, -begun)}${mask}${text.slice(end)}`;
}

/** How many characters at the end of a text are the beginning of a secret. */
function endThatBegins(text: string, secret: string): number {
  let length = Math.min(secret.length - 1, text.length);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length -= 1;
  return length;
}

function hideObject(value: Readonly<Record<string, Json>>, hidden: Hidden): Json {
  const alike = new Map<string, number>();
  const entries = Object.entries(value).map(([key, entry]): [string, Json] => {
    const whole = hidden.named.get(key)?.has(JSON.stringify(entry)) === true;
    const held = whole ? mask : hide(entry, hidden);
    const shown = hideKey(key, hidden);
    if (shown === key) return [key, held];
    // Two keys that look alike now are still two.
    const count = (alike.get(shown) ?? 0) + 1;
    alike.set(shown, count);
    return [count === 1 ? shown : `${shown} (${count})`, held];
  });
  return Object.fromEntries(entries);
}

function hideKey(key: string, { exact, inKeys }: Hidden): string {
  if (exact.has(key)) return mask;
  return inKeys === undefined ? key : key.replaceAll(inKeys, mask);
}
