import { splitPath } from "../base/index.ts";
import type { ComputedField, DeclaredState, Tier } from "../program/index.ts";
import { analyse } from "./analyse.ts";
import { prepareCode } from "./run-script.ts";

interface DependencyGraph {
  /** Computed fields, each after everything it depends on; fields in circles are left out. */
  readonly order: readonly string[];
  readonly cycles: readonly (readonly string[])[];
  direct(field: string): string[];
  all(field: string): string[];
  dependents(field: string): string[];
}

const spaces = ["raw", "state", "computed", "inputs"];

/** What depends on what: declared `from` paths, and what a transformation or validation mentions by name. */
export function dependencyGraph(part: DeclaredState): DependencyGraph {
  const fields = new Set(part.computed.map(({ name }) => name));
  const direct = new Map(part.computed.map((field) => [field.name, directOf(field, fields, part)]));
  const inner = (name: string): string[] =>
    (direct.get(name) ?? []).flatMap((path) =>
      path.startsWith("computed.") ? [path.slice("computed.".length).split(/[.[]/)[0] ?? ""] : [],
    );
  const all = (name: string): string[] => {
    const found = new Set<string>();
    const visit = (field: string): void => {
      for (const path of direct.get(field) ?? []) {
        if (found.has(path)) continue;
        found.add(path);
        for (const next of inner(field)) visit(next);
      }
    };
    visit(name);
    return [...found];
  };
  const plain = (field: string): string => field.replace(/^computed\./, "");
  return {
    ...sort([...fields], inner),
    direct: (field) => [...(direct.get(plain(field)) ?? [])],
    all: (field) => all(plain(field)),
    dependents: (field) => [...fields].filter((name) => name !== plain(field) && all(name).some((path) => matches(path, field))),
  };
}

function directOf({ from, transform, validate }: ComputedField, fields: ReadonlySet<string>, part: DeclaredState): string[] {
  const paths: (string | undefined)[] = from.map((path) => fullPath(path, fields, part));
  const free = spaces.filter((space) => !fields.has(space));
  for (const text of validate === undefined ? [transform] : [transform, validate]) {
    const analysed = analyse(text);
    for (const { name, key } of "error" in analysed ? [] : prepareCode(analysed, free).reads) {
      if (name === "input" || name === "output") continue;
      if (name === "computed" && key === undefined && !fields.has(name)) paths.push(...[...fields].map((other) => `computed.${other}`));
      else paths.push(namedPath(key === undefined ? name : `${name}.${key}`, fields, part));
    }
  }
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** Like `fullPath`, but a name that nothing declares is not a dependency: it may be a call, or a mistake. */
function namedPath(path: string, fields: ReadonlySet<string>, part: DeclaredState): string | undefined {
  const [first = ""] = path.split(".");
  const declared = spaces.includes(first) || fields.has(first) || declares(part, "raw", first) || declares(part, "state", first);
  return declared ? fullPath(path, fields, part) : undefined;
}

function fullPath(path: string, fields: ReadonlySet<string>, part: DeclaredState): string {
  const [first = ""] = splitPath(path) ?? [path];
  if (fields.has(first)) return `computed.${path}`;
  if (spaces.includes(first) || first === "config") return path;
  return declares(part, "state", first) && !declares(part, "raw", first) ? `state.${path}` : `raw.${path}`;
}

function declares({ fields, defaults }: DeclaredState, tier: Tier, name: string): boolean {
  return Object.hasOwn(fields[tier], name) || Object.hasOwn(defaults[tier], name);
}

function matches(path: string, field: string): boolean {
  const full = spaces.some((space) => field.startsWith(`${space}.`));
  const wanted = full ? [field] : spaces.map((space) => `${space}.${field}`);
  return wanted.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`) || name.startsWith(`${path}.`));
}

/** Strongly connected groups after Tarjan: each comes out after the groups it depends on. */
function sort(names: readonly string[], inner: (name: string) => readonly string[]): Pick<DependencyGraph, "order" | "cycles"> {
  const order: string[] = [];
  const cycles: string[][] = [];
  const found = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (name: string): void => {
    found.set(name, found.size);
    lowest.set(name, found.get(name)!);
    open.push(name);
    for (const next of inner(name)) {
      if (!names.includes(next)) continue;
      if (!found.has(next)) visit(next);
      if (open.includes(next)) lowest.set(name, Math.min(lowest.get(name)!, lowest.get(next)!));
    }
    if (lowest.get(name) !== found.get(name)) return;
    const group = open.splice(open.indexOf(name));
    if (group.length > 1 || inner(name).includes(name)) cycles.push([...group, name]);
    else order.push(name);
  };
  for (const name of names) if (!found.has(name)) visit(name);
  return { order, cycles };
}

/** Names that are in more than one tier, so that one hides another. */
export function collisions({ defaults, fields, computed }: DeclaredState): string[] {
  const tiers = [
    new Set([...Object.keys(defaults.state), ...Object.keys(fields.state)]),
    new Set([...Object.keys(defaults.raw), ...Object.keys(fields.raw)]),
    new Set(computed.map((field) => field.name)),
  ];
  const all = new Set(tiers.flatMap((tier) => [...tier]));
  return [...all].filter((name) => tiers.filter((tier) => tier.has(name)).length > 1);
}
