import { isObject, nearest } from "../base/index.ts";
import { isWord, type EntryProblem } from "./check-setting.ts";
import type { RoleConfig } from "./settings.ts";

const levels = ["read", "edit", "all"];

const roleKeys: Readonly<Record<string, { readonly fits: (value: unknown) => boolean; readonly expected: string }>> = {
  agent: { fits: isWord, expected: "the name of an agent" },
  model: { fits: isWord, expected: "the name of a model" },
  permission: { fits: (value) => typeof value === "string" && levels.includes(value), expected: `one of ${levels.join(", ")}` },
};

/** A role's entry of a configuration file, or everything that is wrong with it. */
export function checkRole(given: unknown): { readonly value?: Omit<RoleConfig, "from">; readonly problems: readonly EntryProblem[] } {
  const names = Object.keys(roleKeys);
  if (!isObject(given) || Object.keys(given).length === 0) return { problems: [{ expected: `a map with ${names.join(", ")}` }] };
  const problems: EntryProblem[] = Object.keys(given)
    .filter((key) => !names.includes(key))
    .map((key) => ({ key, unknown: nearest(key, names) }));
  for (const [key, { fits, expected }] of Object.entries(roleKeys))
    if (Object.hasOwn(given, key) && !fits(given[key])) problems.push({ key, expected });
  return problems.length > 0 ? { problems } : { value: given, problems };
}
