import type { Instance, PatternSpec, ScanProblem, SuppressedInstance, Suppression } from "../../ports/index.ts";
import type { PreparedSource } from "../prepared-source.ts";
import type { Directive } from "./directive.ts";
import { readDirectives } from "./read-directives.ts";

export interface Sorted {
  readonly instances: readonly Instance[];
  readonly suppressed: readonly SuppressedInstance[];
  readonly problems: readonly ScanProblem[];
}

/**
 * Takes out what the team has settled by a comment in the file. Our own directive settles what tools found too; directives of other tools
 * settle our own findings alone, since a tool has looked at its own.
 */
export function suppress(found: readonly Instance[], source: PreparedSource, patterns: ReadonlyMap<string, PatternSpec>): Sorted {
  // Where nothing is found, a directive that does not count is all that could be said.
  if (found.length === 0 && !source.text.includes("waymark-ignore")) return { instances: found, suppressed: [], problems: [] };
  const { all, problems } = readDirectives(source);
  if (all.length === 0) return { instances: found, suppressed: [], problems };
  const instances: Instance[] = [];
  const suppressed: SuppressedInstance[] = [];
  for (const instance of found) {
    const by = all.find((directive) => settles(directive, instance, patterns.get(instance.pattern)));
    if (by === undefined) instances.push(instance);
    else suppressed.push({ ...instance, suppressed: suppressionBy(by) });
  }
  return { instances, suppressed, problems };
}

function suppressionBy({ reason }: Directive): Suppression {
  return reason === undefined ? { kind: "in_source" } : { kind: "in_source", reason };
}

function settles(directive: Directive, instance: Instance, spec: PatternSpec | undefined): boolean {
  const { kind, from, to, rules, except = [] } = directive;
  // A directive of these follows the end of what it is about.
  const last = kind === "ruff" || kind === "python" || kind === "nolint" || kind === "waymark" ? instance.endLine : instance.line;
  if (last < from || instance.line > to) return false;
  if (kind === "waymark") return (rules ?? []).some((rule) => rule === instance.pattern || rule === instance.rule);
  if (instance.tool !== undefined) return false;
  const same = (spec?.sameAs ?? []).flatMap((name) => ownName(name, kind));
  const isNamed = (rule: string): boolean => same.some((name) => means(kind, rule, name));
  return rules === undefined ? !except.some(isNamed) : rules.some(isNamed);
}

/** Tools whose rules a directive of the kind names. */
const toolsOf: Readonly<Record<Exclude<Directive["kind"], "waymark">, readonly string[]>> = {
  eslint: ["eslint", "oxlint"],
  biome: ["biome"],
  ruff: ["ruff"],
  python: ["pylint", "bandit", "semgrep"],
  nolint: ["clang-tidy", "cpplint"],
};

/** `no-empty` of `eslint/no-empty`; nothing for the rule of another tool. */
function ownName(name: string, kind: Exclude<Directive["kind"], "waymark">): readonly string[] {
  const [tool = "", ...rest] = name.split("/");
  return toolsOf[kind].includes(tool) ? [rest.join("/")] : [];
}

function means(kind: Directive["kind"], rule: string, name: string): boolean {
  switch (kind) {
    case "eslint":
      // oxlint takes the name without its plugin as well.
      return plainRule(rule) === plainRule(name) || rule === name.slice(name.lastIndexOf("/") + 1);
    case "biome":
      // A group covers all its rules.
      return `lint/${name}` === rule || `lint/${name}`.startsWith(`${rule}/`);
    case "ruff":
      return rule === name.toUpperCase();
    default:
      return rule.endsWith("*") ? name.startsWith(rule.slice(0, -1)) : rule === name;
  }
}

/** ESLint and oxlint call the plugin for TypeScript differently. */
function plainRule(name: string): string {
  return name.replace(/^(?:@typescript-eslint|typescript-eslint|typescript)\//, "ts/").replace(/^eslint\//, "");
}
