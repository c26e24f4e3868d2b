import { isList, isObject, type Json } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import type { RunState } from "./run-state.ts";

export const mask = "********";

/** Replaces every occurrence of a secret input's value, whole or inside a text, wherever it got to. */
export function maskSecrets<T extends Json>(value: T, program: Program, state: RunState): T {
  const secrets = secretsOf(program, state);
  return secrets.length === 0 ? value : (hide(value, secrets) as T);
}

export function secretsOf(program: Program, state: RunState): readonly string[] {
  const found: string[] = [];
  for (const scope of Object.values(state.scopes)) {
    for (const [name, spec] of Object.entries(program.parts[scope.part]?.inputs ?? {})) {
      const value = scope.inputs[name];
      if (spec.secret === true && typeof value === "string" && value !== "") found.push(value);
    }
  }
  return found;
}

function hide(value: Json, secrets: readonly string[]): Json {
  if (typeof value === "string") return secrets.reduce<string>((text, secret) => text.replaceAll(secret, mask), value);
  if (isList(value)) return value.map((entry) => hide(entry, secrets));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, hide(entry, secrets)]));
  return value;
}
