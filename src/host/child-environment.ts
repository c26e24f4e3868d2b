import type { Environment } from "./user-folders.ts";

/** Variables that give the bearer a person's or a client's rights; nothing Waymark starts may hold them. */
export const ownTokenVariables: readonly string[] = ["WAYMARK_PERSON_TOKEN", "WAYMARK_TOKEN"];

/** What a command or a tool server sees: this process' environment, since builds need it, without Waymark's own tokens. */
export function childEnvironment(env: Environment, more: Environment = {}): Record<string, string> {
  const held: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...env, ...more })) {
    if (value !== undefined && !ownTokenVariables.includes(name.toUpperCase())) held[name] = value;
  }
  return held;
}
