import type { Instance } from "../ports/index.ts";

/** The text of an instance with every run of white space as one space: formatting does not make it another one. */
export function normalisedText(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Same for all instances that one decision can cover: same pattern, type and text. */
export function groupKey(instance: Pick<Instance, "pattern" | "type" | "text">): string {
  return `${instance.pattern}:${instance.type}:${fingerprint(normalisedText(instance.text))}`;
}

/** Names an instance for as long as its text stays, wherever it moves in its file. Unique in a scan. */
export function instanceKey(path: string, instance: Pick<Instance, "pattern" | "text" | "ordinal">): string {
  return `${path}#${instance.pattern}:${fingerprint(normalisedText(instance.text))}:${instance.ordinal}`;
}

/** What ordinals are counted by: the same for all instances whose keys differ in the ordinal alone. */
export function ordinalKey(pattern: string, text: string): string {
  // The same bits as in a key, left as numbers: this is worked out for every instance.
  const [first, second] = halves(normalisedText(text));
  return `${first}:${second}:${pattern}`;
}

/** 64 bits in hexadecimal; not a secret, only short. */
function fingerprint(text: string): string {
  const [first, second] = halves(text);
  return hex(first) + hex(second);
}

function halves(text: string): readonly [number, number] {
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit ^ (first >>> 15), 0x85ebca6b);
  }
  return [first ^ (second >>> 13), second ^ (first >>> 16)];
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
