import { shellWord } from "../base/index.ts";
import type { Decided } from "../runner/index.ts";
import type { Given } from "./define-command.ts";
import { flagOf } from "./parse-values.ts";
import { driveLine } from "./printed-lines.ts";

type Options = Given["options"];
type Decider = Decided["permission"];

/** What counts for another agent too. */
const anyAgent = ["permission", "role", "workers", "context"];

/** Options as they are typed. */
export function flagsOf(options: Options, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value: unknown = options[name];
    return [value].flat().flatMap((each) => (typeof each === "string" ? `${flagOf(name)} ${shellWord(each)}` : []));
  });
}

/** Those that drive a run in the same way. */
export function typedFlags(options: Options, kept: readonly string[]): readonly string[] {
  return [...flagsOf(options, kept), ...(options["wait"] === false ? ["--no-wait"] : [])];
}

/** The line that drives a run again in the same way. */
export function sameLine(run: string, options: Options, kept: readonly string[]): string {
  return driveLine(run, typedFlags(options, kept));
}

/** The line that lets agents do everything that they were refused; undefined where steps themselves say what they may do. */
export function freerLine(run: string, options: Options, kept: readonly string[], by: readonly Decider[]): string | undefined {
  const roles = by.flatMap((each) => (typeof each === "object" ? each.role : []));
  if (by.every((each) => each === "step")) return undefined;
  const bound = roles.reduce((all, role) => forRole(all, role, "permission"), options);
  return sameLine(run, by.includes("run") ? { ...bound, permission: "all" } : bound, kept);
}

/** The options with another agent for a role, or with every permission for it; what else was said of the role stays, but for the model of the agent. */
function forRole(options: Options, role: string, what: "agent" | "permission"): Options {
  const said = (options["role"] ?? []) as readonly string[];
  const isOf = (text: string): boolean => text.slice(0, text.indexOf("=")).trim() === role;
  const parts = said.filter(isOf).flatMap((text) => text.slice(text.indexOf("=") + 1).split(","));
  const isPermission = (part: string): boolean => part.trim().startsWith("permission=");
  const now =
    what === "agent" ? ["<name>", ...parts.filter(isPermission)] : [...parts.filter((part) => !isPermission(part)), "permission=all"];
  return { ...options, role: [...said.filter((text) => !isOf(text)), `${role}=${now.join(",")}`] };
}

/** The line that lets another agent continue after a limit: of the run, or of a role. */
export function otherLine(run: string, options: Options, kept: readonly string[], role: string | undefined): string {
  if (role !== undefined) return sameLine(run, forRole(options, role, "agent"), kept);
  return driveLine(run, ["--agent <name>", ...flagsOf(options, anyAgent), "--on-lost fresh"]);
}
