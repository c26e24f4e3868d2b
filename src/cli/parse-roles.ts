import type { RoleBinding } from "../ports/index.ts";
import { badValue, didYouMean } from "./codes.ts";

const levels = ["read", "edit", "all"] as const;
const keys = ["model", "permission"];

/** `--role Reviewer=codex,model=gpt-5,permission=read`, each role once. The agent may be left out. */
export function parseRoles(given: readonly string[]): Readonly<Record<string, RoleBinding>> {
  const roles = new Map<string, RoleBinding>();
  for (const text of given) {
    const at = text.indexOf("=");
    const name = text.slice(0, Math.max(0, at)).trim();
    if (name === "" || text.slice(at + 1).trim() === "") throw wrong(text, "It names a role and who plays it.");
    if (roles.has(name)) throw wrong(text, `The role \`${name}\` is bound twice.`);
    roles.set(name, parseBinding(text, text.slice(at + 1)));
  }
  return Object.fromEntries(roles);
}

function parseBinding(whole: string, text: string): RoleBinding {
  const [first = "", ...others] = text.split(",").map((part) => part.trim());
  const isAgent = !keys.some((key) => first.startsWith(`${key}=`));
  const facts = new Map<string, string>();
  for (const part of isAgent ? others : [first, ...others]) {
    const at = part.indexOf("=");
    const key = part.slice(0, Math.max(0, at));
    const value = part.slice(at + 1);
    if (!keys.includes(key)) throw wrong(whole, `\`${part}\` is neither a model nor a permission.${didYouMean(key, keys)}`);
    if (value === "" || facts.has(key)) throw wrong(whole, `\`${key}\` has one value.`);
    facts.set(key, value);
  }
  if (isAgent && first === "") throw wrong(whole, "It names no agent.");
  const [model, permission] = [facts.get("model"), facts.get("permission")];
  const level = levels.find((each) => each === permission);
  if (permission !== undefined && level === undefined) throw wrong(whole, `A permission is one of ${levels.join(", ")}.`);
  return {
    ...(isAgent ? { agent: first } : {}),
    ...(model === undefined ? {} : { model }),
    ...(level === undefined ? {} : { permission: { level } }),
  };
}

function wrong(given: string, why: string): Error {
  return badValue(`\`--role ${given}\` is not possible. ${why}`, "Write for example `--role Reviewer=codex,model=gpt-5,permission=read`.");
}
