import { splitPath } from "../base/index.ts";
import type { ComputedField, Part } from "../program/index.ts";
import { analyse } from "./analyse.ts";
import { prepareCode } from "./prepare-code.ts";

export interface DependencyGraph {
  /** Computed fields, each after everything it depends on; fields in circles are left out. */
  readonly order: readonly string[];
  readonly cycles: readonly (readonly string[])[];
  direct(field: string): string[];
  all(field: string): string[];
  dependents(field: string): string[];
}

/** What depends on what: declared `from` paths, and what a transformation or validation mentions by name. */
export function dependencyGraph(part: Part): DependencyGraph {
  const fields = new Map(part.computed.map((field) => [field.name, field]));
  const direct = new Map([...fields].map(([name, field]) => [name, directOf(field, fields, part)]));
  const inner = (name: string): string[] =>
    (direct.get(name) ?? []).flatMap((path) =>
      path.startsWith("computed.") ? [path.slice("computed.".length).split(/[.[]/)[0] ?? ""] : [],
    );
  const { order, cycles } = sort([...fields.keys()], inner);
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
    order,
    cycles,
    direct: (field) => [...(direct.get(plain(field)) ?? [])],
    all: (field) => all(plain(field)),
    dependents: (field) => [...fields.keys()].filter((name) => name !== plain(field) && all(name).some((path) => matches(path, field))),
  };
}

function directOf(field: ComputedField, fields: ReadonlyMap<string, ComputedField>, part: Part): string[] {
  const paths: (string | undefined)[] = field.from.map((path) => fullPath(path, fields, part));
  for (const text of [field.transform, ...(field.validate === undefined ? [] : [field.validate])]) {
    const analysed = analyse(text);
    if ("error" in analysed) continue;
    for (const { name, key } of prepareCode(
      analysed,
      ["raw", "state", "computed", "inputs"].filter((space) => !fields.has(space)),
    ).reads) {
      if (name === "input" || name === "output") continue;
      if (name === "computed" && key === undefined && !fields.has(name))
        paths.push(...[...fields.keys()].map((other) => `computed.${other}`));
      else paths.push(namedPath(key === undefined ? name : `${name}.${key}`, fields, part));
    }
  }
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** Like `fullPath`, but a name that nothing declares is no dependency: it may be a call, or a mistake. */
function namedPath(path: string, fields: ReadonlyMap<string, ComputedField>, part: Part): string | undefined {
  const [first = ""] = path.split(".");
  const declared =
    ["raw", "state", "computed", "inputs"].includes(first) ||
    fields.has(first) ||
    (["raw", "state"] as const).some((tier) => Object.hasOwn(part.fields[tier], first) || Object.hasOwn(part.defaults[tier], first));
  return declared ? fullPath(path, fields, part) : undefined;
}

function fullPath(path: string, fields: ReadonlyMap<string, ComputedField>, part: Part): string {
  const [first = ""] = splitPath(path) ?? [path];
  if (fields.has(first)) return `computed.${path}`;
  if (["raw", "state", "computed", "inputs", "config"].includes(first)) return path;
  return Object.hasOwn(part.fields.state, first) || Object.hasOwn(part.defaults.state, first)
    ? inRaw(part, first)
      ? `raw.${path}`
      : `state.${path}`
    : `raw.${path}`;
}

function inRaw(part: Part, name: string): boolean {
  return Object.hasOwn(part.fields.raw, name) || Object.hasOwn(part.defaults.raw, name);
}

function matches(path: string, field: string): boolean {
  const wanted = /^(raw|state|computed|inputs)\./.test(field)
    ? [field]
    : [`raw.${field}`, `state.${field}`, `computed.${field}`, `inputs.${field}`];
  return wanted.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`) || name.startsWith(`${path}.`));
}

/** Strongly connected groups after Tarjan: each comes out after the groups it depends on. */
function sort(
  names: readonly string[],
  inner: (name: string) => readonly string[],
): { readonly order: string[]; readonly cycles: string[][] } {
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

/** Names that stand in more than one tier, so that one hides another. */
export function collisions(part: Part): string[] {
  const tiers = [
    new Set([...Object.keys(part.defaults.state), ...Object.keys(part.fields.state)]),
    new Set([...Object.keys(part.defaults.raw), ...Object.keys(part.fields.raw)]),
    new Set(part.computed.map((field) => field.name)),
  ];
  const all = new Set(tiers.flatMap((tier) => [...tier]));
  return [...all].filter((name) => tiers.filter((tier) => tier.has(name)).length > 1);
}
